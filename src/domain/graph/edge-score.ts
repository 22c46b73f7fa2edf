/** |A∩B| / |A∪B| of two lists read as sets, 0..1; 0 when both are empty. */
export function jaccard(a: Iterable<string>, b: Iterable<string>): number {
  const left = new Set(a)
  const right = new Set(b)
  const shared = [...left].filter((each) => right.has(each)).length
  const all = left.size + right.size - shared
  return all === 0 ? 0 : shared / all
}

/** Width of temporal proximity, active hours: about a working day (Python elfmem). */
const SIGMA_HOURS = 8

/** How near two times are: exp(−Δh² / (2·sigma²)) of active hours, 0..1. */
export function temporalProximity(hoursA: number, hoursB: number, sigma = SIGMA_HOURS): number {
  const gap = hoursA - hoursB
  return Math.exp(-(gap * gap) / (2 * sigma * sigma))
}

/** One end of a possible edge. */
export interface EdgeEnd {
  readonly tags: readonly string[]
  readonly category: string
  /** Active hours. */
  readonly hours: number
}

/** How the parts of an edge score are mixed; the four weights sum to 1. */
export interface EdgeScoreOptions {
  /** Below this cosine there is no edge. */
  readonly cosineFloor: number
  readonly cosineWeight: number
  readonly tagWeight: number
  readonly categoryWeight: number
  readonly timeWeight: number
  /** Score of a different category, where the same one scores 1. */
  readonly otherCategory: number
  /** Width of temporal proximity, active hours. */
  readonly sigmaHours: number
}

/** The mixture of the reference (Python elfmem). */
export const EDGE_SCORE: EdgeScoreOptions = {
  cosineFloor: 0.5,
  cosineWeight: 0.55,
  tagWeight: 0.2,
  categoryWeight: 0.15,
  timeWeight: 0.1,
  otherCategory: 0.3,
  sigmaHours: SIGMA_HOURS,
}

/** How much two blocks belong together: cosine, shared tags, same category and nearness in time, 0..1 (Python elfmem). */
export function compositeEdgeScore(
  cosine: number,
  a: EdgeEnd,
  b: EdgeEnd,
  options: EdgeScoreOptions = EDGE_SCORE,
): number {
  const near = Math.min(1, Math.max(0, cosine))
  if (near < options.cosineFloor) return 0
  return Math.min(
    1,
    options.cosineWeight * near +
      options.tagWeight * jaccard(a.tags, b.tags) +
      options.categoryWeight * (a.category === b.category ? 1 : options.otherCategory) +
      options.timeWeight * temporalProximity(a.hours, b.hours, options.sigmaHours),
  )
}
