import { attempt, ElfmemError } from '../errors.ts'
import {
  entriesAfter,
  type LogMark,
  type MissedEntries,
  newestMark,
  type WatchedEntry,
} from '../history/new-entries.ts'
import { harmlessError } from '../operations/wording.ts'
import type { Store } from '../store/transaction.ts'

import type { Timer } from './ports.ts'

/** Milliseconds between two looks for a commit, of some 20 microseconds each. */
const LOOK_MS = 400

/** The state of a store at a look: a number that is another one if anything was committed since, or why there is none any more. */
export type Looked = number | ElfmemError

export type Watcher = (looked: Looked) => void

/** Errors after which no look can succeed; what a store is busy with is over at the next look. */
const LASTING: readonly string[] = [
  'CLOSED',
  'STORE_MOVED',
  'STORE_MISSING',
  'STORE_CORRUPT',
  'STORE_FOREIGN',
]

/** Looks at a store for all who watch it, whoever writes: one look for all of them, and none while nobody watches. */
export class StoreWatch {
  readonly #timer: Timer
  readonly #version: () => Promise<unknown>
  readonly #watchers = new Set<Watcher>()
  #next: (() => void) | undefined
  #seen: unknown
  #changes = 0
  #isLooking = false

  /** @param version another value after each commit; some 20 µs, because it is asked again and again */
  constructor(timer: Timer, version: () => Promise<unknown>) {
    this.#timer = timer
    this.#version = version
  }

  /** Calls a watcher at each look from now on; returns what ends that. */
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
    this.#next ??= this.#timer.after(LOOK_MS, () => void this.#look())
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
      if (ElfmemError.is(error) && LASTING.includes(error.code)) this.#tell(error)
    } finally {
      this.#isLooking = false
      if (this.#watchers.size > 0) this.#wait()
    }
  }

  #tell(looked: Looked): void {
    // Whoever fails at it keeps nobody else from hearing of it.
    for (const watcher of [...this.#watchers]) attempt(() => watcher(looked))
  }
}

/** The entries to watch, and how long. */
export interface WatchOptions {
  readonly signal?: AbortSignal | undefined
  /** The number of the last entry that is known; without it watching begins with what comes next. */
  readonly after?: number | undefined
  readonly scope?: string | undefined
}

export type Watched = WatchedEntry | MissedEntries

/** Returns new entries of the log in their order. The log is read only when somebody waits and anything was committed. */
export function watchEntries(
  watch: StoreWatch,
  store: () => Store,
  { signal, after }: WatchOptions,
): AsyncIterableIterator<Watched> {
  let looked: Looked = 0
  let isOver = false
  let wake = (): void => undefined
  const newest = () => store().read(newestMark)
  // What is logged from now on counts, also before somebody waits for it.
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

  /** The entries since the mark; none while the store is busy, which is over at a later look. */
  const readMore = async (): Promise<readonly Watched[] | undefined> => {
    try {
      const found = await entriesSince(store(), await mark)
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

async function entriesSince(store: Store, mark: LogMark) {
  return store.read(async (tx) => {
    const more = await entriesAfter(tx, mark)
    if (more !== undefined) return more
    const newest = await newestMark(tx)
    return { entries: [{ isStale: true, id: newest.id } as const], mark: newest }
  })
}
