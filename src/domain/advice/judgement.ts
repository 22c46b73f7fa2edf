/** What is to be judged, and from which amount on it is worth a word. */
export interface JudgementState {
  /** Active blocks. */
  readonly active: number
  readonly unjudged: number
  /** Judged so long ago that the judgement counts as old. */
  readonly stale: number
}

export interface DriftLimits {
  /** Blocks. */
  readonly count: number
  /** Of the active blocks, 0..100. */
  readonly percent: number
}

/** The most blocks without a fresh judgement that are not worth a word: the lower of the two limits (Python elfmem). */
export function driftAllowed(active: number, { count, percent }: DriftLimits): number {
  return Math.min(count, Math.floor((active * percent) / 100))
}

/** True if so many blocks lack a fresh judgement that they should get one. */
export function isDrifting({ active, unjudged, stale }: JudgementState, limits: DriftLimits): boolean {
  return unjudged + stale > driftAllowed(active, limits)
}

/** What a caller may do about it. */
export function rescoreAdvice({ unjudged, stale }: JudgementState): string {
  return `Call dream({ rescore: true, rescoreMax: ${driftRecommendedMax(unjudged + stale)} }) at a pause, which has them judged.`
}

/**
 * How many blocks a model should judge again in one go: `least` when none waits, else as many as wait, rounded up to
 * the next `step` (Python elfmem).
 */
export function driftRecommendedMax(
  waiting: number,
  options: { readonly least: number; readonly step: number } = { least: 20, step: 50 },
): number {
  if (waiting <= 0) return options.least
  return Math.ceil(Math.max(waiting, options.least) / options.step) * options.step
}
