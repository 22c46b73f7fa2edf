import { type ReinforceRule, reinforcedWeight } from './connection.ts'
import type { Edge } from './edge.ts'

/** How fast edges fade. */
interface EdgeDecayOptions {
  /** An edge fades at this share of the slower of its ends. */
  readonly share: number
  /** From this many uses an edge is established. */
  readonly establishedAt: number
  /** An established edge fades at this share of that. */
  readonly establishedShare: number
}

/** The edge decay of the reference (Python elfmem). */
export const EDGE_DECAY: EdgeDecayOptions = { share: 0.5, establishedAt: 10, establishedShare: 0.5 }

/** Decay of an edge per active hour: share·min(λa, λb), times establishedShare once used often (Python elfmem). */
export function edgeLambda(
  lambdaA: number,
  lambdaB: number,
  reinforcementCount: number,
  options: EdgeDecayOptions = EDGE_DECAY,
): number {
  const lambda = options.share * Math.min(lambdaA, lambdaB)
  return reinforcementCount >= options.establishedAt ? lambda * options.establishedShare : lambda
}

/**
 * Weight of an edge `hours` after its last use, weight·exp(−λ·max(0, hours)), and whether curate removes it (Python elfmem).
 * What an agent asserted never fades. The stored weight is never rewritten, so decay is not applied twice.
 */
export function decayedEdgeWeight(
  edge: Pick<Edge, 'weight' | 'origin'>,
  age: { readonly lambda: number; readonly hours: number },
  pruneBelow: number,
): { readonly effective: number; readonly pruned: boolean } {
  if (edge.origin === 'agent') return { effective: edge.weight, pruned: false }
  const effective = edge.weight * Math.exp(-age.lambda * Math.max(0, age.hours))
  return { effective, pruned: effective < pruneBelow }
}

/**
 * Returns the present weight of an edge, 0..1: its stored weight, faded since its anchor. An edge without an
 * anchor, or one an agent asserted, never fades.
 *
 * @param lambdas decay of both ends per active hour
 */
export function edgeWeightNow(
  edge: Pick<Edge, 'weight' | 'origin' | 'reinforcementCount' | 'lastActiveAt'>,
  [one, other]: readonly [number, number],
  hours: number,
  options: EdgeDecayOptions = EDGE_DECAY,
): number {
  if (edge.lastActiveAt === undefined) return edge.weight
  const lambda = edgeLambda(one, other, edge.reinforcementCount, options)
  return decayedEdgeWeight(edge, { lambda, hours: hours - edge.lastActiveAt }, 0).effective
}

/** True if an edge is too weak to keep at any age: below the threshold and never used; never an agent's edge (W23). */
export function isWeakEdge(
  edge: Pick<Edge, 'weight' | 'origin' | 'reinforcementCount'>,
  pruneBelow: number,
): boolean {
  return edge.origin !== 'agent' && edge.reinforcementCount === 0 && edge.weight < pruneBelow
}

type Weighed = Pick<Edge, 'weight' | 'reinforcementCount'>
type Linking = Pick<Edge, 'from' | 'to' | 'weight' | 'reinforcementCount'>

/** Weight added by each e-fold of use (Python elfmem). */
const USE_FACTOR = 0.1

/** Weight with use: weight + USE_FACTOR·ln(1 + count), unbounded; for degrees and centrality only (Python elfmem). */
export function effectiveEdgeWeight(edge: Weighed): number {
  return edge.weight + USE_FACTOR * Math.log1p(edge.reinforcementCount)
}

/** How much of a block's similarity an edge hands on: `effectiveEdgeWeight` capped at 1, no decay in it (docs/benchmarks.md, learning). */
export function edgeStrength(edge: Weighed): number {
  return Math.min(1, effectiveEdgeWeight(edge))
}

/** Sum of effective weights of the edges at each id, 0 for ids without one; edges to other ids count at the known end. */
export function weightedDegree(
  ids: readonly string[],
  edges: readonly Linking[],
): ReadonlyMap<string, number> {
  const degrees = new Map(ids.map((id) => [id, 0]))
  for (const edge of edges) {
    const weight = effectiveEdgeWeight(edge)
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
interface OutcomeEdgeOptions {
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

/**
 * The degree from which a faded block counts as a bridge and is kept (Python elfmem, block archival):
 * the value at `quantile` of the nonzero degrees in ascending order; 0 when no block has an edge.
 */
export function bridgeThreshold(degrees: readonly number[], quantile = 0.8): number {
  const linked = degrees.filter((degree) => degree > 0).sort((a, b) => a - b)
  return linked[Math.min(Math.floor(linked.length * quantile), linked.length - 1)] ?? 0
}

/** True if a block of this degree holds parts of the graph together; nothing does while there are no edges. */
export function isBridge(degree: number, threshold: number): boolean {
  return threshold > 0 && degree >= threshold
}
