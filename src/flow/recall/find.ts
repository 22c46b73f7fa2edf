import type { FrameSettings } from '../../config/frames.ts'
import type { BlockFacts } from '../../domain/block/block.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import { isIdentityTag } from '../../domain/block/tags.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import { weightedDegree } from '../../domain/graph/edge-strength.ts'
import type { Links, StoreReader } from '../../ports/store/transaction.ts'
import { type Filter, passesFilter } from '../../search/filter.ts'
import type { Match } from '../../search/match.ts'
import type { Engine } from '../engine/engine.ts'
import { readCentrality } from '../graph/corpus-centrality.ts'
import { type Asked, type OtherSource, otherSourceOf } from './match.ts'
import {
  byScore,
  type Candidate,
  type Dropped,
  firstSteps,
  preselect,
  type RankContext,
  rankMatches,
  rankWithoutQuery,
} from './rank.ts'

/** `unasked`: no question was put; `nothing`: the best match lies below the line, so none is shown. */
export type MatchQuality = 'match' | 'weak' | 'nothing' | 'unasked'

/** Without a question so many of the likeliest blocks by all but their edges, and of the best joined, are looked up. */
const NO_QUERY_POOL = 60

/** The candidates for a question, or without one, best first. */
export interface Found {
  readonly ranked: readonly Candidate[]
  readonly guaranteed: readonly Candidate[]
  readonly quality: MatchQuality
  readonly strength?: number
  readonly wordsOnly?: string
  readonly otherSource?: OtherSource
  /** Matches too weak to show. */
  readonly dropped: readonly Dropped[]
  /** Edges and unresolved pairs around what was looked up. */
  readonly edges: readonly Edge[]
  readonly pairs: readonly BlockPair[]
}

export interface FindRequest {
  readonly frame: FrameSettings
  readonly filter: Filter
  readonly hours: number
  readonly asked: Asked | undefined
  readonly topK: number
  readonly minStrength: number
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
  { frame, filter, hours, topK }: FindRequest,
): Promise<Found> {
  const { index, settings } = engine
  const count = Math.max(NO_QUERY_POOL, 2 * topK)
  const guaranteed = guaranteedBy(engine, frame)
  const { graph } = settings
  const central = await readCentrality(tx, { graph, active: index.size, limit: count })
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
  return { ranked, guaranteed: pick(ranked, guaranteed), quality: 'unasked', dropped: [], edges, pairs }
}

async function findAsked(
  engine: Engine,
  tx: StoreReader,
  { frame, filter, hours, asked, minStrength }: FindRequest & { readonly asked: Asked },
): Promise<Found> {
  const { index, settings } = engine
  const guaranteedFacts = guaranteedBy(engine, frame)
  const strength = asked.matches.reduce((best, each) => Math.max(best, each.strength), 0)
  const quality = qualityOf(strength, minStrength, settings.recall.weakBelow)
  const floor =
    quality === 'nothing' ? Number.POSITIVE_INFINITY : Math.min(settings.recall.blockFloor, minStrength)
  const matches = asked.matches.filter((each) => each.strength >= floor)
  const weak = asked.matches.filter((each) => each.strength < floor)
  const near = await tx.links([...matches.map(({ facts }) => facts), ...guaranteedFacts].map(({ id }) => id))
  const hasGuaranteed = guaranteedFacts.length > 0
  const centralityAround = (links: Links) =>
    centralities(engine, tx, { frame, links, guaranteed: hasGuaranteed })
  const factsOf = (id: string) => index.get(id)
  const context = { frame, settings, hours, filter, factsOf }
  const nearby = { ...context, edges: near.edges, centralityOf: await centralityAround(near) }
  const links = await secondStep(tx, near, firstStepsOf(matches, nearby))
  const centralityOf = links === near ? nearby.centralityOf : await centralityAround(links)
  const { edges, pairs } = links
  const ranked = rankMatches(matches, { ...context, edges, centralityOf })
  const otherSource = otherSourceOf(matches, settings.recall.otherSourceMargin)
  return {
    ranked,
    guaranteed: rankWithoutQuery(guaranteedFacts, { frame, hours, centralityOf }),
    quality,
    strength,
    dropped: weak.map(({ facts, rank }): Dropped => ({ id: facts.id, reason: 'weak_match', score: rank })),
    edges,
    pairs,
    ...(asked.wordsOnly === undefined ? {} : { wordsOnly: asked.wordsOnly }),
    ...(otherSource === undefined ? {} : { otherSource }),
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
  const central = await readCentrality(tx, { graph: settings.graph, active: index.size, limit: 0 })
  const ids = links.edges.flatMap(({ from, to }) => [from, to])
  const strengths = frame.centrality > 0 ? await tx.strengths(ids) : weightedDegree(ids, links.edges)
  return (id) => central.of(strengths.get(id) ?? 0)
}

function pick(ranked: readonly Candidate[], wanted: readonly BlockFacts[]): Candidate[] {
  const ids = new Set(wanted.map(({ id }) => id))
  return ranked.filter(({ facts }) => ids.has(facts.id)).sort(byScore)
}

function qualityOf(strength: number, noMatchThreshold: number, weakMatchThreshold: number): MatchQuality {
  if (strength < noMatchThreshold) return 'nothing'
  return strength < weakMatchThreshold ? 'weak' : 'match'
}
