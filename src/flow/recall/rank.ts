import type { FrameSettings } from '../../config/frames.ts'
import type { Settings } from '../../config/settings.ts'
import type { BlockFacts } from '../../domain/block/block.ts'
import type { Edge } from '../../domain/graph/edge.ts'
import {
  expandByPageRank,
  expandNeighbours,
  type Inherited,
  jointSimilarity,
  relationShare,
} from '../../domain/graph/expansion.ts'
import { recency } from '../../domain/score/experience.ts'
import {
  learnedScore,
  normalisedBeside,
  normalisedSlope,
  normaliseOverCandidates,
  type ScoreTerm,
  scoreBoost,
} from '../../domain/score/score.ts'
import { type Filter, passesFilter } from '../../search/index/blocks.ts'
import type { Match } from '../../search/question.ts'

/** Scores that agree so far are the same: what is left is rounding and the seconds between two promotions. */
const SAME_SCORE = 1e4

/** A block on its way into an answer. */
export interface Candidate {
  readonly facts: BlockFacts
  readonly score: number
  /** Terms of the score; their amounts sum to it. */
  readonly terms: readonly ScoreTerm[]
  /** How it matched the question; absent without one, or when only the graph brought it. */
  readonly match?: Match
  /** How an edge brought it, when its own match would not have. */
  readonly path?: ExpansionPath
}

/** The match an edge started from, and the edge. */
interface ExpansionPath {
  readonly seed: string
  readonly relation: string
  /** As stored, 0..1. */
  readonly weight: number
}

/** A trace of the step over a name by which a block was found. */
export interface ThroughName {
  /** The name that led to a block, as a better match has it, and that match; absent where none did. */
  readonly through?: { readonly name: string; readonly block: string }
}

/** Why a candidate is not in the answer; `nothing`: nothing bears on the question. */
export type DropReason = 'top_k' | 'token_budget' | 'versions' | 'nothing' | 'without' | 'class'

/** A candidate that is not in the answer, and the reason. */
export interface Dropped {
  readonly id: string
  readonly reason: DropReason
  readonly score: number
}

/** Best score first; of equal ones the older, so that an answer never depends on chance. */
export function byScore(a: Candidate, b: Candidate): number {
  return (
    Math.round(b.score * SAME_SCORE) - Math.round(a.score * SAME_SCORE) ||
    a.facts.createdAt.localeCompare(b.facts.createdAt) ||
    a.facts.position - b.facts.position ||
    (a.facts.id < b.facts.id ? -1 : 1)
  )
}

/** The facts that decide the scores of one ranking, besides the matches themselves. */
export interface RankContext {
  readonly frame: FrameSettings
  readonly settings: Settings
  /** Active hours now. */
  readonly hours: number
  readonly filter: Filter
  /** Edges around the matches, strongest stored weight first. */
  readonly edges: readonly Edge[]
  readonly factsOf: (id: string) => BlockFacts | undefined
  /** How far experience with other questions is trusted, 0..1. */
  readonly trust: number
  /** How a block did whatever was asked, −1..1. */
  readonly generalOf: (id: string) => number
  /** How blocks did when such a question was asked, −1..1; those of which nothing is known are absent. */
  readonly own: ReadonlyMap<string, number>
  /** 0..1, of a block in the whole corpus; asked only by a frame that weighs it. */
  readonly centralityOf: (id: string) => number
}

/**
 * From matches to candidates (docs/retrieval.md 6): their ranks are stretched over the pool, belief and the recency
 * of useful outcomes multiply, and the best hand part of their similarity on along edges.
 */
export function rankMatches(matches: readonly Match[], context: RankContext): Candidate[] {
  const { agreement } = context.settings.recall
  const scored = scoreAll(matches, context)
  const slope = slopeOf(matches, context)
  const found = new Map(scored.map((candidate) => [candidate.facts.id, candidate]))
  for (const inherited of expand(seedsOf(scored, context), context)) {
    const facts = context.factsOf(inherited.id)
    if (!facts || !passesFilter(facts, context.filter)) continue
    const known = found.get(inherited.id)
    const own = known?.terms[0]?.value ?? 0
    const similarity = jointSimilarity(own, inherited.similarity, agreement)
    const { seed, edge } = inherited
    found.set(
      inherited.id,
      score(
        facts,
        similarity,
        { ...context, slope },
        {
          ...(known?.match ? { match: known.match } : {}),
          ...(own < inherited.similarity
            ? { path: { seed, relation: edge.relation, weight: edge.weight } }
            : {}),
        },
      ),
    )
  }
  return [...found.values()].sort(byScore)
}

/**
 * Matches that were not weighed, as they would have been among those that were: on the scale of that pool, by belief and what was
 * reported, and without what edges bring, since whatever an edge of the best reaches was weighed.
 */
export function weighBeside(
  more: readonly Match[],
  pool: readonly Match[],
  context: RankContext,
): readonly Candidate[] {
  // Most answers leave nothing out, and the scale is another pass over the pool.
  if (more.length === 0) return []
  const ranks = ranksOf(pool, context)
  const scaled = { ...context, slope: slopeOf(pool, context) }
  return more.map((match) => {
    const similarity = normalisedBeside(match.rank, ranks, context.settings.recall.normalisationFloor)
    return score(match.facts, similarity, scaled, { match })
  })
}

/** Blocks one step from the blocks that will hand on, along edges that hand on anything: where a walk takes its second. */
export function firstSteps(matches: readonly Match[], context: RankContext): string[] {
  const seeds = new Set(seedsOf(scoreAll(matches, context), context).map(({ facts }) => facts.id))
  const shareOf = sharesOf(context)
  const handing = context.edges.filter(
    (edge) => (seeds.has(edge.from) || seeds.has(edge.to)) && shareOf(edge) > 0,
  )
  return handing.flatMap(({ from, to }) => [from, to])
}

function scoreAll(matches: readonly Match[], context: RankContext): Candidate[] {
  const similarities = normaliseOverCandidates(
    ranksOf(matches, context),
    context.settings.recall.normalisationFloor,
  )
  const scaled = { ...context, slope: slopeOf(matches, context) }
  return matches.map((match, i) => score(match.facts, similarities[i] as number, scaled, { match }))
}

/** A pool that is not full ends at nothing: two good matches in a small memory are both good. */
function ranksOf(matches: readonly Match[], { settings }: RankContext): number[] {
  return [...matches.map(({ rank }) => rank), ...(matches.length < settings.recall.pool ? [0] : [])]
}

function slopeOf(matches: readonly Match[], context: RankContext): number {
  return normalisedSlope(ranksOf(matches, context), context.settings.recall.normalisationFloor)
}

function seedsOf(scored: readonly Candidate[], { settings }: RankContext): Candidate[] {
  return [...scored].sort(byScore).slice(0, settings.recall.expansionSeeds)
}

/** Returns what seeds hand on along edges; by default not along similarity edges, whose ends match anyway. */
function expand(seeds: readonly Candidate[], context: RankContext): Inherited[] {
  const { expansion, expansionNeighbours } = context.settings.recall
  if (expansion === 'off') return []
  const shareOf = sharesOf(context)
  const from = seeds.map(({ facts, terms }) => ({ id: facts.id, similarity: terms[0]?.value ?? 0 }))
  return expansion === 'pagerank'
    ? expandByPageRank(from, context.edges, { shareOf })
    : expandNeighbours(from, context.edges, { shareOf, most: expansionNeighbours })
}

function sharesOf({ frame, settings }: RankContext): (edge: Edge) => number {
  const { expansionFactor, expandSimilarity, relations } = settings.recall
  const shares = { ...relations, ...frame.relations }
  return (edge) =>
    edge.origin === 'similarity' && !expandSimilarity ? 0 : expansionFactor * relationShare(edge, shares)
}

function score(
  facts: BlockFacts,
  similarity: number,
  {
    frame,
    settings,
    hours,
    centralityOf,
    trust,
    generalOf,
    own,
    slope,
  }: RankContext & { readonly slope: number },
  found: Pick<Candidate, 'match' | 'path'>,
): Candidate {
  const learned = learnedScore(
    {
      similarity,
      general: generalOf(facts.id),
      own: own.get(facts.id) ?? 0,
      recency: recency(settings.decay.standard, hours - facts.lastUsefulAt),
      centrality: frame.centrality > 0 ? centralityOf(facts.id) : 0,
    },
    {
      // What has foretold nothing moves little, also where all matches are weak.
      beliefWeight: frame.belief * trust,
      recencyWeight: frame.recency,
      centralityWeight: frame.centrality,
      reach: settings.learning.reach * trust,
      ownReach: settings.learning.ownReach,
      slope,
    },
  )
  const boost = scoreBoost(facts, frame.boosts)
  const boosted = learned.score * boost
  return {
    facts,
    score: boosted,
    terms:
      boost === 1
        ? learned.terms
        : [...learned.terms, { name: 'boost', value: boost, amount: boosted - learned.score }],
    ...found,
  }
}
