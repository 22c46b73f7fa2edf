import { type Block, type BlockFacts, isIdentityTag, isOwn } from '../block/block.ts'
import { defined } from '../block/text.ts'
import { mayHoldTogether } from '../block/validity.ts'
import { ANSWER_SIZE } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import type { Frame } from '../engine/frames.ts'
import { type Edge, TOLD_KINDS } from '../graph/edge.ts'
import { readCentrality } from '../graph/joins.ts'
import { type Filter, passesFilter } from '../index/blocks.ts'
import { rankScale } from '../index/rank.ts'
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
import { readLinks } from '../store/graph.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import {
  Around,
  type Asked,
  type Asking,
  type Candidate,
  candidateOf,
  dropped,
  type Entry,
  isBrought,
  type Mark,
  passageOf,
  type Ranked,
  RECALL,
} from './match.ts'
import { disputesIn, type Grouped, type Ordered, opponentsOf } from './versions.ts'

/** Without a question, this many of the best blocks by their own facts, and of the blocks with the strongest edges, are looked up. */
const NO_QUERY_POOL = 60

/** Scores the matches of a question by experience and edges; without a question, blocks by their worth. */
export function rank(engine: Engine, tx: ReadTransaction, asking: Asking): Promise<Ranked> {
  const { asked, frame } = asking
  if (asked !== undefined) return rankAsked(engine, tx, { ...asking, asked })
  return frame.sessionOnly ? rankSession(engine, tx, asking) : rankByWorth(engine, tx, asking)
}

const UNASKED = { quality: 'unasked', refused: [], dropped: [] } as const

/** Returns the blocks of the session, newest first. */
async function rankSession(engine: Engine, tx: ReadTransaction, asking: Asking): Promise<Ranked> {
  const { filter } = asking
  const facts = [...(filter.ids ?? [])]
    .flatMap((id) => engine.index.get(id) ?? [])
    .filter((each) => passesFilter(each, filter))
  const candidates = facts.map((each, place) => {
    const fresh = 1 - place / facts.length
    const terms = [{ name: 'recency', value: fresh, amount: fresh }]
    return candidateOf({ facts: each, score: fresh, terms })
  })
  const ids = facts.map(({ id }) => id)
  const links = await readLinks(tx, ids, TOLD_KINDS)
  const around = new Around(engine, tx, asking.at)
  return { ...asking, ...UNASKED, candidates, guaranteed: [], ...links, around }
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
  // The likeliest blocks are the best by all facts but their edges.
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
  const candidates = byWorth(looked, asking, links.edges, central)
  const isAlways = new Set(always.map(({ id }) => id))
  const guaranteed = candidates
    .filter(({ facts }) => isAlways.has(facts.id))
    .map((each) => ({ ...each, guaranteed: true }))
  return {
    ...asking,
    ...UNASKED,
    candidates,
    guaranteed,
    ...links,
    around: new Around(engine, tx, asking.at),
  }
}

async function rankAsked(
  engine: Engine,
  tx: ReadTransaction,
  asking: Asking & { readonly asked: Asked },
): Promise<Ranked> {
  const { index, settings, experience } = engine
  const { frame, filter, hours, asked, minStrength } = asking
  const { matches } = asked
  const always = guaranteedBy(engine, frame)
  const isTooFar = minStrength === undefined ? (asked.above ?? 0) < 0 : asked.strength < minStrength
  const isNothing = matches.length === 0 || isTooFar
  // A pool that is not full ends at rank 0: two good matches in a small memory are both good.
  const ranks = [...matches.map((each) => each.rank), ...(matches.length < RECALL.pool ? [0] : [])]
  const scale = rankScale(ranks, RECALL.normalisationFloor)
  const own = ownEvidenceOf(experience, asked, {
    termsOf: (text) => index.read(text).terms,
    holds: (id, term) => index.holds(id, term),
    shown: isNothing ? [] : matches.map(({ facts }) => facts.id),
  })
  const scoring = { frame, engine, hours, slope: scale.slope, own }
  const scored = matches
    .map((match) => scoreOf(scoring, match.facts, scale.of(match.rank), { match }))
    .sort(byScore)
  const [best, refused] = isNothing ? [[], scored] : [scored, []]
  // The limit exceeds the number of entries that an answer shows or follows edges from.
  const joinedMost = Math.max(12, asking.topK ?? 0, settings.recall.expansionSeeds)
  const first = [...best.slice(0, joinedMost), ...always.map((facts) => ({ facts }))]
  const ids = first.map(({ facts }) => facts.id)
  const [links, around, central] = await Promise.all([
    readLinks(tx, ids, TOLD_KINDS),
    new Around(engine, tx, asking.at).begin(first, asked),
    always.length > 0 ? readCentrality(tx, { active: index.active, limit: 0 }) : undefined,
  ])
  return {
    ...asking,
    quality: isNothing ? 'nothing' : asked.probability >= settings.recall.matchFrom ? 'match' : 'perhaps',
    candidates: expand(best, links.edges, scoring, filter).sort(byScore),
    guaranteed: byWorth(always, asking, links.edges, central).map((each) => ({ ...each, guaranteed: true })),
    refused,
    dropped: refused.flatMap((each) => dropped(each, 'nothing')),
    ...links,
    around,
  }
}

/** Scores that are this near count as equal: they differ by rounding and by the seconds between two promotions. */
const SAME_SCORE = 1e-4

/** Orders candidates by score, best first; of equal ones the older comes first, so that an answer never depends on chance. */
function byScore(a: Candidate, b: Candidate): number {
  return (
    Math.round(b.score / SAME_SCORE) - Math.round(a.score / SAME_SCORE) ||
    a.facts.createdAt.localeCompare(b.facts.createdAt) ||
    a.facts.position - b.facts.position ||
    (a.facts.id < b.facts.id ? -1 : 1)
  )
}

interface Scoring {
  readonly engine: Engine
  readonly frame: Frame
  /** Present time in active hours. */
  readonly hours: number
  /** Slope of the scale of the pool. */
  readonly slope: number
  /** How well blocks answered such questions, −1..1; blocks without reports are absent. */
  readonly own: ReadonlyMap<string, number>
}

/**
 * Scores a block by its similarity on the scale of the pool (docs/retrieval.md). Belief and the recency of useful outcomes multiply the
 * score; reports on such questions add to it.
 */
function scoreOf(
  { engine: { settings, experience }, frame, hours, slope, own }: Scoring,
  facts: BlockFacts,
  similarity: number,
  found: Pick<Candidate, 'match' | 'path'>,
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
      // Experience that has predicted nothing moves little, even if all matches are weak.
      beliefWeight: frame.belief * trust,
      recencyWeight: frame.recency,
      reach: settings.learning.reach * trust,
      ownReach: settings.learning.ownReach,
      slope,
    },
  )
  const boost = scoreBoost(facts, frame.boosts)
  const score = learned.score * boost
  const boosted = { name: 'boost', value: boost, amount: score - learned.score }
  return candidateOf({ ...found, facts, score, terms: [...learned.terms, ...(boost === 1 ? [] : [boosted])] })
}

/** Lets the best matches, best first, hand part of their similarity on along edges, but not along edges that similarity alone made. */
function expand(
  best: readonly Candidate[],
  edges: readonly Edge[],
  scoring: Scoring,
  filter: Filter,
): Candidate[] {
  const { engine, frame } = scoring
  const similarityOf = (candidate: Candidate | undefined) => candidate?.terms[0]?.value ?? 0
  const shares = { ...RECALL.relations, ...frame.relations }
  const shareOf = (edge: Edge) => (edge.origin === 'similarity' ? 0 : relationShare(edge, shares))
  const seeds = best
    .slice(0, engine.settings.recall.expansionSeeds)
    .map((seed) => ({ id: seed.facts.id, similarity: similarityOf(seed) }))
  const found = new Map(best.map((candidate) => [candidate.facts.id, candidate]))
  const reached = expandNeighbours(seeds, edges, { shareOf, most: RECALL.neighbours })
  for (const { id, similarity, seed, edge } of reached) {
    const facts = engine.index.get(id)
    if (!facts || !passesFilter(facts, filter)) continue
    const { match } = found.get(id) ?? {}
    const own = similarityOf(found.get(id))
    const path = own < similarity && { path: { seed, relation: edge.relation, weight: edge.weight } }
    const joint = jointSimilarity(own, similarity, RECALL.agreement)
    found.set(id, scoreOf(scoring, facts, joint, { ...(match && { match }), ...path }))
  }
  return [...found.values()]
}

/**
 * Ranks blocks without a question by an additive score without similarity (Python elfmem). Reinforcement is relative to the given blocks,
 * centrality to the whole corpus.
 */
function byWorth(
  blocks: readonly BlockFacts[],
  { frame, hours }: Asking,
  edges: readonly Edge[],
  central: Awaited<ReturnType<typeof readCentrality>> | undefined,
): Candidate[] {
  const ids = blocks.map(({ id }) => id)
  const strengths = central ? weightedDegree(ids, edges) : undefined
  const weights = renormalisedWeights(frame.weights)
  const mostReinforced = Math.max(0, ...blocks.map(({ reinforcementCount }) => reinforcementCount))
  return blocks
    .map((facts): Candidate => {
      const fresh = recency(facts.decayLambda, hours - facts.lastReinforcedAt)
      const signals = {
        similarity: 0,
        confidence: confidenceOf(facts),
        recency: fresh,
        centrality: effectiveCentrality(central?.of(strengths?.get(facts.id) ?? 0) ?? 0, fresh),
        reinforcement: reinforcementNorm(facts.reinforcementCount, mostReinforced),
      }
      const boost = scoreBoost(facts, frame.boosts)
      return candidateOf({ facts, ...compositeScore(signals, weights, { belief: betaOf(facts), boost }) })
    })
    .sort(byScore)
}

/**
 * Returns the blocks that a frame always shows, if they were made in the engine's own scope, or in none if it has none. Words of others are
 * never shown as identity.
 */
function guaranteedBy({ index, scope }: Engine, frame: Frame): BlockFacts[] {
  return index
    .tagged(frame.guarantee)
    .filter((facts) => facts.scope === scope && frame.classes.includes(facts.sourceClass))
    .filter((facts) => isOwn(facts) || !facts.tags.some(isIdentityTag))
}

/** Sets the number of entries: the call's limit, else the owner's, else the entries near the best, which then come first. */
export function sized({ settings }: Engine, found: Grouped): Ordered {
  const limit = found.topK ?? (settings.recall.topK || undefined)
  if (limit !== undefined) return { ...found, size: limit, isLimit: true }
  if (found.asked === undefined) return { ...found, size: ANSWER_SIZE.queryless, isLimit: false }
  const { entries } = found
  const near = new Set(cut(sharesOf(found), found.asked.above))
  const sides = [true, false].map((isNear) => entries.filter((_, place) => near.has(place) === isNear))
  return { ...found, entries: sides.flat(), size: near.size, isLimit: false }
}

/**
 * Returns how near entries are to the best, 0..1, by their match, whatever their experience. An entry that an edge brought or a rule moved
 * is as near as the other block; an entry that reports say answered such a question has 1.
 */
function sharesOf({ entries, candidates }: Grouped): readonly number[] {
  // Coverage is left out: a block that steps back behind a look-alike bears on the question no less.
  const rankOf = new Map(
    candidates.map(({ facts, match }) => [facts.id, match ? match.rank - match.coverage : 0]),
  )
  const ranks = entries.map(({ facts: { id }, path, moves }) =>
    Math.max(...[id, path?.seed, moves.at(-1)?.before].map((each) => rankOf.get(each ?? '') ?? 0)),
  )
  const best = Math.max(Number.EPSILON, ...ranks)
  return entries.map(({ terms }, i) => {
    const isProven = terms.some(({ name, amount }) => name === 'asked' && amount > 0)
    return isProven ? 1 : (ranks[i] as number) / best
  })
}

/**
 * Returns the places, from 0, of the entries near the best: at least one if there is any, `ANSWER_SIZE.most` at most.
 *
 * @param shares of the best rank that each entry has, in the order of the answer
 * @param above height of the nearest match over the line; undefined if cosines cannot tell
 */
function cut(shares: readonly number[], above: number | undefined): readonly number[] {
  const { nearBest, most, faint, faintMost } = ANSWER_SIZE
  const near = shares.flatMap((share, place) => (share >= nearBest ? [place] : []))
  const size = above !== undefined && above < faint ? faintMost : most
  return near.length > 0 || shares.length === 0 ? near.slice(0, size) : [0]
}

/** A recall is chosen once the blocks of its answer are read. */
export interface Chosen extends Omit<Ordered, 'entries'> {
  /** The guaranteed entries, which no rule moves, then the others in their order. */
  readonly entries: readonly Entry[]
  /** The entries that have no place in the answer, in their order. */
  readonly beyond: readonly Candidate[]
  readonly counterpoints: readonly Counterpoint[]
}

/** A counterpoint is a block that contradicts one of the answer; it never counts as support. */
export interface Counterpoint {
  readonly block: Block
  /** The block of the answer that it contradicts. */
  readonly to: Block
  readonly marks: readonly Mark[]
}

/** Reads what is not read yet of the blocks of an answer, the blocks that contradict them, and their outdated grounds. */
export async function choose(engine: Engine, found: Ordered): Promise<Chosen> {
  const { around } = found
  const chosen = [...found.guaranteed, ...found.entries.slice(0, found.size)]
  const beyond = found.entries.slice(found.size)
  const visible = new Set(
    chosen.flatMap(({ facts, versions }) => [
      facts.id,
      ...versions.slice(0, RECALL.versionsMost).map(({ id }) => id),
    ]),
  )
  const ids = chosen.map(({ facts }) => facts.id)
  await around.look(chosen, [...visible])
  const brought = new Set(chosen.filter(isBrought).map(({ facts }) => facts.id))
  const disputes = [
    ...found.disputes,
    ...disputesIn(around.links).filter(({ one, other }) => brought.has(one) || brought.has(other)),
  ]
  const bearing = found.quality === 'nothing' ? [] : chosen.filter(({ guaranteed }) => !guaranteed)
  const objections = bearing
    .flatMap(({ facts: { id: to } }) => opponentsOf(to, disputes).map((id) => ({ id, to })))
    .filter(({ id }, at, all) => !visible.has(id) && all.findIndex((each) => each.id === id) === at)
    .slice(0, RECALL.counterpoints)
  const wanted = [...visible, ...objections.map(({ id }) => id)]
  const [outdated] = await Promise.all([around.outdated(), around.look([], wanted)])
  const living = wanted
    .flatMap((id) => around.blocks.get(id) ?? [])
    .filter(({ status }) => status !== 'archived')
  const blocks = new Map(living.map((block) => [block.id, block]))
  // A block that stands under another was replaced, so that it contradicts nothing any more.
  const stands = new Set([...ids, ...objections.map(({ id }) => id)])
  const isLiving = (id: string) => stands.has(id) || (!visible.has(id) && engine.index.get(id) !== undefined)
  const mayOppose = (one: string, other: string) => {
    const [first, second] = [blocks.get(one), blocks.get(other)]
    return !first || !second || mayHoldTogether(first, second)
  }
  const contradictions = (id: string) =>
    opponentsOf(id, disputes)
      .filter((of) => isLiving(of) && mayOppose(id, of))
      .map((of): Mark => ({ kind: 'contradicts', of }))
  return {
    ...found,
    entries: chosen.flatMap((each): Entry[] => {
      const { id } = each.facts
      const block = blocks.get(id)
      if (block === undefined) return []
      const versions = each.versions.slice(0, RECALL.versionsMost).flatMap((version) => {
        const other = blocks.get(version.id)
        return other ? [{ ...version, block: other }] : []
      })
      const marks = [...each.marks, ...contradictions(id)]
      const said = defined({ prediction: around.predictions.get(id) })
      const more = { versions, marks, outdated: outdated.get(id) ?? [], ...said }
      return [{ ...each, block, ...more, ...passageOf(each, block, found) }]
    }),
    beyond,
    counterpoints: objections.flatMap(({ id, to }) => {
      const [block, against] = [blocks.get(id), blocks.get(to)]
      const isBoth = block && against && mayHoldTogether(block, against)
      return isBoth ? [{ block, to: against, marks: contradictions(id) }] : []
    }),
    dropped: [
      ...found.dropped,
      ...beyond.flatMap((each) => dropped(each, 'top_k')),
      ...chosen
        .flatMap(({ versions }) => versions.slice(RECALL.versionsMost))
        .flatMap(({ candidate }) => (candidate ? dropped(candidate, 'versions') : [])),
    ],
  }
}
