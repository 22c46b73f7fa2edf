import type { Edge } from './edge.ts'
import { edgeStrength } from './edge-weight.ts'

/** A block whose similarity is handed on. */
export interface Seed {
  readonly id: string
  /** 0..1. */
  readonly similarity: number
}

/** The similarity that a block inherits along an edge. */
export interface Inherited {
  readonly id: string
  /** 0..1, never above the seed's. */
  readonly similarity: number
  readonly seed: string
  /** The edge it was inherited along. */
  readonly edge: Edge
}

type EdgeShare = (edge: Edge) => number

/** `contradicts` is an objection, never support. */
export const CONTRADICTS = 'contradicts'

/**
 * Returns the share of a similarity that an edge of this relation hands on, 0..1; 0 for `contradicts`. The
 * caller multiplies it by the edge's strength and a factor (OURS of the seeds' D2).
 * @param shares by relation; `other` for words of an agent's own
 */
export function relationShare(
  { relation }: Pick<Edge, 'relation'>,
  shares: Readonly<Record<string, number>>,
): number {
  if (relation === CONTRADICTS) return 0
  return (Object.hasOwn(shares, relation) ? shares[relation] : shares.other) ?? 0
}

/**
 * Similarity of a block that matches by itself and is joined to a better match, 0..1: the greater of the two, and
 * `agreement` (0..1) of the lesser in what is left to 1. Two witnesses say more than one (docs/benchmarks.md, learning).
 */
export function jointSimilarity(own: number, inherited: number, agreement: number): number {
  const [low, high] = own < inherited ? [own, inherited] : [inherited, own]
  return high + agreement * low * (1 - high)
}

/**
 * One step along the edges: each neighbour inherits similarity · share of the edge from the seed that gives it most.
 *
 * @param most edges followed from each seed, those that hand on most
 */
export function expandNeighbours(
  seeds: readonly Seed[],
  edges: readonly Edge[],
  { shareOf, most }: { readonly shareOf: EdgeShare; readonly most: number },
): Inherited[] {
  const best = new Map<string, Inherited>()
  for (const { id: seed, similarity } of seeds) {
    const followed = edges
      .filter(({ from, to }) => from === seed || to === seed)
      .map((edge) => ({ edge, share: edgeStrength(edge) * shareOf(edge) }))
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share)
      .slice(0, most)
    for (const { edge, share } of followed) {
      const id = edge.from === seed ? edge.to : edge.from
      const inherited = { id, similarity: similarity * share, seed, edge }
      if (inherited.similarity > (best.get(id)?.similarity ?? 0)) best.set(id, inherited)
    }
  }
  return [...best.values()]
}
