import { createHash } from 'node:crypto'
import { shownMark, wordsMark } from '../recall/render.ts'
import type { HookMemories } from './memory.ts'

/** The part of the memory that a session has seen since it began or was compacted. */
export interface Shown {
  /** True once it has seen who it is. */
  readonly self: boolean
  /** The marks of blocks, the newest last. */
  readonly ids: readonly string[]
  /** True once its agent was asked for what should last. */
  readonly isAsked: boolean
}

export const NOTHING_SHOWN: Shown = { self: false, ids: [], isAsked: false }
/** The most marks that are kept of a session; a block shown before them may come again. */
const IDS_MAX = 1_000
/** Number of sessions, the newest, whose marks the memory keeps. */
const SESSIONS_KEPT = 100
const SPACE = 'hooks'
const NAMESPACE = ['shown']

/** Returns what a session has seen after it was shown more. */
export function withMore(before: Shown, { ids = [], ...more }: Partial<Shown>): Shown {
  return { ...before, ...more, ids: [...new Set([...before.ids, ...ids])].slice(-IDS_MAX) }
}

/** Reads what a session was shown, so that it holds in a server that was started again. */
export async function readShown({ own }: HookMemories, session: string): Promise<Shown> {
  const item = await own.items(SPACE).get({ namespace: NAMESPACE, key: keyOf(session) })
  const { self, ids, isAsked } = Object(item?.value) as Partial<Shown>
  // Any program may have written this item.
  const marks = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string' && MARK.test(id)) : []
  return { self: self === true, ids: marks.slice(-IDS_MAX), isAsked: isAsked === true }
}

/** Writes what a session was shown, as a named item; with a new session the oldest go. */
export async function writeShown({ own }: HookMemories, session: string, value: Shown): Promise<void> {
  const items = own.items(SPACE, { undoable: false })
  const { version } = await items.put({ namespace: NAMESPACE, key: keyOf(session), value })
  if (version > 1) return
  const { items: all } = await items.list({ namespace: NAMESPACE, limit: 1_000 })
  const oldest = all.slice(0, Math.max(0, all.length - SESSIONS_KEPT))
  if (oldest.length > 0)
    await items.batch(oldest.map(({ namespace, key }) => ({ do: 'delete', namespace, key }) as const))
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** The key is a hash of the session's name, because a client may use any name. */
const keyOf = (name: string) => sha256(name).slice(0, 32)

/** A block as it was shown: the form that `recall` leaves out by. */
export function markOf(block: { readonly id: string; readonly content: string }): string {
  return shownMark(block, sha256)
}

/** Returns the mark that every block with these words has. */
export function markOfText(content: string): string {
  return wordsMark(content, sha256)
}

const MARK = /^(?:[0-9a-f]{8}|#[0-9a-f]{8}|[0-9a-f]{8}#[0-9a-f]{8})$/
