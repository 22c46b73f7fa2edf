import { defined } from '../text/text.ts'

/** Who made an edge: the rules at dream, use together, a reported outcome, an agent, or a model. */
export type EdgeOrigin = 'similarity' | 'co_retrieval' | 'outcome' | 'agent' | 'llm_inferred'

/** One undirected edge a pair of blocks; `from` < `to` by string order. */
export interface Edge {
  readonly from: string
  readonly to: string
  /** `similar`, `co_occurs`, `elaborates`, `supports`, `contradicts`, `outcome` or a custom lower-case word. */
  readonly relation: string
  readonly origin: EdgeOrigin
  /** 0..1 as stored; decay is applied when it is read, never written back. */
  readonly weight: number
  readonly reinforcementCount: number
  /** Hours of the last use; the anchor of its decay. Without one it never fades. */
  readonly lastActiveAt?: number
  /** ISO-8601 UTC. */
  readonly createdAt: string
  readonly note?: string
  /** The end that declared a directed link, when one did. */
  readonly declaredBy?: string
  /** Who made it before an agent made it its own. */
  readonly previousOrigin?: EdgeOrigin
  /** When what it says begins to hold, ISO-8601 UTC; absent: not said. */
  readonly validFrom?: string
  /** The first time at which it holds no more, ISO-8601 UTC; absent: not said. */
  readonly validUntil?: string
}

/** The two ends of an edge or pair. */
export type Ends = readonly [from: string, to: string]

/** Two blocks that appeared together in answers and are not joined; `from` < `to`. */
export interface StagedPair {
  readonly from: string
  readonly to: string
  /** The number of questions whose answers had both. */
  readonly count: number
}

/** A connection an agent asked for that waits, because a full block could evict no edge for it. */
export interface PendingConnection {
  readonly source: string
  readonly target: string
  readonly relation: string
  readonly weight: number
  readonly note?: string
  /** Active hours. */
  readonly requestedAt: number
  /** Number of curations that could not make it. */
  readonly attempts: number
  /** Those of the edge. */
  readonly validFrom?: string
  readonly validUntil?: string
}

/** Returns the connection that waits in the place of an edge for which a full block has no room. */
export function deferred(edge: Edge, requestedAt: number): PendingConnection {
  const { relation, weight, note, validFrom, validUntil } = edge
  const [source, target] = saidEnds(edge)
  const claim = { relation, weight, ...defined({ note, validFrom, validUntil }) }
  return { source, target, ...claim, requestedAt, attempts: 0 }
}

/** An agent's word that two blocks do not belong together; `from` < `to`. */
export interface Disconnection {
  readonly from: string
  readonly to: string
  /** Active hours. */
  readonly at: number
  readonly reason?: string
}

/** Kind of an open pair. */
type PairKind = 'near_duplicate' | 'perhaps_newer' | 'supersession' | 'contradiction'

/** The kinds of pairs that say something about the order of two blocks; the others say that they are alike. */
export const TOLD_KINDS: readonly PairKind[] = ['supersession', 'contradiction']

/** Two blocks about the same thing: nearly equal texts, one that takes the other's place, or texts that contradict each other. */
export interface BlockPair {
  readonly a: string
  readonly b: string
  /** A pair of the kind `perhaps_newer` is a guess: it moves and hides nothing. */
  readonly kind: PairKind
  /** Cosine of the contents for near duplicates, confidence or probability for the others; 0..1. */
  readonly score: number
  /** Who found it: `similarity`, `score`, `model`, `host`, `agent`, `owner`, `hint`, or a rule such as `rule:number`. */
  readonly foundBy?: string
  readonly resolved: boolean
  /** ISO-8601 UTC. */
  readonly createdAt: string
}

/** The canonical order of a pair's ends. */
export function orderedPair(one: string, other: string): Ends {
  return one < other ? [one, other] : [other, one]
}

/** The first pairs among the ids, at most `limit`, in canonical order; earlier ids are joined first. */
export function pairsAmong(ids: readonly string[], limit = Number.POSITIVE_INFINITY): Ends[] {
  const pairs: Ends[] = []
  for (const [at, id] of ids.entries())
    for (const earlier of ids.slice(0, at)) {
      if (pairs.length >= limit) return pairs
      pairs.push(orderedPair(earlier, id))
    }
  return pairs
}

/** Returns the open pair for an edge that contradicts; `resolve` settles it. */
export function contradictionOf({ from, to, weight, createdAt }: Edge, foundBy: string): BlockPair {
  return { a: from, b: to, kind: 'contradiction', score: weight, foundBy, resolved: false, createdAt }
}

/** Returns the open pair of a block and the one whose place it takes, as was said of it. */
export function replacingPair(newer: Identified, older: Identified, createdAt: string): BlockPair {
  const [a, b] = orderedPair(newer.id, older.id)
  return { a, b, kind: 'supersession', score: 1, foundBy: 'hint', resolved: false, createdAt }
}

interface Identified {
  readonly id: string
}

/** Returns the edge that use makes between two blocks that were recalled together repeatedly. */
export function coOccurrenceEdge(
  [from, to]: Ends,
  made: { readonly weight: number; readonly hours: number; readonly at: string },
): Edge {
  return {
    from,
    to,
    relation: 'co_occurs',
    origin: 'co_retrieval',
    weight: made.weight,
    reinforcementCount: 0,
    lastActiveAt: made.hours,
    createdAt: made.at,
  }
}

/** Returns the ends of an edge in the order in which its relation was said; as they are stored if nobody said it. */
export function saidEnds({ from, to, declaredBy }: Pick<Edge, 'from' | 'to' | 'declaredBy'>): Ends {
  return declaredBy === to ? [to, from] : [from, to]
}

/** Relations that say the same from both ends. */
const MUTUAL: ReadonlySet<string> = new Set(['similar', 'co_occurs', 'outcome', 'contradicts'])

/** Returns the relation of an edge as it reads from one of its ends: an arrow stands before what was said of the other end. */
export function relationFrom(
  end: string,
  { relation, declaredBy }: Pick<Edge, 'relation' | 'declaredBy'>,
): string {
  const isOfOther = declaredBy !== undefined && declaredBy !== end && !MUTUAL.has(relation)
  return isOfOther ? `← ${relation}` : relation
}

/** Constants of the decay of edges. */
interface EdgeDecayOptions {
  /** An edge fades at this share of the slower of its ends. */
  readonly share: number
  /** Least number of uses of an established edge. */
  readonly establishedAt: number
  /** Factor on the decay of an established edge, 0..1. */
  readonly establishedShare: number
}

/** Constants of the graph, each with its reason. */
export const GRAPH = {
  /** Weight that one more outcome adds to an edge. */
  edgeStep: 0.1,
  /** Weight below which curate drops an edge that nobody asserted. */
  pruneBelow: 0.1,
  /** Weight of a first outcome edge, times the signal; leaves room to grow. */
  outcomeWeight: 0.8,
  /** Pairs that one report joins, as all pairs of k blocks would be quadratic. */
  outcomePairs: 10,
  /** Active hours in which nothing but an agent joins again what an agent has disconnected. */
  disconnectHours: 200,
  /** Curations after which a connection that found no room is dropped, and said to be. */
  pendingAttempts: 10,
  /** More waiting connections than this mean that hubs are full of protected edges. */
  pendingAlert: 20,
  /** Weight of an edge of blocks that were returned together; weaker than anything said or reported. */
  togetherWeight: 0.55,
  /** Weight of such an edge if the two are far apart in meaning (lifecycle bench). */
  togetherApartWeight: 0.8,
  /** Best blocks of an answer that are paired; what stands fifth says less (lifecycle bench). */
  togetherBlocks: 4,
  /** Pairs that wait to be joined by use, at most. */
  togetherPairs: 1_000,
  /** Active minutes in which the same question asked again is counted once. */
  togetherMinutes: 10,
  /** Distance of a weight from what its relation usually has, from which a warning is given. */
  weightWarnDistance: 0.3,
  /** Suggested connections of an answer; more flood it. */
  suggestions: 3,
  /** Share of the active blocks, the best joined, that count as wholly central. */
  centralShare: 0.05,
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
 * An edge that an agent asserted never fades. The stored weight is never rewritten, so decay is not applied twice.
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

/** Share of a block's similarity that an edge hands on: `effectiveEdgeWeight` capped at 1, no decay in it (docs/benchmarks.md, learning). */
function edgeStrength(edge: Weighed): number {
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
 * Centrality of a block of this strength in its corpus, 0..1: a share of `scale`, the strength of one of the best joined
 * blocks, so that it does not depend on the other blocks of an answer. 0 where nothing is joined.
 */
export function corpusCentrality(strength: number, scale: number): number {
  return scale > 0 ? Math.min(1, strength / scale) : 0
}

/** Weight of an edge after one more use: min(1, weight + step) (Python elfmem). */
export function reinforcedWeight(weight: number, step: number): number {
  return Math.min(1, weight + step)
}

/** Effect of a good outcome on the edge between two blocks that helped together. */
interface OutcomeEdgeOptions {
  /** Factor of the signal for the weight of a new edge. */
  readonly scale: number
  /** Factor of the signal for the gain of an existing edge. */
  readonly delta: number
}

/** Weight of an edge after an outcome: scale·signal when new, min(1, weight + delta·signal) when it exists (Python elfmem). */
export function outcomeEdgeWeight(
  signal: number,
  existingWeight: number | undefined,
  options: OutcomeEdgeOptions,
): number {
  if (existingWeight === undefined) return signal * options.scale
  return reinforcedWeight(existingWeight, signal * options.delta)
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
