import type { Edge } from './edge.ts'

/** How fast edges fade. */
export interface EdgeDecayOptions {
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
