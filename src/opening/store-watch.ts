import { WATCH_BOUNDS } from '../config/serving/watch.ts'
import { attempt, ElfmemError } from '../errors.ts'
import type { Timer } from '../ports/clock.ts'

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
