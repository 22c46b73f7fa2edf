/** When to dream, and how the threshold learns; counts are blocks in the inbox. */
export interface PolicyOptions {
  readonly base: number
  readonly min: number
  readonly max: number
  readonly step: number
  /** A dream that promotes at least this share raises the threshold: what arrives is worth keeping, fewer dreams do. */
  readonly highRate: number
  /** A dream that promotes at most this share lowers it. */
  readonly lowRate: number
}

/** The policy of the reference (Python elfmem). */
export const POLICY: PolicyOptions = { base: 10, min: 5, max: 50, step: 3, highRate: 0.8, lowRate: 0.5 }

/** State of the policy: the inbox size, in blocks, from which a dream is due. */
export interface PolicyState {
  readonly threshold: number
}

/** The policy as a stored threshold leaves it, clamped to min..max; the base threshold when none is stored (Python elfmem). */
export function restorePolicy(threshold: number | undefined, options: PolicyOptions = POLICY): PolicyState {
  return { threshold: clamped(threshold ?? options.base, options) }
}

/** True if a dream is due: always from max on, never below min, else from the learned threshold on. */
export function shouldConsolidate(
  state: PolicyState,
  pending: number,
  options: PolicyOptions = POLICY,
): boolean {
  if (pending >= options.max) return true
  return pending >= options.min && pending >= state.threshold
}

/** The policy after a dream; one that processed nothing teaches nothing. */
export function recordResult(
  state: PolicyState,
  dream: { readonly processed: number; readonly promoted: number },
  options: PolicyOptions = POLICY,
): PolicyState {
  if (dream.processed <= 0) return state
  const rate = dream.promoted / dream.processed
  return { threshold: clamped(state.threshold + shift(rate, options), options) }
}

function shift(rate: number, { step, highRate, lowRate }: PolicyOptions): number {
  if (rate >= highRate) return step
  return rate <= lowRate ? -step : 0
}

function clamped(threshold: number, { min, max }: PolicyOptions): number {
  return Math.min(max, Math.max(min, threshold))
}
