import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type {
  ClockReading,
  NewestWords,
  SessionRecord,
  StoreReader,
  StoreWriter,
} from '../../ports/store/transaction.ts'

/** The time of an operation: ISO time, wall clock in milliseconds and active hours. */
export interface Moment {
  /** ISO-8601 UTC. */
  readonly at: string
  readonly wallMs: number
  /** Active hours of the memory. */
  readonly hours: number
  /** Absent in an empty memory. */
  readonly newest?: NewestWords
}

/** The ids an agent may still need from what it just did. Copies; reset by a new session. */
export interface Breadcrumbs {
  readonly lastLearnedBlockId?: string
  readonly lastRecallBlockIds: readonly string[]
  /** Learned, returned, reported on or connected in this session, first seen first. */
  readonly sessionBlockIds: readonly string[]
}

/** The clock, the ids and the time limits of sessions. */
export interface SessionOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** Milliseconds: the longest pause that counts as active time. */
  readonly gapCapMs: number
  /** Milliseconds of wall time without an operation after which a session is over. */
  readonly idleMs: number
}

/** A session that was begun and whose end is not written, and when it was last worked in. */
export interface OpenSession {
  readonly session: SessionRecord
  readonly last: Moment
}

/**
 * Entries of the log that a command begins with, read in half a millisecond: a wall clock that made one of so many is not
 * taken for a pause of the others.
 */
const RECENT_OPERATIONS = 256

/**
 * The session of one open memory, and the only reader of its clock.
 *
 * No operation needs a session to be begun: the first that writes begins one. One in which nobody wrote for `idleMs` is over,
 * for whoever reads at once; the next that writes records its end and begins another. Time counts only between operations,
 * at most `gapCapMs` at a stretch, never runs backwards, and is never more than what truly passed since this process
 * looked last, whatever wall clock made the entries between.
 */
export class SessionTracker {
  readonly #options: SessionOptions
  #open: OpenSession | undefined
  /** The hours that cannot have been exceeded at a time of the monotonic clock. */
  #most: { readonly hours: number; readonly at: number } | undefined
  #learned: string | undefined
  #recalled: readonly string[] = []
  readonly #seen = new Set<string>()

  constructor(options: SessionOptions) {
    this.#options = options
  }

  get current(): SessionRecord | undefined {
    return this.#isOver ? undefined : this.#open?.session
  }

  /** The session whose end is not written, be it over or not; `backTo` goes back to it. */
  get unended(): OpenSession | undefined {
    return this.#open
  }

  get breadcrumbs(): Breadcrumbs {
    if (this.#isOver) return { lastRecallBlockIds: [], sessionBlockIds: [] }
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
    const { newest } = reading
    return { at: new Date(wallMs).toISOString(), wallMs, hours, ...(newest === undefined ? {} : { newest }) }
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
    const session = await tx.latestOpenSession()
    const at = new Date(newest.wallMs).toISOString()
    this.#open = session && { session, last: { ...newest, at } }
  }

  /** The running session, begun now if there is none; from now on its idle time counts anew. */
  async ensure(tx: StoreWriter, moment: Moment, taskType = 'general'): Promise<SessionRecord> {
    if (this.#isOver) await this.end(tx, moment)
    const session = this.#open?.session ?? (await this.#begin(tx, moment, taskType))
    this.#open = { session, last: moment }
    return session
  }

  async #begin(tx: StoreWriter, moment: Moment, taskType: string): Promise<SessionRecord> {
    const session: SessionRecord = {
      id: this.#options.ids.random(),
      taskType,
      startedAt: moment.at,
      startHours: moment.hours,
    }
    await tx.saveSession(session)
    this.#learned = undefined
    this.#recalled = []
    this.#seen.clear()
    return session
  }

  /**
   * Ends the session that is open; returns its length in active hours, 0 when there is none. One that is over for want of
   * operations ended with its last one: nobody was there in the time after it.
   */
  async end(tx: StoreWriter, moment: Moment): Promise<number> {
    if (!this.#open) return 0
    const { session, last } = this.#open
    const { at, hours } = this.#isOver ? last : moment
    await tx.saveSession({ ...session, endedAt: at })
    this.#open = undefined
    return hours - session.startHours
  }

  /** Goes back to the session, if any, that was open before a transaction that failed. */
  backTo(open: OpenSession | undefined): void {
    this.#open = open
  }

  /** By the wall clock, which goes on while a machine sleeps; one that was set back lets the session last longer. */
  get #isOver(): boolean {
    const { clock, idleMs } = this.#options
    return this.#open !== undefined && clock.now() - this.#open.last.wallMs > idleMs
  }

  /** Makes a block the one learned last in this session. */
  noteLearned(id: string): void {
    this.#learned = id
    this.#seen.add(id)
  }

  /** Counts blocks as seen in this session; those seen before keep their place. */
  noteTouched(ids: readonly string[]): void {
    for (const id of ids) this.#seen.add(id)
  }

  /** Makes these the blocks of the last recall, in the place of those before, and counts them as seen. */
  noteRecalled(ids: readonly string[]): void {
    this.#recalled = [...ids]
    this.noteTouched(ids)
  }
}

const MS_PER_HOUR = 3_600_000
/** Less than a microsecond. */
const ROUNDING_HOURS = 1e-10

/** The memory's own time. */
export interface ClockState {
  /** Active hours since the memory was born. */
  readonly hours: number
  /** Wall time of the operation that left it, in milliseconds since 1970; absent before the first. */
  readonly wallMs?: number
}

/** Bounds of what one operation may add. */
interface AdvanceOptions {
  /** Milliseconds: the longest pause that counts as active time. */
  readonly gapCapMs: number
  /** Active hours that cannot have been exceeded by now, as far as this process knows; absent: it knows nothing. */
  readonly mostHours?: number
}

/**
 * The clock at an operation: hours + clamp(now − wall, 0, gapCap), so that holidays do not age the memory and the hours
 * never fall; and never above `mostHours`, since the entry before may be by another wall clock. The first operation, and
 * a wall clock set back, add nothing and only take the new anchor.
 */
export function advance(
  state: ClockState,
  nowMs: number,
  { gapCapMs, mostHours = Number.POSITIVE_INFINITY }: AdvanceOptions,
): Required<ClockState> {
  const gap = state.wallMs === undefined ? 0 : nowMs - state.wallMs
  const counted = Math.min(Math.max(0, gap), gapCapMs) / MS_PER_HOUR
  const room = Math.max(0, mostHours - state.hours)
  // Where both are the same time, the bound must not round it otherwise.
  return { hours: state.hours + (counted < room + ROUNDING_HOURS ? counted : room), wallMs: nowMs }
}

/** The hours a process saw last and what of true time passed since then: more there cannot be now. */
export function mostHoursAfter(seenHours: number, elapsedMs: number): number {
  return seenHours + Math.max(0, elapsedMs) / MS_PER_HOUR
}

/**
 * The most active hours that a process which has seen nothing yet may find. The entries of the log may be by several wall
 * clocks; since one that is not ahead of this process's no more has passed than the difference. Without such an entry
 * nothing is added. A log without entries is that of a memory without hours.
 *
 * @param entries newest first
 */
export function mostHoursAtFirst(entries: readonly Required<ClockState>[], nowMs: number): number {
  const [newest] = entries
  if (newest === undefined) return 0
  const bounds = entries
    .filter(({ wallMs }) => wallMs <= nowMs)
    .map(({ hours, wallMs }) => mostHoursAfter(hours, nowMs - wallMs))
  return bounds.length === 0 ? newest.hours : Math.max(newest.hours, Math.min(...bounds))
}
