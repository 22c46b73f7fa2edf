const MS_PER_HOUR = 3_600_000

/** The memory's own time. */
export interface ClockState {
  /** Active hours since the memory was born. */
  readonly hours: number
  /** Wall time of the operation that left it, in milliseconds since 1970; absent before the first. */
  readonly wallMs?: number
}

/**
 * The clock at an operation: hours + clamp(now − wall, 0, gapCap), so that holidays do not age the memory and the hours
 * never fall. The first operation, and a wall clock set back, add nothing and only take the new anchor.
 */
export function advance(
  state: ClockState,
  nowMs: number,
  options: { readonly gapCapMs: number },
): Required<ClockState> {
  const gap = state.wallMs === undefined ? 0 : nowMs - state.wallMs
  const counted = Math.min(Math.max(0, gap), options.gapCapMs)
  return { hours: state.hours + counted / MS_PER_HOUR, wallMs: nowMs }
}
