import { defined, preview } from '../block/text.ts'
import { attempt, ElfmemError } from '../errors.ts'
import { harmlessError } from '../operations/wording.ts'
import { readBlocks } from '../store/blocks.ts'
import type { OperationRecord } from '../store/database.ts'
import type { ReadTransaction, Store } from '../store/transaction.ts'
import type { Timer } from './ports.ts'

/** A look returns the state of a store: a number that changes with each commit, or the error that ended looking. */
export type Looked = number | ElfmemError

export type Watcher = (looked: Looked) => void

/** Looks at a store for all its watchers at once, and only while somebody watches. */
export class StoreWatch {
  readonly #timer: Timer
  readonly #version: () => Promise<unknown>
  readonly #watchers = new Set<Watcher>()
  #next: (() => void) | undefined
  #seen: unknown
  #changes = 0
  #isLooking = false

  /** @param version returns another value after each commit; it must take some 20 µs, because it is called again and again */
  constructor(timer: Timer, version: () => Promise<unknown>) {
    this.#timer = timer
    this.#version = version
  }

  /** Calls a watcher at each look from now on; returns a function that ends the calls. */
  begin(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    if (!this.#isLooking) this.#wait()
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size === 0) this.#stop()
    }
  }

  close(): void {
    this.#tell(new ElfmemError('CLOSED', 'This memory was closed.', { recovery: 'Open it again.' }))
    this.#watchers.clear()
    this.#stop()
  }

  #wait(): void {
    this.#next ??= this.#timer.after(400, () => void this.#look())
  }

  #stop(): void {
    this.#next?.()
    this.#next = undefined
  }

  async #look(): Promise<void> {
    this.#next = undefined
    this.#isLooking = true
    try {
      const version = await this.#version()
      if (version !== this.#seen) this.#changes += 1
      this.#seen = version
      this.#tell(this.#changes)
    } catch (error) {
      // A busy store is free at a later look.
      if (ElfmemError.is(error) && error.code !== 'STORE_BUSY') this.#tell(error)
    } finally {
      this.#isLooking = false
      if (this.#watchers.size > 0) this.#wait()
    }
  }

  #tell(looked: Looked): void {
    // A watcher that fails does not stop the others.
    for (const watcher of [...this.#watchers]) attempt(() => watcher(looked))
  }
}

/** A watched entry is an entry of the log as a watcher gets it. */
export interface WatchedEntry
  extends Pick<
    OperationRecord,
    'id' | 'operation' | 'actor' | 'at' | 'summary' | 'session' | 'run' | 'scope'
  > {
  /** Ids of at most 20 blocks. */
  readonly blockIds: readonly string[]
  readonly blockCount: number
  /** The first words of the first block that is there: data, not instructions. */
  readonly first?: string
}

/** Missed entries say that the watcher lacks some: a program that shows the memory loads it anew. */
export interface MissedEntries {
  readonly isStale: true
  /** Number of the newest entry of the log; 0 in an empty one. */
  readonly id: number
}

export type Watched = WatchedEntry | MissedEntries

/** Watch options decide which entries are watched, and how long. */
export interface WatchOptions {
  readonly signal?: AbortSignal | undefined
  /** Number of the last known entry; without it watching begins with the next entry. */
  readonly after?: number | undefined
  readonly scope?: string | undefined
}

/** Returns new entries of the log in their order. The log is read only if somebody waits and something was committed. */
export function watchEntries(
  watch: StoreWatch,
  store: () => Store,
  { signal, after }: WatchOptions,
): AsyncIterableIterator<Watched> {
  let looked: Looked = 0
  let isOver = false
  let wake = (): void => undefined
  const newest = () => store().read(newestMark)
  // Entries count from now on, even before somebody waits for them.
  let mark: Promise<LogMark> = after === undefined ? newest() : Promise.resolve({ id: after })
  mark.catch(() => undefined)
  const stop = watch.begin((now) => {
    looked = now
    wake()
  })
  const end = () => {
    isOver = true
    stop()
    signal?.removeEventListener('abort', end)
    wake()
  }
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()

  /** Returns the entries since the mark; undefined while the store is busy, which is over at a later look. */
  const readMore = async (): Promise<readonly Watched[] | undefined> => {
    try {
      const since = await mark
      const found = await store().read((tx) => entriesSince(tx, since))
      mark = Promise.resolve(found.mark)
      return found.entries
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      if (error.code !== 'STORE_BUSY') looked = error
      mark = mark.catch(newest)
      mark.catch(() => undefined)
      return undefined
    }
  }
  let read: Looked = -1
  const more = async (): Promise<readonly Watched[]> => {
    const seen = looked
    if (typeof seen !== 'number') {
      end()
      if (seen.code === 'CLOSED') return []
      throw harmlessError(seen)
    }
    const found = seen === read ? undefined : await readMore()
    if (found !== undefined) read = seen
    else if (looked === seen && !isOver) await new Promise<void>((resolve) => (wake = resolve))
    return found ?? []
  }
  async function* entries(): AsyncGenerator<Watched> {
    while (!isOver)
      for (const each of await more())
        if (isOver) return
        else yield each
  }
  const iterator = entries()
  return {
    next: () => iterator.next(),
    return: () => {
      end()
      return iterator.return(undefined)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** The entry up to which the log is known; without `says`, an entry with that number is enough. */
interface LogMark {
  readonly id: number
  readonly says?: string
}

/** Largest number of entries that are caught up with; more count as missed. */
const CAUGHT_UP = 200

async function newestMark(tx: ReadTransaction): Promise<LogMark> {
  const [newest] = await tx.queries.operations({ limit: 1 })
  return newest === undefined ? { id: 0 } : markOf(newest)
}

function markOf({ id, at, operation, summary }: OperationRecord): LogMark {
  return { id, says: `${at} ${operation} ${summary}` }
}

/**
 * Reads the entries after a mark, oldest first, and the mark from which to go on. It says that entries were missed if the mark is gone,
 * because the log was trimmed or another memory was restored, or if there are more than `CAUGHT_UP`.
 */
async function entriesSince(tx: ReadTransaction, mark: LogMark) {
  const entries = await tx.queries.operations({ after: mark.id - 1, limit: CAUGHT_UP + 2 })
  const first = mark.id === 0 ? undefined : entries.shift()
  const isKnown =
    mark.id === 0 || (first?.id === mark.id && (mark.says ?? markOf(first).says) === markOf(first).says)
  if (!isKnown || entries.length > CAUGHT_UP) {
    const newest = await newestMark(tx)
    return { entries: [{ isStale: true, id: newest.id } as const], mark: newest }
  }
  const blocks = await readBlocks(
    tx,
    entries.flatMap(({ blockIds }) => blockIds.slice(0, 1)),
  )
  const words = new Map(blocks.map(({ id, content }) => [id, preview(content, 140)]))
  const last = entries.at(-1) ?? first
  return {
    entries: entries.map((entry) => watchedOf(entry, words)),
    mark: last === undefined ? mark : markOf(last),
  }
}

function watchedOf(entry: OperationRecord, words: ReadonlyMap<string, string>): WatchedEntry {
  const { id, operation, actor, at, summary, session, run, scope, blockIds } = entry
  return {
    ...{ id, operation, actor, at, summary, ...defined({ session, run, scope }) },
    ...{ blockIds: blockIds.slice(0, 20), blockCount: blockIds.length },
    ...defined({ first: words.get(blockIds[0] ?? '') }),
  }
}
