import { type Block, CONSTITUTIONAL_TAG, ITEM, isConstitutional, matchesTag } from '../block/block.ts'
import { CONTRADICTS, type Edge } from '../graph/edge.ts'

// Belief is one Beta distribution a block: seed "core", sections 5 and 1.6.

/** The constants of belief decide how a report changes a block. */
export const BELIEF = {
  /** Signal above which an outcome counts as useful. */
  usefulAbove: 0.5,
  /** Signal below which a block also fades faster. */
  misledBelow: 0.2,
  /** Factor on the decay rate for each bad outcome. */
  penaltyFactor: 2,
  /** Decay per active hour above which no outcome raises it: the rate of an observation. */
  decayMost: 0.05,
  /** Decay per active hour at or below which no outcome raises it: the rate of durable and permanent blocks. */
  immuneAt: 0.001,
  /** Newest reports that are kept of a block; the effect of older ones stays in its counts. */
  reportsKept: 200,
} as const

/** A Beta distribution tells how likely a block helps, by counts for and against with the prior included. */
export type Beta = { readonly alpha: number; readonly beta: number }

/** Sums of outcome signals about one block, without any prior, and the judgement of a model or host, 0..1. */
type Judged = Pick<Block, 'successes' | 'failures' | 'alignment'>

/** One report: `signal` 0 (misled) .. 1 (helped), counted `weight` > 0 times. */
type Report = { readonly signal: number; readonly weight: number }

/** Returns the Beta after one report: α + signal·weight, β + (1 − signal)·weight (Python elfmem). */
export function updateBeta({ alpha, beta }: Beta, { signal, weight }: Report): Beta {
  return { alpha: alpha + signal * weight, beta: beta + (1 - signal) * weight }
}

/** Returns the mean of a Beta, α / (α + β), 0..1; 0.5 if nothing is known at all. */
export function betaMean({ alpha, beta }: Beta): number {
  return alpha + beta > 0 ? alpha / (alpha + beta) : 0.5
}

/** Returns the evidence after one report, by the same arithmetic as `updateBeta`, without the prior. */
export function updateEvidence({ successes, failures }: Judged, report: Report) {
  const { alpha, beta } = updateBeta({ alpha: successes, beta: failures }, report)
  return { successes: alpha, failures: beta }
}

/** Returns the Beta of a block: its alignment (0.5 when never judged) as a prior of mass 1, plus the evidence (Python elfmem). */
export function betaOf({ alignment = 0.5, successes, failures }: Judged): Beta {
  return { alpha: alignment + successes, beta: 1 - alignment + failures }
}

/** Returns the confidence for people and for the self frame: the mean of the block's Beta, 0..1. */
export function confidenceOf(block: Judged): number {
  return betaMean(betaOf(block))
}

/**
 * Returns a small bonus for uncertainty: .05·sqrt(αβ / ((α+β)²(α+β+1))), 0...025 (Python elfmem). An α or β of 0 is certainty and gives 0;
 * the reference read it as 0.5.
 */
export function explorationBonus({ alpha, beta }: Beta): number {
  if (alpha <= 0 || beta <= 0) return 0
  const total = alpha + beta
  return 0.05 * Math.sqrt(((alpha / total) * (beta / total)) / (total + 1))
}

// Decay follows seed "core", section 1.6. Time is active hours of the memory.

/** The decay tiers tell how fast a kind of block fades, from slowest to fastest. */
export const DECAY_TIERS = ['permanent', 'durable', 'standard', 'ephemeral'] as const
export type DecayTier = (typeof DECAY_TIERS)[number]

/** The decay of each tier, per active hour. */
type DecayRates = Readonly<Record<DecayTier, number>>

/**
 * The tags and categories of each tier put a block into it, and the first match counts: constitution and texts of items, durable identity
 * and `mind`, `observation` (Python elfmem). A block without a match is `standard`.
 */
export const TIER_REASONS: readonly {
  readonly tier: DecayTier
  readonly tags: readonly string[]
  readonly categories: readonly string[]
}[] = [
  { tier: 'permanent', tags: [CONSTITUTIONAL_TAG], categories: [ITEM] },
  { tier: 'durable', tags: ['self/value', 'self/constraint', 'self/goal'], categories: ['mind'] },
  { tier: 'ephemeral', tags: [], categories: ['observation'] },
]

type Filed = Pick<Block, 'tags' | 'category'>

/** Returns the decay tier of a block. */
export function decayTier(tags: readonly string[], category: string): DecayTier {
  const reason = TIER_REASONS.find(
    (each) => each.categories.includes(category) || each.tags.some((tag) => tags.includes(tag)),
  )
  return reason?.tier ?? 'standard'
}

/** Returns the decay of a block's tier, per active hour: the rate without penalties. */
export function tierLambda({ tags, category }: Filed, rates: DecayRates): number {
  return rates[decayTier(tags, category)]
}

/** Returns the block with other tags or another category. A new tier changes its decay, which ends a penalty. */
export function setTags(block: Block, change: Partial<Filed>, rates: DecayRates): Block {
  const changed = { ...block, ...change }
  const lambda = tierLambda(changed, rates)
  return lambda === tierLambda(block, rates) ? changed : { ...changed, decayLambda: lambda }
}

/** Returns the share left after active hours, exp(−λ·max(0, hours)), 0..1 (Python elfmem; a gap below 0 is 0). */
export function recency(lambda: number, hours: number): number {
  return Math.exp(-lambda * Math.max(0, hours))
}

/** Returns the decay after one bad outcome: min(λ·factor, ceiling), never below λ; immune blocks keep theirs (Python elfmem). */
export function penalisedLambda(
  lambda: number,
  {
    factor,
    ceiling,
    immuneAt,
  }: { readonly factor: number; readonly ceiling: number; readonly immuneAt: number },
): number {
  return lambda <= immuneAt ? lambda : Math.max(lambda, Math.min(lambda * factor, ceiling))
}

/** Returns the decay after one good outcome: max(tier's λ, λ / factor), never above λ, so that a penalty does not last for ever. */
export function recoveredLambda(lambda: number, ofTier: number, factor: number): number {
  return Math.min(lambda, Math.max(ofTier, lambda / factor))
}

/** A fade rule has the decay per active hour up to which no block becomes faint, and the freshness (0..1) below which others do. */
export type FadeRule = { readonly permanent: number; readonly floor: number }

type Fading = Pick<Block, 'decayLambda' | 'lastReinforcedAt'>

export function fadeRule(settings: {
  readonly memory: { readonly archiveRecency: number }
  readonly decay: { readonly permanent: number }
}): FadeRule {
  return { permanent: settings.decay.permanent, floor: settings.memory.archiveRecency }
}

/** Returns the freshness of a block at an active hour, 0..1: 1 just after its last use. */
export function freshnessOf({ decayLambda, lastReinforcedAt }: Fading, hours: number): number {
  return recency(decayLambda, hours - lastReinforcedAt)
}

/** Returns true if a curation at that active hour would archive the block, as far as its freshness decides. */
export function isFaint(block: Fading, { permanent, floor }: FadeRule, hours: number): boolean {
  return block.decayLambda > permanent && freshnessOf(block, hours) < floor
}

export function mayFade({ status, tags }: Pick<Block, 'status' | 'tags'>): boolean {
  return status === 'active' && !isConstitutional(tags)
}

/**
 * Returns the active hours until an unused block is archived, 0 if that is due; undefined if it never is. A bridge of the graph stays
 * longer, which only a walk over the whole graph can tell.
 */
export function hoursUntilArchived(
  block: Fading & Pick<Block, 'status' | 'tags'>,
  { permanent, floor }: FadeRule,
  hours: number,
): number | undefined {
  if (!mayFade(block) || block.decayLambda <= permanent || floor <= 0) return undefined
  return Math.max(0, block.lastReinforcedAt - Math.log(floor) / block.decayLambda - hours)
}

// Scores are additive without a question, as in the seeds ("core", section 4), and multiplying for questions, which is ours.

/** A score term is one line of a score's explanation. */
export interface ScoreTerm {
  readonly name: string
  /** The signal as it was measured. */
  readonly value: number
  /** Part of the score from this signal; the amounts of all terms add up to the score. */
  readonly amount: number
}

const SIGNALS = ['similarity', 'confidence', 'recency', 'centrality', 'reinforcement'] as const

/** The five signals of the additive score, each 0..1. */
type ScoreSignals = Readonly<Record<(typeof SIGNALS)[number], number>>

/** Frame weights tell how much each signal counts in a frame: each ≥ 0, together 1. */
export type FrameWeights = ScoreSignals

/**
 * Returns the additive score (Python elfmem): (weights · signals + exploration) · boost, at most 1.025 · boost. `terms` lists the part of
 * each signal, and their amounts sum to `score`.
 */
export function compositeScore(
  signals: ScoreSignals,
  weights: FrameWeights,
  { belief, boost = 1 }: { readonly belief: Beta; readonly boost?: number },
): { readonly score: number; readonly terms: readonly ScoreTerm[] } {
  const bonus = explorationBonus(belief)
  const terms: ScoreTerm[] = SIGNALS.map((name) => {
    return { name, value: signals[name], amount: weights[name] * signals[name] * boost }
  })
  terms.push({ name: 'exploration', value: bonus, amount: bonus * boost })
  return { score: sumOf(terms), terms }
}

function sumOf(terms: readonly ScoreTerm[]): number {
  return terms.reduce((sum, { amount }) => sum + amount, 0)
}

/**
 * Returns the weights of a frame without a question: similarity 0, the others divided by their sum (Python elfmem). A frame that weighs
 * nothing but similarity keeps zeros.
 */
export function renormalisedWeights(weights: FrameWeights): FrameWeights {
  const rest = weights.confidence + weights.recency + weights.centrality + weights.reinforcement
  const share = (weight: number): number => (rest > 0 ? weight / rest : 0)
  const shares = SIGNALS.map((name) => [name, name === 'similarity' ? 0 : share(weights[name])] as const)
  return Object.fromEntries(shares) as FrameWeights
}

/** Returns a reinforcement count relative to the greatest one: ln(1 + count) / ln(1 + max), 0..1, 0 if max is 0. */
export function reinforcementNorm(count: number, max: number): number {
  return max <= 0 ? 0 : Math.log1p(Math.min(count, max)) / Math.log1p(max)
}

/** Returns the centrality; a fresh block that had no time to get edges has at least half of its recency (Python elfmem). */
export function effectiveCentrality(raw: number, recency: number): number {
  return raw < 0.1 && recency > 0.7 ? Math.max(raw, recency / 2) : raw
}

/**
 * Returns the factor by which a block counts in a frame: the greatest that fits it, 1 if none does (Python elfmem).
 *
 * @param boosts factors above 0 by `tag:<prefix>` (any tag that starts so) or by category
 */
export function scoreBoost({ tags, category }: Filed, boosts: Readonly<Record<string, number>>): number {
  const fits = (key: string): boolean =>
    key.startsWith('tag:') ? tags.some((tag) => matchesTag(`${key.slice(4)}*`, tag)) : category === key
  const factors = Object.entries(boosts).flatMap(([key, factor]) => (fits(key) ? [factor] : []))
  return factors.length === 0 ? 1 : Math.max(...factors)
}

/** Learned signals are the signals of the multiplying score. */
export interface LearnedSignals {
  /** Strength of the match, normalised over the candidates, 0..1. */
  readonly similarity: number
  /** Evidence about the block after all questions, −1..1. */
  readonly general: number
  /** Evidence about the block after such questions, −1..1. */
  readonly own: number
  /** Recency of the last outcome that said that the block helped, or of its promotion, 0..1. */
  readonly recency: number
}

/** Limits of the change that experience makes to a score. */
interface LearnedWeights {
  /** Largest weight of general evidence, 0..1: `belief` of the frame; 0 switches experience off. */
  readonly beliefWeight: number
  /** Weight of recency, 0..1; 0 switches it off. */
  readonly recencyWeight: number
  /** Match strength that general evidence may make up for, times the trust in it. */
  readonly reach: number
  /** Match strength that evidence about such questions may make up for. */
  readonly ownReach: number
  /** Normalised similarity in a unit of match strength. */
  readonly slope: number
}

/**
 * Returns the score of a query frame (ours, docs/learning.md): s · (1 + w·general + w/beliefWeight·recencyWeight·recency) +
 * slope·ownReach·own, with w = min(beliefWeight, reach·slope). Experience moves a block by a bounded share of match strength, so that clear
 * matches stay ahead. The amounts of `terms` sum to `score`.
 */
export function learnedScore(
  { similarity, general, own, recency }: LearnedSignals,
  { beliefWeight, recencyWeight, reach, ownReach, slope }: LearnedWeights,
): { readonly score: number; readonly terms: readonly ScoreTerm[] } {
  const weight = Math.min(beliefWeight, reach * slope)
  const share = beliefWeight > 0 ? weight / beliefWeight : 1
  // One report brings a block to the front, and no report lets it fall out of sight.
  const asked = Math.min(0.6, Math.max(-0.3, slope * ownReach * own))
  const terms = [
    { name: 'similarity', value: similarity, amount: similarity },
    { name: 'belief', value: general, amount: similarity * weight * general },
    { name: 'recency', value: recency, amount: similarity * share * recencyWeight * recency },
    ...(own === 0 || beliefWeight === 0 ? [] : [{ name: 'asked', value: own, amount: asked }]),
  ]
  return { score: sumOf(terms), terms }
}

// Edges follow seed 003, sections 4.2, 4.5 and 4.6; expansion follows seeds 000 to 002.

/** Returns |A∩B| / |A∪B| of two lists as sets, 0..1; 0 if both are empty. */
export function jaccard(a: Iterable<string>, b: Iterable<string>): number {
  const [left, right] = [new Set(a), new Set(b)]
  const shared = [...left].filter((each) => right.has(each)).length
  return shared === 0 ? 0 : shared / (left.size + right.size - shared)
}

/** Returns how near two times are: exp(−Δh² / (2·sigma²)) of active hours, 0..1. */
export function temporalProximity(hoursA: number, hoursB: number): number {
  const gap = (hoursA - hoursB) / EDGE_SCORE.sigmaHours
  return Math.exp(-(gap * gap) / 2)
}

/** An edge score is a mixture of four parts (seed 003, section 4.5); its four weights sum to 1. */
export const EDGE_SCORE = {
  /** Cosine below which there is no edge. */
  cosineFloor: 0.5,
  cosineWeight: 0.55,
  tagWeight: 0.2,
  categoryWeight: 0.15,
  timeWeight: 0.1,
  /** Score of a different category; the same one scores 1. */
  otherCategory: 0.3,
  /** Width of temporal proximity in active hours: about a working day. */
  sigmaHours: 8,
}

/** One end of a possible edge, with its time in active hours. */
type EdgeEnd = Filed & { readonly hours: number }

/** Returns how closely two blocks are related: by cosine, shared tags, same category and nearness in time, 0..1. */
export function compositeEdgeScore(cosine: number, a: EdgeEnd, b: EdgeEnd, options = EDGE_SCORE): number {
  const near = Math.min(1, Math.max(0, cosine))
  if (near < options.cosineFloor) return 0
  const tags = options.tagWeight * jaccard(a.tags, b.tags)
  const category = options.categoryWeight * (a.category === b.category ? 1 : options.otherCategory)
  const time = options.timeWeight * temporalProximity(a.hours, b.hours)
  return Math.min(1, options.cosineWeight * near + tags + category + time)
}

/** Returns the weight of an edge after one more use: min(1, weight + step) (seed 003, section 4.2). */
export function reinforcedWeight(weight: number, step: number): number {
  return Math.min(1, weight + step)
}

/** Returns the weight of an edge after an outcome: scale·signal for a new one, else min(1, weight + delta·signal) (section 4.2). */
export function outcomeEdgeWeight(
  signal: number,
  existingWeight: number | undefined,
  { scale, delta }: { readonly scale: number; readonly delta: number },
): number {
  if (existingWeight === undefined) return signal * scale
  return reinforcedWeight(existingWeight, signal * delta)
}

/** Returns the decay of an edge per active hour: half that of its slower end, a quarter from ten uses on (section 4.6). */
export function edgeLambda(lambdaA: number, lambdaB: number, uses: number): number {
  return Math.min(lambdaA, lambdaB) * (uses >= 10 ? 0.25 : 0.5)
}

/**
 * Returns the present weight of an edge, 0..1: weight·exp(−λ·hours since its last use) (section 4.6). An edge without a last use, or one
 * that an agent asserted, never fades. The stored weight is never rewritten, so decay is not applied twice.
 *
 * @param lambdas decay of both ends per active hour
 */
export function edgeWeightNow(
  edge: Pick<Edge, 'weight' | 'origin' | 'reinforcementCount' | 'lastActiveAt'>,
  [one, other]: readonly [number, number],
  hours: number,
): number {
  if (edge.lastActiveAt === undefined || edge.origin === 'agent') return edge.weight
  const lambda = edgeLambda(one, other, edge.reinforcementCount)
  return edge.weight * recency(lambda, hours - edge.lastActiveAt)
}

/** Returns true if an edge is too weak to keep at any age: below the threshold, never used, and not an agent's. */
export function isWeakEdge(
  { origin, weight, reinforcementCount }: Pick<Edge, 'weight' | 'origin' | 'reinforcementCount'>,
  pruneBelow: number,
): boolean {
  return origin !== 'agent' && reinforcementCount === 0 && weight < pruneBelow
}

type Weighed = Pick<Edge, 'weight' | 'reinforcementCount'>

/** Returns the weight with use: weight + .1·ln(1 + count), unbounded; for degrees and centrality only (Python elfmem). */
export function effectiveEdgeWeight({ weight, reinforcementCount }: Weighed): number {
  return weight + 0.1 * Math.log1p(reinforcementCount)
}

/** Returns the sum of effective weights of the edges at each id, 0 for ids without one; other ends are not counted. */
export function weightedDegree(
  ids: readonly string[],
  edges: readonly (Weighed & Pick<Edge, 'from' | 'to'>)[],
): ReadonlyMap<string, number> {
  const degrees = new Map(ids.map((id) => [id, 0]))
  for (const edge of edges)
    for (const id of [edge.from, edge.to]) {
      const degree = degrees.get(id)
      if (degree !== undefined) degrees.set(id, degree + effectiveEdgeWeight(edge))
    }
  return degrees
}

/** Returns the centrality of a block, 0..1: its degree as a share of `scale`, the degree of one of the best joined blocks. */
export function corpusCentrality(degree: number, scale: number): number {
  return scale > 0 ? Math.min(1, degree / scale) : 0
}

/**
 * Returns the degree from which a faded block counts as a bridge and is kept (Python elfmem, block archival): the value at the quantile .8
 * of the nonzero degrees in ascending order; 0 if no block has an edge.
 */
export function bridgeThreshold(degrees: readonly number[]): number {
  const linked = degrees.filter((degree) => degree > 0).sort((a, b) => a - b)
  return linked[Math.floor(linked.length * 0.8)] ?? 0
}

/**
 * Returns the share of a similarity that an edge of this relation hands on, 0..1, before its strength; 0 for `contradicts`, which is an
 * objection and never support.
 *
 * @param shares by relation; `other` for relations that an agent names itself
 */
export function relationShare(
  { relation }: Pick<Edge, 'relation'>,
  shares: Readonly<Record<string, number>>,
): number {
  if (relation === CONTRADICTS) return 0
  return (Object.hasOwn(shares, relation) ? shares[relation] : shares.other) ?? 0
}

/**
 * Returns the similarity of a block that matches by itself and is joined to a better match, 0..1: the greater of the two, plus the share
 * `agreement` (0..1) of the lesser in the rest up to 1. Two witnesses say more than one (docs/benchmarks.md).
 */
export function jointSimilarity(own: number, inherited: number, agreement: number): number {
  const [low, high] = own < inherited ? [own, inherited] : [inherited, own]
  return high + agreement * low * (1 - high)
}

/** A seed is a block whose similarity, 0..1, is handed on. */
export type Seed = { readonly id: string; readonly similarity: number }

/** A block that inherits similarity along an edge from a seed: 0..1, never above the seed's. */
type Inherited = Seed & { readonly seed: string; readonly edge: Edge }

/**
 * Returns the neighbours of some seeds, one step along the edges. Each inherits similarity · strength of the edge · share of its relation
 * from the seed that gives it most; strength is min(1, weight with use), without decay (docs/benchmarks.md).
 *
 * @param most edges followed from each seed, those with the largest shares
 */
export function expandNeighbours(
  seeds: readonly Seed[],
  edges: readonly Edge[],
  { shareOf, most }: { readonly shareOf: (edge: Edge) => number; readonly most: number },
): Inherited[] {
  const best = new Map<string, Inherited>()
  for (const { id: seed, similarity } of seeds) {
    const followed = edges
      .filter(({ from, to }) => from === seed || to === seed)
      .map((edge) => ({ edge, share: Math.min(1, effectiveEdgeWeight(edge)) * shareOf(edge) }))
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

const MS_PER_HOUR = 3_600_000

export interface ClockState {
  /** Active hours since the memory was born. */
  readonly hours: number
  /** Wall time of the last operation, in milliseconds since 1970; absent before the first. */
  readonly wallMs?: number
}

/**
 * Returns the clock at an operation: hours + clamp(now − wall, 0, gapCap), so that holidays do not age the memory and the hours never fall.
 * The first operation, and a wall clock that was set back, add nothing and only set the new wall time.
 *
 * @param options.gapCapMs longest pause that counts as active time, in milliseconds
 */
export function advance(
  state: ClockState,
  nowMs: number,
  { gapCapMs }: { readonly gapCapMs: number },
): Required<ClockState> {
  const gap = state.wallMs === undefined ? 0 : nowMs - state.wallMs
  const counted = Math.min(Math.max(0, gap), gapCapMs) / MS_PER_HOUR
  return { hours: state.hours + counted, wallMs: nowMs }
}
