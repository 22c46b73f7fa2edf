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
  /** The edge it was inherited along; on a longer way the last one. */
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

/** Steps after which a restarted walk hardly moves any more: 0.5 to this power is a thousandth. */
const STEPS = 10

/** Chance that a walk starts again at a seed. */
const RESTART = 0.5

/**
 * Personalised PageRank over the edges given (Haveliwala 2002): walks start at the seeds, by their similarity, and go
 * along edges by what these hand on. A block inherits the share of visits it gets, against the most visited seed, of the
 * best seed's similarity, and no more than that. Cost: ten passes over the edges.
 */
export function expandByPageRank(
  seeds: readonly Seed[],
  edges: readonly Edge[],
  { shareOf }: { readonly shareOf: EdgeShare },
): Inherited[] {
  const ways = waysOf(edges, shareOf)
  const total = seeds.reduce((sum, { similarity }) => sum + similarity, 0)
  if (total <= 0) return []
  const start = new Map(seeds.map(({ id, similarity }) => [id, similarity / total]))
  let visits = start
  for (let step = 0; step < STEPS; step++) visits = walk(visits, ways, start)
  const top = Math.max(...seeds.map(({ id }) => visits.get(id) ?? 0))
  const best = Math.max(...seeds.map(({ similarity }) => similarity))
  const nearest = nearestSeeds(seeds, ways)
  return [...visits].flatMap(([id, visited]) => {
    const last = strongestWay(id, visits, ways)
    if (start.has(id) || last === undefined || visited <= 0) return []
    const seed = nearest.get(id)
    return seed === undefined
      ? []
      : [{ id, similarity: Math.min(best, (best * visited) / top), seed, edge: last.edge }]
  })
}

interface Way {
  readonly from: string
  readonly to: string
  /** Chance of going it from `from`. */
  readonly chance: number
  /** Chance of coming back by it from `to`. */
  readonly back: number
  readonly edge: Edge
}

function waysOf(edges: readonly Edge[], shareOf: EdgeShare): ReadonlyMap<string, readonly Way[]> {
  const weighed = edges
    .map((edge) => ({ edge, share: edgeStrength(edge) * shareOf(edge) }))
    .filter(({ share }) => share > 0)
  const sums = new Map<string, number>()
  for (const { edge, share } of weighed)
    for (const id of [edge.from, edge.to]) sums.set(id, (sums.get(id) ?? 0) + share)
  const ways = new Map<string, Way[]>()
  for (const { edge, share } of weighed)
    for (const [from, to] of [
      [edge.from, edge.to],
      [edge.to, edge.from],
    ] as const) {
      const [chance, back] = [share / (sums.get(from) as number), share / (sums.get(to) as number)]
      const known = ways.get(from) ?? []
      known.push({ from, to, chance, back, edge })
      ways.set(from, known)
    }
  return ways
}

function walk(
  visits: ReadonlyMap<string, number>,
  ways: ReadonlyMap<string, readonly Way[]>,
  start: ReadonlyMap<string, number>,
): Map<string, number> {
  const next = new Map([...start].map(([id, share]) => [id, share * RESTART]))
  for (const [id, share] of visits) {
    const onward = ways.get(id)
    // A walk that cannot go on starts again.
    if (!onward) for (const [seed, chance] of start) add(next, seed, (1 - RESTART) * share * chance)
    for (const { to, chance } of onward ?? []) add(next, to, (1 - RESTART) * share * chance)
  }
  return next
}

function add(visits: Map<string, number>, id: string, share: number): void {
  visits.set(id, (visits.get(id) ?? 0) + share)
}

/** The way by which most visits came, seen from where it led. */
function strongestWay(
  id: string,
  visits: ReadonlyMap<string, number>,
  ways: ReadonlyMap<string, readonly Way[]>,
): Way | undefined {
  const flow = ({ to, back }: Way) => (visits.get(to) ?? 0) * back
  return ways
    .get(id)
    ?.reduce<Way | undefined>(
      (best, way) => (best === undefined || flow(way) > flow(best) ? way : best),
      undefined,
    )
}

/** The seed nearest to each block that can be reached; of equally near ones the first. */
function nearestSeeds(
  seeds: readonly Seed[],
  ways: ReadonlyMap<string, readonly Way[]>,
): ReadonlyMap<string, string> {
  const nearest = new Map(seeds.map(({ id }) => [id, id]))
  // A map is walked in the order of insertion, what is inserted meanwhile included: breadth first.
  for (const [id, seed] of nearest)
    for (const { to } of ways.get(id) ?? []) if (!nearest.has(to)) nearest.set(to, seed)
  return nearest
}
