import { WATCH_BOUNDS } from '../config/bounds.ts'
import { attempt, ElfmemError } from '../errors.ts'
import {
  entriesAfter,
  type LogMark,
  type MissedEntries,
  newestMark,
  type WatchedEntry,
} from '../flow/journal/new-entries.ts'
import { harmlessError } from '../operations/wording.ts'
import type { Timer } from '../ports/clock.ts'
import type { Store } from '../ports/store/store.ts'

/** The state of a store at a look: a number that is another one if anything was committed since, or why there is none any more. */
export type Looked = number | ElfmemError

/** Called at each look. */
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

  /** Ends all watching, and says so. */
  close(): void {
    this.#tell(new ElfmemError('CLOSED', 'This memory was closed.', { recovery: 'Open it again.' }))
    this.#watchers.clear()
    this.#stop()
  }

  #wait(): void {
    this.#next ??= this.#timer.after(WATCH_BOUNDS.lookMs, () => void this.#look())
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
  /** Ends it. */
  readonly signal?: AbortSignal | undefined
  /** The number of the last entry that is known; without it watching begins with what comes next. */
  readonly after?: number | undefined
  /** Only entries of this scope. */
  readonly scope?: string | undefined
}

/** An entry of the log, or that some were missed. */
export type Watched = WatchedEntry | MissedEntries

/**
 * New entries of the log in their order, whoever writes. The log is read only when somebody waits for more, and only if
 * anything was committed. It ends with its signal and with the memory, and throws only if the memory cannot be read any more.
 */
export class EntryWatch implements AsyncIterableIterator<Watched> {
  readonly #store: () => Store
  readonly #end: () => void
  readonly #ready: Watched[] = []
  #mark: Promise<LogMark>
  #changes = 0
  /** The changes that were read; -1 before the first reading, and after one that has to be made again. */
  #read = -1
  #isAgain = false
  #turn: Promise<unknown> = Promise.resolve()
  #isOver = false
  #failure: ElfmemError | undefined
  #wake: () => void = () => undefined

  constructor(watch: StoreWatch, store: () => Store, { signal, after }: WatchOptions) {
    this.#store = store
    // What is logged from now on counts, also before somebody waits for it.
    this.#mark = after === undefined ? store().read(newestMark) : Promise.resolve({ id: after })
    this.#mark.catch(() => undefined)
    const endWatching = watch.begin((looked) => {
      if (this.#isAgain) this.#read = -1
      if (typeof looked === 'number') this.#changes = looked
      else if (looked.code === 'CLOSED') this.#end()
      else this.#failure = looked
      this.#wake()
    })
    const over = () => this.#end()
    this.#end = () => {
      this.#isOver = true
      endWatching()
      signal?.removeEventListener('abort', over)
      this.#wake()
    }
    signal?.addEventListener('abort', over)
    if (signal?.aborted) this.#end()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** One answer after the other, whoever asks at once. */
  next(): Promise<IteratorResult<Watched>> {
    const answer = this.#turn.then(() => this.#next())
    this.#turn = answer.catch(() => undefined)
    return answer
  }

  async #next(): Promise<IteratorResult<Watched>> {
    while (!this.#isOver) {
      const ready = this.#ready.shift()
      if (ready !== undefined) return { done: false, value: ready }
      if (this.#failure !== undefined) {
        this.#end()
        throw harmlessError(this.#failure)
      }
      if (this.#read === this.#changes) await new Promise<void>((resolve) => (this.#wake = resolve))
      else await this.#readMore()
    }
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<Watched>> {
    this.#end()
    return { done: true, value: undefined }
  }

  async #readMore(): Promise<void> {
    const changes = this.#changes
    try {
      const mark = await this.#mark
      const found = await this.#store().read(async (tx) => {
        const more = await entriesAfter(tx, mark)
        if (more !== undefined) return more
        const newest = await newestMark(tx)
        return { entries: [{ isStale: true, id: newest.id } as const], mark: newest }
      })
      this.#mark = Promise.resolve(found.mark)
      this.#ready.push(...found.entries)
      this.#read = changes
      this.#isAgain = false
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      this.#mark.catch(() => {
        this.#mark = this.#store().read(newestMark)
      })
      // A store that is busy is read at the next look.
      this.#isAgain = error.code === 'STORE_BUSY'
      if (this.#isAgain) this.#read = this.#changes
      else if (error.code === 'CLOSED') this.#end()
      else this.#failure = error
    }
  }
}
