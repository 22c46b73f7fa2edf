import type { FrameSettings } from '../../config/frames.ts'
import type { BlockFacts } from '../../domain/block/block.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import { isIdentityTag } from '../../domain/block/tags.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import { weightedDegree } from '../../domain/graph/edge-weight.ts'
import type { Links, StoreReader } from '../../ports/store/transaction.ts'
import { ownEvidenceOf } from '../../search/experience/own-evidence.ts'
import { type Filter, passesFilter } from '../../search/index/blocks.ts'
import type { Match } from '../../search/question.ts'
import type { Engine } from '../engine/engine.ts'
import { readCentrality } from '../graph/corpus-centrality.ts'
import type { MatchQuality } from './answer-size.ts'
import { type Asked, type OtherSource, otherSourceOf } from './match.ts'
import {
  byScore,
  type Candidate,
  type Dropped,
  firstSteps,
  type RankContext,
  rankMatches,
  weighBeside,
} from './rank.ts'
import { preselect, rankWithoutQuery } from './rank-unasked.ts'

/** Without a question so many of the best blocks by all but their edges, and of the best joined, are looked up. */
const NO_QUERY_POOL = 60

/** How sure an answer is, and what else to know of it. */
export interface Asserted {
  readonly quality: MatchQuality
  /** Of the strongest match, 0..1; absent without a question. */
  readonly strength?: number | undefined
  /** Chance that the answer bears on the question, 0..1; absent without one. */
  readonly probability?: number | undefined
  /** Why words alone were used, when they were. */
  readonly wordsOnly?: string | undefined
  readonly otherSource?: OtherSource | undefined
}

/** The candidates for a question, or without one, best first. */
export interface Found extends Asserted {
  readonly ranked: readonly Candidate[]
  readonly guaranteed: readonly Candidate[]
  /** All matches of a question that nothing bears on. */
  readonly dropped: readonly Dropped[]
  /** Edges and unresolved pairs around what was looked up. */
  readonly edges: readonly Edge[]
  readonly pairs: readonly BlockPair[]
  /** How matches fared that were not weighed; absent without a question. */
  readonly beside?: Beside
}

/** The part of a search that explains what it left out. */
interface Beside {
  /** Least strength of the best match that the caller wants, 0..1. */
  readonly minStrength: number | undefined
  /** Weighs matches as this search would have. No statement, unless the frame weighs how blocks are joined. */
  readonly weigh: (tx: StoreReader, more: readonly Match[]) => Promise<readonly Candidate[]>
}

/** The question and the limits of one search; without `asked` blocks are ranked by worth alone. */
export interface FindRequest {
  readonly frame: FrameSettings
  readonly filter: Filter
  readonly hours: number
  /** The time the answer is for, ISO-8601 UTC. */
  readonly at: string
  readonly asked: Asked | undefined
  readonly topK: number | undefined
  /** The caller wants nothing when the strongest match lies below it; it stands in the place of the line that the store has. */
  readonly minStrength: number | undefined
}

/**
 * Brings experience and the graph to the matches, or ranks without a question. Two statements at most, as a rule one;
 * twice that for a spreading walk.
 */
export function find(engine: Engine, tx: StoreReader, request: FindRequest): Promise<Found> {
  const { asked } = request
  return asked ? findAsked(engine, tx, { ...request, asked }) : findWithoutQuery(engine, tx, request)
}

async function findWithoutQuery(
  engine: Engine,
  tx: StoreReader,
  { frame, filter, hours, topK = 0 }: FindRequest,
): Promise<Found> {
  const { index, settings } = engine
  const count = Math.max(NO_QUERY_POOL, 2 * topK)
  const guaranteed = guaranteedBy(engine, frame)
  const { graph } = settings
  const central = await readCentrality(tx, { graph, active: index.active, limit: count })
  const joined = central.strongest
    .flatMap((id) => index.get(id) ?? [])
    .filter((facts) => passesFilter(facts, filter))
  const likely = preselect(index, filter, { count, frame, hours })
  const looked = [
    ...new Map([...guaranteed, ...likely, ...joined].map((facts) => [facts.id, facts])).values(),
  ]
  const ids = looked.map(({ id }) => id)
  const { edges, pairs } = await tx.links(ids)
  const strengths = weightedDegree(ids, edges)
  const centralityOf = (id: string) => central.of(strengths.get(id) ?? 0)
  const ranked = rankWithoutQuery(looked, { frame, hours, centralityOf })
  return {
    ranked,
    guaranteed: pick(ranked, guaranteed),
    quality: 'unasked',
    dropped: [],
    edges,
    pairs,
  }
}

async function findAsked(
  engine: Engine,
  tx: StoreReader,
  { frame, filter, hours, asked, minStrength }: FindRequest & { readonly asked: Asked },
): Promise<Found> {
  const { index, settings } = engine
  const guaranteedFacts = guaranteedBy(engine, frame)
  const { strength, probability } = asked
  const quality = qualityOf(asked, settings.recall, minStrength)
  const [matches, refused] = quality === 'nothing' ? [[], asked.matches] : [asked.matches, []]
  const near = await tx.links([...matches.map(({ facts }) => facts), ...guaranteedFacts].map(({ id }) => id))
  const hasGuaranteed = guaranteedFacts.length > 0
  const centralityAround = (links: Links) =>
    centralities(engine, tx, { frame, links, guaranteed: hasGuaranteed })
  const factsOf = (id: string) => index.get(id)
  const { experience } = engine
  await experience.refresh(tx, index.generation)
  const context = {
    ...{ frame, settings, hours, filter, factsOf },
    trust: experience.trust,
    generalOf: (id: string) => experience.general(id),
    own: ownEvidenceOf(experience, asked, {
      termsOf: (text) => index.read(text).terms,
      holds: (id, term) => index.holds(id, term),
      shown: matches.map(({ facts }) => facts.id),
      prior: settings.learning.ownPrior,
    }),
  }
  const nearby = { ...context, edges: near.edges, centralityOf: await centralityAround(near) }
  const links = await secondStep(tx, near, firstStepsOf(matches, nearby))
  const centralityOf = links === near ? nearby.centralityOf : await centralityAround(links)
  const { edges, pairs } = links
  // Where nothing was weighed, all of the pool is the scale.
  const pool = matches.length > 0 ? matches : asked.matches
  const weighed = (more: readonly Match[], central = centralityOf) =>
    weighBeside(more, pool, { ...context, edges: [], centralityOf: central })
  const ranked = rankMatches(matches, { ...context, edges, centralityOf })
  return {
    ranked,
    guaranteed: rankWithoutQuery(guaranteedFacts, { frame, hours, centralityOf }),
    quality,
    strength,
    probability,
    dropped: weighed(refused).map(({ facts: { id }, score }): Dropped => ({ id, reason: 'nothing', score })),
    edges,
    pairs,
    wordsOnly: asked.wordsOnly,
    otherSource: otherSourceOf(matches, settings.recall.otherSourceMargin),
    beside: {
      minStrength,
      weigh: async (again, more) => {
        if (frame.centrality === 0) return weighed(more)
        const around = await again.links(more.map(({ facts }) => facts.id))
        return weighed(more, await centralities(engine, again, { frame, links: around, guaranteed: false }))
      },
    },
  }
}

/**
 * Returns the blocks a frame always shows: only those made in the very scope that is asked, or in none if
 * none is; words of others never as identity.
 */
function guaranteedBy({ index, scope }: Engine, frame: FrameSettings): BlockFacts[] {
  return index
    .tagged(frame.guarantee)
    .filter((facts) => facts.scope === scope && frame.classes.includes(facts.sourceClass))
    .filter((facts) => isOwn(facts) || !facts.tags.some(isIdentityTag))
}

/** Where a spreading walk takes its second step; nothing for the other ways. */
function firstStepsOf(matches: readonly Match[], context: RankContext): string[] {
  return context.settings.recall.expansion === 'pagerank' ? firstSteps(matches, context) : []
}

/** Adds the edges and pairs around the first steps to those around the matches, each once. */
async function secondStep(tx: StoreReader, near: Links, steps: readonly string[]): Promise<Links> {
  if (steps.length === 0) return near
  const far = await tx.links(steps)
  const edges = new Map([...near.edges, ...far.edges].map((edge) => [`${edge.from} ${edge.to}`, edge]))
  const pairs = new Map([...near.pairs, ...far.pairs].map((pair) => [`${pair.a} ${pair.b}`, pair]))
  return { edges: [...edges.values()], pairs: [...pairs.values()] }
}

/**
 * How central blocks are, when the frame weighs it or ranks guaranteed ones by it. One statement then; two when blocks
 * count whose edges were not all looked up.
 */
async function centralities(
  { settings, index }: Engine,
  tx: StoreReader,
  { frame, links, guaranteed }: { frame: FrameSettings; links: Links; guaranteed: boolean },
): Promise<(id: string) => number> {
  if (frame.centrality === 0 && !guaranteed) return () => 0
  const central = await readCentrality(tx, { graph: settings.graph, active: index.active, limit: 0 })
  const ids = links.edges.flatMap(({ from, to }) => [from, to])
  const strengths = frame.centrality > 0 ? await tx.strengths(ids) : weightedDegree(ids, links.edges)
  return (id) => central.of(strengths.get(id) ?? 0)
}

function pick(ranked: readonly Candidate[], wanted: readonly BlockFacts[]): Candidate[] {
  const ids = new Set(wanted.map(({ id }) => id))
  return ranked.filter(({ facts }) => ids.has(facts.id)).sort(byScore)
}

function qualityOf(
  { matches, strength, probability, above = 0 }: Asked,
  { matchFrom }: { readonly matchFrom: number },
  minStrength: number | undefined,
): MatchQuality {
  const isTooFar = minStrength === undefined ? above < 0 : strength < minStrength
  if (matches.length === 0 || isTooFar) return 'nothing'
  return probability >= matchFrom ? 'match' : 'perhaps'
}
