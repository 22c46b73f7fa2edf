import { advance, mostHoursAfter, mostHoursAtFirst } from '../../domain/score/experience.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { ClockReading, SessionRecord, StoreReader, StoreWriter } from '../../ports/store/transaction.ts'

/** The time of an operation: ISO time, wall clock in milliseconds and active hours. */
export interface Moment {
  /** ISO-8601 UTC. */
  readonly at: string
  readonly wallMs: number
  /** Active hours of the memory. */
  readonly hours: number
}

/** The ids an agent may still need from what it just did. Copies; reset by a new session. */
export interface Breadcrumbs {
  readonly lastLearnedBlockId?: string
  readonly lastRecallBlockIds: readonly string[]
  /** Learned, returned, reported on or connected in this session, first seen first. */
  readonly sessionBlockIds: readonly string[]
}

export interface SessionOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** Milliseconds: the longest pause that counts as active time. */
  readonly gapCapMs: number
  /** Milliseconds: how old the memory's last operation may be for its open session to be continued. */
  readonly idleMs: number
}

/**
 * Entries of the log that a command begins with, read in half a millisecond: a wall clock that made one of so many is not
 * taken for a pause of the others.
 */
const RECENT_OPERATIONS = 256

/**
 * The session of one open memory, and the only reader of its clock.
 *
 * No operation needs a session to be begun: the first that writes begins one. Time counts only between operations,
 * at most `gapCapMs` at a stretch, never runs backwards, and is never more than what truly passed since this process
 * looked last, whatever wall clock made the entries between.
 */
export class SessionTracker {
  readonly #options: SessionOptions
  #current: SessionRecord | undefined
  /** The hours that cannot have been exceeded at a moment of the monotonic clock. */
  #most: { readonly hours: number; readonly at: number } | undefined
  #learned: string | undefined
  #recalled: readonly string[] = []
  readonly #seen = new Set<string>()

  constructor(options: SessionOptions) {
    this.#options = options
  }

  get current(): SessionRecord | undefined {
    return this.#current
  }

  get breadcrumbs(): Breadcrumbs {
    return {
      ...(this.#learned === undefined ? {} : { lastLearnedBlockId: this.#learned }),
      lastRecallBlockIds: [...this.#recalled],
      sessionBlockIds: [...this.#seen],
    }
  }

  /** The memory's time now, given its newest logged operation. Writes nothing. */
  moment(reading: ClockReading): Moment {
    const wallMs = this.#options.clock.now()
    const at = this.#monotonic()
    const known = this.#most
    const bound = known === undefined ? {} : { mostHours: mostHoursAfter(known.hours, at - known.at) }
    const { hours } = advance(reading, wallMs, { gapCapMs: this.#options.gapCapMs, ...bound })
    this.#most = { hours, at }
    return { at: new Date(wallMs).toISOString(), wallMs, hours }
  }

  /** Takes note of the hours there are, for a process that lives on: nothing before it counts, its own clock does. */
  async begin(tx: StoreReader): Promise<void> {
    const { hours } = await tx.clock()
    this.#most = { hours, at: this.#monotonic() }
  }

  #monotonic(): number {
    const { clock } = this.#options
    return clock.monotonic?.() ?? clock.now()
  }

  /**
   * Continues the store's open session when its last operation is recent: how one-shot commands share one. Each lives too
   * short to count by a clock of its own, so the entries of the log say how late it can be at most.
   */
  async resume(tx: StoreReader): Promise<void> {
    const wallMs = this.#options.clock.now()
    const operations = await tx.operations({ limit: RECENT_OPERATIONS })
    const entries = operations.map(({ at, hours }) => ({ hours, wallMs: Date.parse(at) }))
    this.#most = { hours: mostHoursAtFirst(entries, wallMs), at: this.#monotonic() }
    const [newest] = entries
    if (newest === undefined || wallMs - newest.wallMs > this.#options.idleMs) return
    this.#current = await tx.latestOpenSession()
  }

  /** The running session, begun now if there is none. */
  async ensure(tx: StoreWriter, moment: Moment, taskType = 'general'): Promise<SessionRecord> {
    if (this.#current) return this.#current
    const session: SessionRecord = {
      id: this.#options.ids.random(),
      taskType,
      startedAt: moment.at,
      startHours: moment.hours,
    }
    await tx.saveSession(session)
    this.#current = session
    this.#learned = undefined
    this.#recalled = []
    this.#seen.clear()
    return session
  }

  /** Ends the running session; returns its length in active hours, 0 when there is none. */
  async end(tx: StoreWriter, moment: Moment): Promise<number> {
    const session = this.#current
    if (!session) return 0
    await tx.saveSession({ ...session, endedAt: moment.at })
    this.#current = undefined
    return moment.hours - session.startHours
  }

  /** Goes back to the session, if any, that was running before a transaction that failed. */
  backTo(session: SessionRecord | undefined): void {
    this.#current = session
  }

  noteLearned(id: string): void {
    this.#learned = id
    this.#seen.add(id)
  }

  noteTouched(ids: readonly string[]): void {
    for (const id of ids) this.#seen.add(id)
  }

  noteRecalled(ids: readonly string[]): void {
    this.#recalled = [...ids]
    this.noteTouched(ids)
  }
}
