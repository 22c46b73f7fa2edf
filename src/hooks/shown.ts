import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { shownMark, wordsMark } from '../recall/render.ts'
import { type HookMemories, putAmongNewest } from './memory.ts'

/** The part of the memory that a session has seen since it began or was compacted, and what it kept. */
export interface Shown {
  /** True once it has seen who it is. */
  readonly self: boolean
  /** The marks of blocks, the newest last. */
  readonly ids: readonly string[]
  /** The first characters of the ids of blocks of which it has seen the number only. */
  readonly counted: readonly string[]
  /** True once its agent was asked for what should last. */
  readonly isAsked: boolean
  /** Messages and steps for which nothing was kept, and the newest operation when they began. */
  readonly steps: number
  readonly since?: number | undefined
}

/** A session that has seen nothing since it began or was compacted. */
export const NOTHING_SHOWN = { self: false, ids: [], counted: [], isAsked: false } as const
const NEW_SESSION: Shown = { ...NOTHING_SHOWN, steps: 0 }

/** Ids that are kept of a session; what it was shown longer ago may come again. */
const IDS_MAX = 1_000
/** Sessions in the mind of this process; of others it is read again. */
const SESSIONS_IN_MIND = 256
/** Sessions for which the memory keeps what they were shown, the newest. */
const SESSIONS_KEPT = 100
const SPACE = 'hooks'
const NAMESPACE = ['shown']
/** A client may give a session any name, so that its hash is the key. */
const keyOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 32)

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
    const { own } = this.#memories
    const item = await own.items(SPACE).get({ namespace: NAMESPACE, key: keyOf(session) })
    return this.#remember(session, shownOf(item?.value))
  }

  /** Changes some fields of a session. A change that is not written is known to this process alone. */
  change(session: string, now: Partial<Shown>, isWritten = true): void {
    const all = { ...(this.#known.get(session) ?? NEW_SESSION), ...now }
    const kept = {
      ...all,
      ids: [...new Set(all.ids)].slice(-IDS_MAX),
      counted: [...new Set(all.counted)].slice(-IDS_MAX),
    }
    this.#remember(session, kept)
    if (!isWritten || !this.#memories.mayWrite) return
    const isDue = this.#due.has(session)
    this.#due.set(session, kept)
    // One after the other: the last one that is written is the last one that was said.
    if (!isDue) this.#writing = this.#writing.then(() => this.#write(session)).catch(() => undefined)
  }

  /** Resolves when all is written that was noted so far. */
  written(): Promise<void> {
    return this.#writing
  }

  #remember(session: string, shown: Shown): Shown {
    this.#known.delete(session)
    this.#known.set(session, shown)
    const [oldest = ''] = this.#known.keys()
    if (this.#known.size > SESSIONS_IN_MIND) this.#known.delete(oldest)
    return shown
  }

  /** Writes a session once for all changes of the same turn. */
  async #write(session: string): Promise<void> {
    await nextTurn()
    const value = this.#due.get(session)
    this.#due.delete(session)
    const items = this.#memories.own.items(SPACE, { undoable: false })
    await putAmongNewest(items, { namespace: NAMESPACE, key: keyOf(session), value }, SESSIONS_KEPT)
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

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
  const { self, ids, counted, isAsked, steps, since } = Object(value) as Partial<Shown>
  const short = (list: unknown) =>
    Array.isArray(list)
      ? list.filter((id): id is string => typeof id === 'string' && MARK.test(id)).slice(-IDS_MAX)
      : []
  const whole = (number: unknown) => (Number.isSafeInteger(number) ? Number(number) : undefined)
  return {
    ...{ self: self === true, ids: short(ids), counted: short(counted), isAsked: isAsked === true },
    ...{ steps: whole(steps) ?? 0, since: whole(since) },
  }
}
