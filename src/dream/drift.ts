/** The finding of `status` about the inbox and the memory's size. */
type HealthFinding = 'inbox_full' | 'inbox_nearly_full' | 'empty' | 'fine'

/** Health of a memory: `attention` if it needs its agent, with the reason (Python elfmem). */
interface Health {
  readonly health: 'good' | 'attention'
  readonly finding: HealthFinding
}

const NEARLY = 0.8

/** Judges an inbox of `inbox` blocks against the threshold from which a dream is due (> 0). */
export function healthOf(inbox: number, threshold: number, active: number): Health {
  if (inbox >= threshold) return { health: 'attention', finding: 'inbox_full' }
  if (inbox >= threshold * NEARLY) return { health: 'good', finding: 'inbox_nearly_full' }
  return { health: 'good', finding: active === 0 && inbox === 0 ? 'empty' : 'fine' }
}

/** Counts of blocks by judgement; `isDrifting` decides from them if advice is due. */
interface JudgementState {
  /** Active blocks. */
  readonly active: number
  readonly unjudged: number
  /** Blocks judged so long ago that the judgement counts as old. */
  readonly stale: number
}

interface DriftLimits {
  /** Limit in blocks. */
  readonly count: number
  /** Limit as a share of the active blocks, 0..100. */
  readonly percent: number
}

/** Returns how many blocks may lack a fresh judgement: the lower of the two limits (Python elfmem). */
export function driftAllowed(active: number, { count, percent }: DriftLimits): number {
  return Math.min(count, Math.floor((active * percent) / 100))
}

/** True if so many blocks lack a fresh judgement that they should get one. */
export function isDrifting({ active, unjudged, stale }: JudgementState, limits: DriftLimits): boolean {
  return unjudged + stale > driftAllowed(active, limits)
}

/** Returns the advice to have blocks judged again. */
export function rescoreAdvice({ unjudged, stale }: JudgementState): string {
  return `Call dream({ rescore: true, rescoreMax: ${driftRecommendedMax(unjudged + stale)} }) at a pause, which has them judged.`
}

const RESCORE_LEAST = 20
const RESCORE_STEP = 50

/** Returns how many blocks a model should judge again in one go: those that wait, rounded up; 20 if none does (Python elfmem). */
export function driftRecommendedMax(waiting: number): number {
  if (waiting <= 0) return RESCORE_LEAST
  return Math.ceil(Math.max(waiting, RESCORE_LEAST) / RESCORE_STEP) * RESCORE_STEP
}
