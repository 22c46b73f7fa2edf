import { defined, preview } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import { harmlessError } from '../operations/wording.ts'
import { readBlocks } from '../store/blocks.ts'
import type { OperationRecord } from '../store/database.ts'
import type { ReadTransaction, Store } from '../store/transaction.ts'
import type { Timer } from './ports.ts'

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

/** The parts of a memory that a watcher needs. */
interface Watching {
  readonly store: () => Store
  /** Returns another value after each commit; it must take some 20 µs, because it is called at every look. */
  readonly version: () => Promise<unknown>
  readonly timer: Timer
  /** The signal is aborted when the memory closes. */
  readonly closing: AbortSignal
}

/** Milliseconds between two looks at a store. */
const LOOKS_MS = 400

/** Returns new entries of the log in their order. The log is read only if somebody waits and something was committed. */
export function watchEntries(
  { store, version, timer, closing }: Watching,
  { signal, after }: WatchOptions,
): AsyncIterableIterator<Watched> {
  const newest = () => store().read(newestMark)
  const left = new AbortController()
  const end = AbortSignal.any([left.signal, closing, ...(signal ? [signal] : [])])
  let seen: unknown = end
  // Entries count from now on, even before somebody waits for them.
  let mark: Promise<LogMark> = after === undefined ? newest() : Promise.resolve({ id: after })
  mark.catch(() => undefined)

  /** Returns the entries since the mark; none if nothing was committed, and while the store is busy. */
  const look = async (): Promise<readonly Watched[]> => {
    try {
      const now = await version()
      if (now === seen) return []
      const since = await mark
      const found = await store().read((tx) => entriesSince(tx, since))
      mark = Promise.resolve(found.mark)
      seen = now
      return found.entries
    } catch (error) {
      if (end.aborted) return []
      if (!ElfmemError.is(error) || error.code !== 'STORE_BUSY') throw harmlessError(error)
      mark = mark.catch(newest)
      mark.catch(() => undefined)
      return []
    }
  }
  async function* entries(): AsyncGenerator<Watched> {
    while (!end.aborted) {
      const found = await look()
      for (const each of found)
        if (end.aborted) return
        else yield each
      if (found.length === 0) await pause(timer, end)
    }
  }
  const iterator = entries()
  return {
    next: () => iterator.next(),
    return: () => {
      left.abort()
      return iterator.return(undefined)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Waits until the next look, or until the signal is aborted. */
function pause(timer: Timer, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel()
      end.removeEventListener('abort', done)
      resolve()
    }
    const cancel = timer.after(LOOKS_MS, done)
    end.addEventListener('abort', done)
    if (end.aborted) done()
  })
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
