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
export interface AdvanceOptions {
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
