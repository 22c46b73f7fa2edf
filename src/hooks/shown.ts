import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
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

const NOTHING_SHOWN: Shown = { self: false, ids: [], isAsked: false }
/** Marks that are kept of a session; what it was shown longer ago may come again. */
const IDS_MAX = 1_000
/** Sessions in the mind of this process; of others it is read again. */
const SESSIONS_IN_MIND = 256
/** Sessions for which the memory keeps what they were shown, the newest. */
const SESSIONS_KEPT = 100
const SPACE = 'hooks'
const NAMESPACE = ['shown']

/**
 * Remembers what each session was shown, in mind and as named items, so that it holds in a server that was started again. Items
 * are written behind the answer: one that is lost costs that something is shown twice.
 */
export class ShownBefore {
  readonly #memories: HookMemories
  readonly #known = new Map<string, Shown>()
  /** Sessions that are to be written. */
  readonly #due = new Map<string, Shown>()
  #writing: Promise<void> = Promise.resolve()

  constructor(memories: HookMemories) {
    this.#memories = memories
  }

  /** Returns what a session has seen. */
  async of(session: string): Promise<Shown> {
    const known = this.#known.get(session)
    if (known !== undefined) return known
    const item = await this.#memories.own.items(SPACE).get({ namespace: NAMESPACE, key: keyOf(session) })
    return this.#remember(session, shownOf(item?.value))
  }

  /** Notes what a session was shown besides. */
  add(session: string, { ids = [], ...more }: Partial<Shown>): void {
    const before = this.#known.get(session) ?? NOTHING_SHOWN
    const all = [...new Set([...before.ids, ...ids])].slice(-IDS_MAX)
    this.#change(session, { ...before, ...more, ids: all })
  }

  /** Notes that nothing stands in the conversation of a session. */
  forget(session: string): void {
    this.#change(session, NOTHING_SHOWN)
  }

  /** Resolves when all is written that was noted so far. */
  written(): Promise<void> {
    return this.#writing
  }

  #change(session: string, shown: Shown): void {
    this.#remember(session, shown)
    if (!this.#memories.mayWrite) return
    const isDue = this.#due.has(session)
    this.#due.set(session, shown)
    // One after the other: the last one that is written is the last one that was said.
    if (!isDue) this.#writing = this.#writing.then(() => this.#write(session)).catch(() => undefined)
  }

  #remember(session: string, shown: Shown): Shown {
    this.#known.delete(session)
    this.#known.set(session, shown)
    const [oldest = ''] = this.#known.keys()
    if (this.#known.size > SESSIONS_IN_MIND) this.#known.delete(oldest)
    return shown
  }

  /** Writes a session once for all changes of the same turn; with a new one the oldest go. */
  async #write(session: string): Promise<void> {
    await nextTurn()
    const value = this.#due.get(session)
    this.#due.delete(session)
    const items = this.#memories.own.items(SPACE, { undoable: false })
    const { version } = await items.put({ namespace: NAMESPACE, key: keyOf(session), value })
    if (version > 1) return
    const { items: all } = await items.list({ namespace: NAMESPACE, limit: 1_000 })
    const oldest = all.slice(0, Math.max(0, all.length - SESSIONS_KEPT))
    if (oldest.length > 0)
      await items.batch(oldest.map(({ namespace, key }) => ({ do: 'delete', namespace, key }) as const))
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** A client may give a session any name, so that its hash is the key. */
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

/** Reads what was kept, which any program may have written. */
function shownOf(value: unknown): Shown {
  const { self, ids, isAsked } = Object(value) as Partial<Shown>
  const marks = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string' && MARK.test(id)) : []
  return { self: self === true, ids: marks.slice(-IDS_MAX), isAsked: isAsked === true }
}
