import { COSINE_ERROR, similarityThresholdsOf } from '../engine/embedding.ts'
import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block/block.ts'
import { CONFLICT_COSINE, contradictionBetween, readStatement } from '../../domain/conflict/contradiction.ts'
import { type BlockPair, type Edge, newEdge, orderedPair, replacingPair } from '../../domain/graph/edge.ts'
import { compositeEdgeScore, EDGE_SCORE } from '../../domain/score/formulas.ts'
import { stemOf } from '../../search/language/choose.ts'
import { type Near } from '../../search/index/vectors.ts'
import type { Engine, Moment } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { type Displacement, Linker } from '../graph/linker.ts'
import { NEIGHBOURS } from './batches.ts'

/** An active block near a new one. */
export interface Neighbour {
  readonly block: Block
  /** Of the two contents. */
  readonly cosine: number
}

/** The most similar active ones among the blocks near another, as they are by now; in the given order. */
export function activeNeighbours(near: readonly Near[], blocks: ReadonlyMap<string, Block>): Neighbour[] {
  const active = near.flatMap(({ id, cosine }) => {
    const block = blocks.get(id)
    return block?.status === 'active' ? [{ block, cosine }] : []
  })
  return active.slice(0, NEIGHBOURS)
}

/** The same among those that share its session or a tag. */
export function activeKin(near: readonly Near[], blocks: ReadonlyMap<string, Block>): Neighbour[] {
  return activeNeighbours(
    near.filter(({ isKin }) => isKin),
    blocks,
  )
}

/** A block that becomes active, and who is near it. */
export interface Newcomer {
  readonly block: Block
  readonly neighbours: readonly Neighbour[]
  /** Who shares its session or a tag; less alike, perhaps. */
  readonly kin: readonly Neighbour[]
}

/** Edges that similarity makes, and the edges they evict. */
interface SimilarityEdges {
  readonly edges: readonly Edge[]
  readonly displacements: readonly Displacement[]
}

/** The similarity edges of a new block. */
export interface NewLinks extends SimilarityEdges {
  /** The blocks that an agent joined it to while it waited. */
  readonly asserted: ReadonlySet<string>
}

/**
 * Joins new blocks, one after the other, to the neighbours they belong to most, within the degree cap of both ends. At
 * most four statements for all, one or two more for each that stands near a hub full of better edges.
 */
export async function linkBySimilarity(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  newcomers: readonly Newcomer[],
): Promise<NewLinks[]> {
  const { settings, embedder } = engine
  const { memory } = settings
  const most = Math.min(memory.similarityEdgesPerBlock, memory.edgeDegreeCap)
  const scored = newcomers.map((newcomer) =>
    most === 0 ? [] : scoredEdges(newcomer, { settings, moment, model: embedder.model }),
  )
  const linker = await Linker.open(
    engine,
    { tx, moment },
    [...newcomers.map(({ block }) => block.id), ...endsOf(scored.flatMap((each) => each.slice(0, most)))],
    { heedDisconnections: true },
  )
  const links: NewLinks[] = []
  for (const [i, candidates] of scored.entries()) {
    const best = join(linker, candidates.slice(0, most), most)
    const room = most - best.edges.length
    // Hubs are rare: who comes after the best is asked about only when one of them is full.
    const others = room > 0 ? candidates.slice(most) : []
    if (others.length > 0) await linker.widen(tx, endsOf(others))
    const more = join(linker, others, room)
    links.push({
      edges: [...best.edges, ...more.edges],
      displacements: [...best.displacements, ...more.displacements],
      asserted: new Set(linker.assertedTo((newcomers[i] as Newcomer).block.id)),
    })
  }
  await linker.save(tx)
  return links
}

/** Adds the first of the edges that the degree cap allows, at most so many. */
function join(linker: Linker, candidates: readonly Edge[], room: number): SimilarityEdges {
  const made: { edges: Edge[]; displacements: Displacement[] } = { edges: [], displacements: [] }
  for (const edge of candidates) {
    if (made.edges.length === room) break
    if (linker.between(edge.from, edge.to)) continue
    const admission = linker.add(edge)
    if (!admission.admitted) continue
    made.edges.push(edge)
    for (const displaced of admission.displaced)
      made.displacements.push({ edge: displaced, by: [edge.from, edge.to] })
  }
  return made
}

function endsOf(edges: readonly Edge[]): string[] {
  return edges.flatMap(({ from, to }) => [from, to])
}

/** Edges worth making, best first. Of two blocks of one dream both times are now (W10). */
function scoredEdges(
  { block, neighbours, kin }: Newcomer,
  {
    settings,
    moment,
    model,
  }: { readonly settings: Settings; readonly moment: Moment; readonly model: string },
): Edge[] {
  const { edgeCosineFloor, edgeUnsharedCosine, edgeScoreThreshold } = similarityThresholdsOf(settings, model)
  const options = {
    ...EDGE_SCORE,
    cosineFloor: edgeCosineFloor - COSINE_ERROR,
  }
  const end = { tags: block.tags, category: block.category, hours: moment.hours }
  const near = new Map([...neighbours, ...kin].map((each) => [each.block.id, each]))
  return [...near.values()]
    .filter(
      ({ block: other, cosine: alike }) => alike >= edgeUnsharedCosine - COSINE_ERROR || isKin(block, other),
    )
    .map(({ block: other, cosine: similarity }): Edge => {
      const otherEnd = { tags: other.tags, category: other.category, hours: other.lastReinforcedAt }
      const weight = compositeEdgeScore(similarity, end, otherEnd, options)
      const fields = { relation: 'similar', origin: 'similarity', weight } as const
      return newEdge(orderedPair(block.id, other.id), fields, moment)
    })
    .filter(({ weight }) => weight > 0 && weight >= edgeScoreThreshold)
    .sort((a, b) => b.weight - a.weight)
}

/** True if two blocks share their session or a tag. */
function isKin(one: Block, other: Block): boolean {
  return one.session === other.session || one.tags.some((tag) => other.tags.includes(tag))
}

/** Returns the flagged pairs of a new block, for the review and for `resolve` to settle. */
export function nearPairs(block: Block, near: readonly Neighbour[], at: string): BlockPair[] {
  return near.map(({ block: other, cosine }) =>
    openPair(
      [block, other],
      { kind: 'near_duplicate', score: Math.min(1, cosine), foundBy: 'similarity' },
      at,
    ),
  )
}

function openPair(
  [one, other]: readonly [Block, Block],
  found: Pick<BlockPair, 'kind' | 'score' | 'foundBy'>,
  createdAt: string,
): BlockPair {
  const [a, b] = orderedPair(one.id, other.id)
  return { a, b, ...found, resolved: false, createdAt }
}

/** Arguments of `conflictsOf`. */
interface Compared {
  readonly newcomers: readonly Newcomer[]
  /** As they will be when this is written; others are looked up. */
  readonly blocks: ReadonlyMap<string, Block>
}

/**
 * For each new block the open questions that need no model: the older block it is to replace, as whoever remembered it
 * said, and what rules find between it and its neighbours. One statement when there are hints, none otherwise.
 */
export async function conflictsOf(
  engine: Pick<Engine, 'settings'>,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  { newcomers, blocks }: Compared,
): Promise<BlockPair[][]> {
  const hinted = newcomers.flatMap(({ block }) => block.supersedes ?? []).filter((id) => !blocks.has(id))
  const found = hinted.length === 0 ? [] : await tx.blocks(hinted)
  const known = new Map([...found.map((block) => [block.id, block] as const), ...blocks])
  const ruled = ruledConflicts(engine, newcomers, moment.at)
  return newcomers.map(({ block }, i) => {
    const hint = hintOf(block, known, moment.at)
    // What was said of two blocks counts more than what a rule finds between them.
    const isSaid = (pair: BlockPair) => hint.some(({ a, b }) => a === pair.a && b === pair.b)
    return [...hint, ...(ruled[i] ?? []).filter((pair) => !isSaid(pair))]
  })
}

function hintOf(block: Block, known: ReadonlyMap<string, Block>, createdAt: string): BlockPair[] {
  const other = known.get(block.supersedes ?? '')
  if (other?.status !== 'active' || other.id === block.id || other.scope !== block.scope) return []
  return [replacingPair(block, other, createdAt)]
}

/** The contradictions that rules find. Only what the same source said is compared: two people may have two ports. */
function ruledConflicts(
  { settings: { conflicts } }: Pick<Engine, 'settings'>,
  newcomers: readonly Newcomer[],
  createdAt: string,
): BlockPair[][] {
  if (!conflicts.rules) return newcomers.map(() => [])
  return newcomers.map(({ block, neighbours }) => {
    const near = neighbours.filter(
      ({ block: { source, scope }, cosine }) =>
        cosine >= CONFLICT_COSINE && source === block.source && scope === block.scope,
    )
    if (near.length === 0) return []
    const statement = readStatement(block.content, stemOf)
    return near.flatMap(({ block: other, cosine }) => {
      const rule = contradictionBetween(statement, readStatement(other.content, stemOf))
      if (rule === undefined) return []
      const found = { kind: 'contradiction', score: Math.min(1, cosine), foundBy: `rule:${rule}` } as const
      return [openPair([block, other], found, createdAt)]
    })
  })
}
