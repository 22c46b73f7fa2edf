import { embedWaiting, WAITING_BATCH } from '../dream/embed-waiting.ts'
import { DreamAtRest } from '../dream/rest.ts'
import { AUTO, type Engine, logFailure } from './engine.ts'
import type { Timer } from './ports.ts'

/** Milliseconds before work that failed is tried again: the first time, and at most. */
const AFTER_FAILURE = { first: 60_000, longest: 3_600_000 }

/** Milliseconds to wait after failures in a row (at least 1): twice as long each time. */
function waitAfterFailures(failures: number): number {
  return Math.min(AFTER_FAILURE.longest, AFTER_FAILURE.first * 2 ** Math.min(failures - 1, 30))
}

/** Something a memory does by itself while nobody asks it anything. */
interface IdleWork {
  /** Milliseconds without a call before it is done. */
  readonly quietMs: number
  /** Does some of it; returns in how many milliseconds to do more, undefined: not before the next call. */
  run(turn: {
    /** Lets others have their turn; false once a call came in or the memory closes. */
    readonly goesOn: () => Promise<boolean>
    /** Aborted when the memory closes. */
    readonly signal: AbortSignal
  }): Promise<number | undefined>
  /** Called if `run` failed; it is tried again later, each time later than before. */
  failed(error: unknown): void
}

/**
 * Does idle work one after the other, the first named first, and none while a call is running. It never keeps the process
 * alive, and whatever fails in it is nobody's error.
 */
export class BackgroundWork {
  readonly #timer: Timer
  readonly #works: readonly IdleWork[]
  readonly #closing = new AbortController()
  /** The cancel function of the next run of each. */
  readonly #waiting = new Map<IdleWork, () => void>()
  /** The same of those that failed: no call makes them come earlier. */
  readonly #failed = new Map<IdleWork, () => void>()
  readonly #failures = new Map<IdleWork, number>()
  readonly #due = new Set<IdleWork>()
  #calls = 0
  /** Calls so far. */
  #callsBegun = 0
  #running: Promise<void> | undefined

  constructor(timer: Timer, works: readonly IdleWork[]) {
    this.#timer = timer
    this.#works = works
    this.#waitForAll()
  }

  /** Notes that a call begins; `callEnded` notes that it is over. */
  callBegins(): void {
    this.#calls += 1
    this.#callsBegun += 1
    if (this.#calls === 1) this.#forget(this.#waiting)
    this.#due.clear()
  }

  /** Ends what `callBegins` began; after the last running call the quiet time of all work begins anew. */
  callEnded(): void {
    this.#calls -= 1
    if (this.#calls === 0) this.#waitForAll()
  }

  /** Ends what runs, and waits for the step it is at. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#forget(this.#waiting)
    this.#forget(this.#failed)
    await this.#running
  }

  #waitForAll(): void {
    for (const work of this.#works) this.#waitFor(work, work.quietMs)
  }

  #waitFor(work: IdleWork, milliseconds: number): void {
    if (this.#closing.signal.aborted || this.#failed.has(work)) return
    this.#waiting.get(work)?.()
    const due = () => {
      this.#waiting.delete(work)
      this.#due.add(work)
      this.#next()
    }
    this.#waiting.set(work, this.#timer.after(milliseconds, due))
  }

  #next(): void {
    const next = this.#works.find((work) => this.#due.has(work))
    if (next === undefined || this.#running || this.#calls > 0 || this.#closing.signal.aborted) return
    this.#due.delete(next)
    this.#running = this.#run(next).finally(() => {
      this.#running = undefined
      this.#next()
    })
  }

  async #run(work: IdleWork): Promise<void> {
    const begun = this.#callsBegun
    const isUncalled = () => this.#callsBegun === begun && !this.#closing.signal.aborted
    const goesOn = async () => {
      if (isUncalled()) await this.#turn()
      return isUncalled()
    }
    try {
      const again = await work.run({ goesOn, signal: this.#closing.signal })
      this.#failures.delete(work)
      // After a call all begins anew.
      if (again !== undefined && isUncalled()) this.#waitFor(work, again)
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#hold(work, error)
    }
  }

  /** Everybody else's turn. At closing it is over at once: nothing else may keep the process until then. */
  #turn(): Promise<void> {
    const { signal } = this.#closing
    return new Promise((resolve) => {
      const over = () => {
        signal.removeEventListener('abort', over)
        resolve()
      }
      signal.addEventListener('abort', over)
      this.#timer.after(0, over)
    })
  }

  #hold(work: IdleWork, error: unknown): void {
    work.failed(error)
    const failures = (this.#failures.get(work) ?? 0) + 1
    this.#failures.set(work, failures)
    this.#waiting.get(work)?.()
    this.#waiting.delete(work)
    const retry = () => {
      this.#failed.delete(work)
      if (this.#calls === 0) this.#waitFor(work, 0)
    }
    this.#failed.set(work, this.#timer.after(waitAfterFailures(failures), retry))
  }

  #forget(timers: Map<IdleWork, () => void>): void {
    for (const callOff of timers.values()) callOff()
    timers.clear()
  }
}

/** The work that the memory does by itself, the most urgent first. */
export function idleWorkOf(engine: Engine): IdleWork[] {
  return [embeddingWork(engine), ...(engine.rest.mode === 'off' ? [] : [dreamWork(engine)])]
}

/** Vectors for what was just remembered, soon after the call, a batch a turn. */
function embeddingWork(engine: Engine): IdleWork {
  let lacking = 0
  return {
    quietMs: 0,
    async run({ signal }) {
      const portion = { most: WAITING_BATCH, milliseconds: Number.POSITIVE_INFINITY }
      const before = lacking
      lacking = await embedWaiting(engine, { signal, actor: AUTO }, portion)
      // Who embeds nothing now is asked again after the next call.
      const isStuck = lacking === before
      return lacking === 0 || isStuck ? undefined : 0
    },
    failed: (error) => logFailure(engine.logger, 'embedWaiting', error),
  }
}

function dreamWork(engine: Engine): IdleWork {
  const dreams = new DreamAtRest(engine)
  return {
    quietMs: dreams.quietMs,
    run: (turn) => dreams.run(turn),
    failed(error) {
      engine.rest.trouble = logFailure(engine.logger, 'dream', error)
    },
  }
}
