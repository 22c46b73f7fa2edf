import { type BlockFacts, isIdentityTag, isOwn } from '../block/block.ts'
import type { Engine } from '../engine/engine.ts'
import type { Frame } from '../engine/frames.ts'
import { type Edge, TOLD_KINDS } from '../graph/edge.ts'
import { readCentrality } from '../graph/joins.ts'
import { type Filter, passesFilter } from '../index/blocks.ts'
import { type Match, type RankScale, rankScale } from '../index/rank.ts'
import { ownEvidenceOf } from '../outcome/experience.ts'
import {
  betaOf,
  compositeScore,
  confidenceOf,
  effectiveCentrality,
  expandNeighbours,
  jointSimilarity,
  learnedScore,
  recency,
  reinforcementNorm,
  relationShare,
  renormalisedWeights,
  scoreBoost,
  weightedDegree,
} from '../outcome/formulas.ts'
import { type Links, readLinks } from '../store/graph.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import {
  type Asked,
  type Asking,
  type Candidate,
  candidateOf,
  type Dropped,
  type MatchQuality,
  RECALL,
} from './match.ts'

/** Certainty of an answer, and notes on it. */
export interface Asserted {
  readonly quality: MatchQuality
  /** Strength of the strongest match, 0..1; absent without a question. */
  readonly strength?: number | undefined
  /** Chance that the answer bears on the question, 0..1; absent without a question. */
  readonly probability?: number | undefined
  /** Reason why words alone were used; absent if vectors were used, too. */
  readonly wordsOnly?: string | undefined
}

/** The record of a recall once its candidates are scored, best first. */
export interface Ranked extends Asking, Asserted, Links {
  readonly candidates: readonly Candidate[]
  /** Blocks that the frame always shows. */
  readonly guaranteed: readonly Candidate[]
  /** Candidates left out: at first all matches of a question that nothing bears on; each stage adds its own. */
  readonly dropped: readonly Dropped[]
  /** Scores matches as they would have been scored among the candidates, on the scale of these. */
  readonly weigh?: (more: readonly Match[]) => readonly Candidate[]
}

/** Without a question so many of the best blocks by all but their edges, and of the best joined, are looked up. */
const NO_QUERY_POOL = 60

/**
 * Scores what matches by experience and by edges, or all blocks by their worth where nothing is asked. Two statements, three at most.
 */
export function rank(engine: Engine, tx: ReadTransaction, asking: Asking): Promise<Ranked> {
  const { asked, frame } = asking
  if (asked !== undefined) return rankAsked(engine, tx, { ...asking, asked })
  return frame.sessionOnly ? rankSession(engine, tx, asking) : rankByWorth(engine, tx, asking)
}

const UNASKED = { quality: 'unasked', dropped: [] } as const

/** Returns the blocks of the session, newest first. */
async function rankSession({ index }: Engine, tx: ReadTransaction, asking: Asking): Promise<Ranked> {
  const { filter } = asking
  const facts = [...(filter.ids ?? [])]
    .flatMap((id) => index.get(id) ?? [])
    .filter((each) => passesFilter(each, filter))
  const candidates = facts.map((each, place) => {
    const fresh = 1 - place / facts.length
    const terms = [{ name: 'recency', value: fresh, amount: fresh }]
    return candidateOf({ facts: each, score: fresh, terms })
  })
  const ids = facts.map(({ id }) => id)
  const links = ids.length === 0 ? { edges: [], pairs: [] } : await readLinks(tx, ids, TOLD_KINDS)
  return { ...asking, ...UNASKED, candidates, guaranteed: [], ...links }
}

async function rankByWorth(engine: Engine, tx: ReadTransaction, asking: Asking): Promise<Ranked> {
  const { index } = engine
  const { frame, filter, hours, topK = 0 } = asking
  const count = Math.max(NO_QUERY_POOL, 2 * topK)
  const always = guaranteedBy(engine, frame)
  const central = await readCentrality(tx, { active: index.active, limit: count })
  const joined = central.strongest
    .flatMap((id) => index.get(id) ?? [])
    .filter((facts) => passesFilter(facts, filter))
  // The best of all blocks by what is known without their edges.
  const weights = renormalisedWeights(frame.weights)
  const hasBoosts = Object.keys(frame.boosts).length > 0
  const likely = index.likeliest(filter, count, (vitals, mostReinforced) => {
    const worth =
      weights.confidence * confidenceOf(vitals) +
      weights.recency * recency(vitals.decayLambda, hours - vitals.lastReinforcedAt) +
      weights.reinforcement * reinforcementNorm(vitals.reinforcementCount, mostReinforced)
    return hasBoosts ? worth * scoreBoost(vitals, frame.boosts) : worth
  })
  const looked = [...new Map([...always, ...likely, ...joined].map((facts) => [facts.id, facts])).values()]
  const ids = looked.map(({ id }) => id)
  const links = await readLinks(tx, ids, TOLD_KINDS)
  const strengths = weightedDegree(ids, links.edges)
  const centralityOf = (id: string) => central.of(strengths.get(id) ?? 0)
  const candidates = byWorth(looked, { frame, hours, centralityOf })
  const isAlways = new Set(always.map(({ id }) => id))
  const guaranteed = candidates.filter(({ facts }) => isAlways.has(facts.id)).map(guarantee)
  return { ...asking, ...UNASKED, candidates, guaranteed, ...links }
}

/** Edges are read around this many of the best, which is more than an answer shows or follows edges from. */
const JOINED_MOST = 12

async function rankAsked(
  engine: Engine,
  tx: ReadTransaction,
  asking: Asking & { readonly asked: Asked },
): Promise<Ranked> {
  const { index, settings, experience } = engine
  const { frame, filter, hours, asked, minStrength } = asking
  const { strength, probability, wordsOnly } = asked
  const always = guaranteedBy(engine, frame)
  const isTooFar = minStrength === undefined ? (asked.above ?? 0) < 0 : strength < minStrength
  const isNothing = asked.matches.length === 0 || isTooFar
  const [matches, refused] = isNothing ? [[], asked.matches] : [asked.matches, []]
  await experience.refresh(tx, index.generation)
  // Where nothing was weighed, all of the pool is the scale. A pool that is not full ends at nothing: two good matches in a small memory
  // are both good.
  const pool = matches.length > 0 ? matches : asked.matches
  const ranks = [...pool.map((each) => each.rank), ...(pool.length < RECALL.pool ? [0] : [])]
  const scoring = {
    frame,
    engine,
    hours,
    scale: rankScale(ranks, RECALL.normalisationFloor),
    own: ownEvidenceOf(experience, asked, {
      termsOf: (text) => index.read(text).terms,
      holds: (id, term) => index.holds(id, term),
      shown: matches.map(({ facts }) => facts.id),
    }),
  }
  const best = matches.map((match) => scoreMatch(scoring, match)).toSorted(byScore)
  // The other matches are not shown and their edges not followed.
  const joinedMost = Math.max(JOINED_MOST, asking.topK ?? 0, settings.recall.expansionSeeds)
  const ids = [...best.slice(0, joinedMost).map(({ facts }) => facts.id), ...always.map(({ id }) => id)]
  const links = await readLinks(tx, ids, TOLD_KINDS)
  const central = always.length > 0 ? await readCentrality(tx, { active: index.active, limit: 0 }) : undefined
  const strengths = weightedDegree(
    always.map(({ id }) => id),
    central ? links.edges : [],
  )
  const centralityOf = (id: string) => central?.of(strengths.get(id) ?? 0) ?? 0
  return {
    ...asking,
    quality: isNothing ? 'nothing' : probability >= settings.recall.matchFrom ? 'match' : 'perhaps',
    strength,
    probability,
    wordsOnly,
    candidates: expand(best, links.edges, { scoring, filter }).toSorted(byScore),
    guaranteed: byWorth(always, { frame, hours, centralityOf }).map(guarantee),
    dropped: refused.map((match): Dropped => {
      const { facts, score } = scoreMatch(scoring, match)
      return { id: facts.id, reason: 'nothing', score }
    }),
    ...links,
    weigh: (more) => more.map((match) => scoreMatch(scoring, match)),
  }
}

/** Scores that are this near are the same: what is left is rounding and the seconds between two promotions. */
export const SAME_SCORE = 1e-4

/** Best score first; of equal ones the older, so that an answer never depends on chance. */
function byScore(a: Candidate, b: Candidate): number {
  return (
    Math.round(b.score / SAME_SCORE) - Math.round(a.score / SAME_SCORE) ||
    a.facts.createdAt.localeCompare(b.facts.createdAt) ||
    a.facts.position - b.facts.position ||
    (a.facts.id < b.facts.id ? -1 : 1)
  )
}

/** The facts that decide the scores of one ranking, besides the matches themselves. */
interface Scoring {
  readonly engine: Engine
  readonly frame: Frame
  /** Active hours now. */
  readonly hours: number
  readonly scale: RankScale
  /** How blocks did when such a question was asked, −1..1; those of which nothing is known are absent. */
  readonly own: ReadonlyMap<string, number>
}

/**
 * Scores a block by its similarity on the scale of the pool (docs/retrieval.md): belief and the recency of useful outcomes multiply,
 * and what was reported on such questions adds.
 */
function scoreOf(
  { engine: { settings, experience }, frame, hours, scale, own }: Scoring,
  {
    facts,
    similarity,
    ...found
  }: Pick<Candidate, 'facts' | 'match' | 'path'> & { readonly similarity: number },
): Candidate {
  const { trust } = experience
  const learned = learnedScore(
    {
      similarity,
      general: experience.general(facts.id),
      own: own.get(facts.id) ?? 0,
      recency: recency(settings.decay.standard, hours - facts.lastUsefulAt),
    },
    {
      // What has foretold nothing moves little, also where all matches are weak.
      beliefWeight: frame.belief * trust,
      recencyWeight: frame.recency,
      reach: settings.learning.reach * trust,
      ownReach: settings.learning.ownReach,
      slope: scale.slope,
    },
  )
  const boost = scoreBoost(facts, frame.boosts)
  const score = learned.score * boost
  const terms =
    boost === 1
      ? learned.terms
      : [...learned.terms, { name: 'boost', value: boost, amount: score - learned.score }]
  return candidateOf({ ...found, facts, score, terms })
}

function scoreMatch(scoring: Scoring, match: Match): Candidate {
  return scoreOf(scoring, { facts: match.facts, similarity: scoring.scale.of(match.rank), match })
}

/** Lets the best matches hand part of their similarity on along edges that similarity alone did not make. */
function expand(
  scored: readonly Candidate[],
  edges: readonly Edge[],
  { scoring, filter }: { readonly scoring: Scoring; readonly filter: Filter },
): readonly Candidate[] {
  const { engine, frame } = scoring
  const { expansionSeeds } = engine.settings.recall
  const similarityOf = (candidate: Candidate | undefined) => candidate?.terms[0]?.value ?? 0
  const shares = { ...RECALL.relations, ...frame.relations }
  const shareOf = (edge: Edge) => (edge.origin === 'similarity' ? 0 : relationShare(edge, shares))
  const seeds = scored
    .toSorted(byScore)
    .slice(0, expansionSeeds)
    .map((seed) => ({ id: seed.facts.id, similarity: similarityOf(seed) }))
  const found = new Map(scored.map((candidate) => [candidate.facts.id, candidate]))
  for (const { id, similarity, seed, edge } of expandNeighbours(seeds, edges, {
    shareOf,
    most: RECALL.neighbours,
  })) {
    const facts = engine.index.get(id)
    if (!facts || !passesFilter(facts, filter)) continue
    const known = found.get(id)
    const own = similarityOf(known)
    const path = own < similarity && { path: { seed, relation: edge.relation, weight: edge.weight } }
    const joint = jointSimilarity(own, similarity, RECALL.agreement)
    const { match } = known ?? {}
    found.set(id, scoreOf(scoring, { facts, similarity: joint, ...(match && { match }), ...path }))
  }
  return [...found.values()]
}

/**
 * Ranks blocks when nothing is asked: the additive score of the seeds with similarity left out (Python elfmem).
 * Reinforcement is relative to the blocks given, centrality to the whole corpus.
 */
function byWorth(
  blocks: readonly BlockFacts[],
  { frame, hours, centralityOf }: { frame: Frame; hours: number; centralityOf: (id: string) => number },
): Candidate[] {
  const weights = renormalisedWeights(frame.weights)
  const mostReinforced = blocks.reduce(
    (most, { reinforcementCount }) => Math.max(most, reinforcementCount),
    0,
  )
  return blocks
    .map((facts): Candidate => {
      const fresh = recency(facts.decayLambda, hours - facts.lastReinforcedAt)
      const signals = {
        similarity: 0,
        confidence: confidenceOf(facts),
        recency: fresh,
        centrality: effectiveCentrality(centralityOf(facts.id), fresh),
        reinforcement: reinforcementNorm(facts.reinforcementCount, mostReinforced),
      }
      const boost = scoreBoost(facts, frame.boosts)
      return candidateOf({ facts, ...compositeScore(signals, weights, { belief: betaOf(facts), boost }) })
    })
    .sort(byScore)
}

/**
 * Returns the blocks a frame always shows: only those made in the very scope that is asked, or in none if
 * none is; words of others never as identity.
 */
function guaranteedBy({ index, scope }: Engine, frame: Frame): BlockFacts[] {
  return index
    .tagged(frame.guarantee)
    .filter((facts) => facts.scope === scope && frame.classes.includes(facts.sourceClass))
    .filter((facts) => isOwn(facts) || !facts.tags.some(isIdentityTag))
}

const guarantee = (candidate: Candidate): Candidate => ({ ...candidate, guaranteed: true })
