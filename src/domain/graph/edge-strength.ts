import { type ReinforceRule, reinforcedWeight } from './connection.ts'
import type { Edge } from './edge.ts'

type Weighed = Pick<Edge, 'weight' | 'reinforcementCount'>
type Linking = Pick<Edge, 'from' | 'to' | 'weight' | 'reinforcementCount'>

/** Weight added by each e-fold of use (Python elfmem). */
const USE_FACTOR = 0.1

/** Weight with use: weight + useFactor·ln(1 + count), unbounded; for degrees and centrality only (Python elfmem). */
export function effectiveEdgeWeight(edge: Weighed, useFactor = USE_FACTOR): number {
  return edge.weight + useFactor * Math.log1p(edge.reinforcementCount)
}

/** How much of a block's similarity an edge hands on: `effectiveEdgeWeight` capped at 1, no decay in it (docs/benchmarks.md, learning). */
export function edgeStrength(edge: Weighed, useFactor = USE_FACTOR): number {
  return Math.min(1, effectiveEdgeWeight(edge, useFactor))
}

/** Sum of effective weights of the edges at each id, 0 for ids without one; edges to other ids count at the known end. */
export function weightedDegree(
  ids: readonly string[],
  edges: readonly Linking[],
  useFactor = USE_FACTOR,
): ReadonlyMap<string, number> {
  const degrees = new Map(ids.map((id) => [id, 0]))
  for (const edge of edges) {
    const weight = effectiveEdgeWeight(edge, useFactor)
    for (const id of [edge.from, edge.to]) {
      const degree = degrees.get(id)
      if (degree !== undefined) degrees.set(id, degree + weight)
    }
  }
  return degrees
}

/**
 * How central a block of this strength is in its corpus, 0..1 (W45): measured against the strength of one of the best
 * joined blocks, so that it means the same whatever else is looked at. 0 where nothing is joined.
 */
export function corpusCentrality(strength: number, scale: number): number {
  return scale > 0 ? Math.min(1, strength / scale) : 0
}

/** Effect of a good outcome on the edge between two blocks that helped together. */
export interface OutcomeEdgeOptions {
  /** Factor of the signal for the weight of a new edge. */
  readonly scale: number
  /** Factor of the signal for the gain of an existing edge. */
  readonly delta: number
  /** Rule of the gain; `add` when left out. */
  readonly rule?: ReinforceRule
}

/** Weight of an edge after an outcome: scale·signal when new, min(1, weight + delta·signal) when it exists (Python elfmem). */
export function outcomeEdgeWeight(
  signal: number,
  existingWeight: number | undefined,
  options: OutcomeEdgeOptions,
): number {
  if (existingWeight === undefined) return signal * options.scale
  return reinforcedWeight(existingWeight, signal * options.delta, options.rule)
}
