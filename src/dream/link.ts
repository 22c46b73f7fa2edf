import type { Block, BlockIndex } from '../block/block.ts'
import { defined } from '../block/text.ts'
import type { Embedded } from '../engine/embedding.ts'
import { COSINE_ERROR, similarityThresholdsOf } from '../engine/embedding.ts'
import { type Engine, type Moment, nextTurn, Pauses } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { type BlockPair, type Edge, endsOf, newEdge, orderedPair, replacingPair } from '../graph/edge.ts'
import { Linker } from '../graph/linker.ts'
import type { Near } from '../index/rank.ts'
import { quantise, quantisedCosine, SCAN_BATCH } from '../index/vectors.ts'
import { stemOf } from '../language/choose.ts'
import { compositeEdgeScore, EDGE_SCORE } from '../outcome/formulas.ts'
import { blocksById } from '../store/blocks.ts'
import { CONFLICT_COSINE, contradictionBetween, readStatement } from './contradiction.ts'

/** A waiting block with all that is known of it before the transaction of its batch. */
export interface Candidate extends Embedded {
  /** The index entry of the block; made before the transaction, because analysing a long text is slow. */
  readonly entry: BlockIndex
  /** Blocks that may be near it, active or not, most similar first. */
  readonly near: readonly Near[]
}

/** Returns the blocks of a batch with their neighbours and index entries. Other calls have their turn between its steps. */
export async function candidatesOf(engine: Engine, batch: readonly Embedded[]): Promise<Candidate[]> {
  const near = neighboursOf(engine, batch.map(comparedOf))
  await nextTurn()
  const candidates: Candidate[] = []
  const pauses = new Pauses()
  for (const [i, each] of batch.entries()) {
    const entry = engine.analysis.entry(each.block, each.vectors)
    candidates.push({ ...each, entry, near: near[i] ?? [] })
    await pauses.after(each.block.content.length)
  }
  await nextTurn()
  return candidates
}

/** Neighbours worth a look when a block is linked or compared, and as many that share its session or a tag. */
const NEIGHBOURS = 8

/** Up to this batch size less similar neighbours are looked at, too: a change can be said in quite other words. */
const CLOSE_MOST = 20

/** Returns a waiting block as others are compared with it. */
function comparedOf({ block, vectors: { vector } }: Embedded) {
  const { id, session, scope, tags } = block
  return { id, session, tags, vector, quantised: quantise(vector), ...defined({ scope }) }
}

type Comparable = ReturnType<typeof comparedOf>

/**
 * Returns the neighbours of each waiting block in its scope, most similar first: the nearest active blocks, and all blocks
 * of the batch before it, which are not in the index yet and are compared exactly as the index would. Several are looked
 * up at once, because a scan then loads every row only once.
 */
function neighboursOf({ settings, embedder, index }: Engine, batch: readonly Comparable[]): Near[][] {
  const { edgeCosineFloor, edgeUnsharedCosine } = similarityThresholdsOf(settings, embedder.model)
  const kinFloor = edgeCosineFloor - COSINE_ERROR
  const isClose = batch.length <= CLOSE_MOST
  const floor = isClose ? kinFloor : Math.max(kinFloor, edgeUnsharedCosine - COSINE_ERROR)
  const known: Near[][] = []
  for (let at = 0; at < batch.length; at += SCAN_BATCH)
    known.push(...index.nearest(batch.slice(at, at + SCAN_BATCH), { count: NEIGHBOURS, floor, kinFloor }))
  return batch.map((_, i) =>
    [...(known[i] ?? []), ...mates(batch, i)]
      .filter(({ cosine, isKin }) => cosine >= (isKin ? kinFloor : floor))
      .sort((a, b) => b.cosine - a.cosine),
  )
}

/** Returns the blocks of the batch before the `i`-th, of its scope. */
function mates(batch: readonly Comparable[], i: number): Near[] {
  const own = batch[i] as Comparable
  const tags = new Set(own.tags)
  return batch.slice(0, i).flatMap((other) => {
    if (other.scope !== own.scope) return []
    const isKin = other.session === own.session || other.tags.some((tag) => tags.has(tag))
    return [{ id: other.id, cosine: quantisedCosine(own.quantised, other.quantised), isKin }]
  })
}

/** An active block near a new one. */
export interface Neighbour {
  readonly block: Block
  /** Of the two contents. */
  readonly cosine: number
}

/** Returns the first of the blocks near another that are active by now, in the given order. */
export function activeNeighbours(near: readonly Near[], blocks: ReadonlyMap<string, Block>): Neighbour[] {
  const active = near.flatMap(({ id, cosine }) => {
    const block = blocks.get(id)
    return block?.status === 'active' ? [{ block, cosine }] : []
  })
  return active.slice(0, NEIGHBOURS)
}

/** A block that becomes active, and its neighbours. */
export interface Newcomer {
  readonly block: Block
  readonly neighbours: readonly Neighbour[]
  /** Neighbours that share its session or a tag; they may be less alike. */
  readonly kin: readonly Neighbour[]
}

/** The similarity edges of a new block. */
export interface NewLinks {
  readonly edges: readonly Edge[]
  /** Edges evicted for them. */
  readonly displaced: readonly Edge[]
  /** Ids of the blocks that an agent joined it to while it waited. */
  readonly asserted: ReadonlySet<string>
}

/**
 * Joins new blocks, one after the other, to the neighbours they belong to most, within the degree cap of both ends. At
 * most four statements for all, and one or two more for each block near a hub full of better edges.
 */
export async function linkBySimilarity(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  newcomers: readonly Newcomer[],
): Promise<NewLinks[]> {
  const { memory } = engine.settings
  const most = Math.min(memory.similarityEdgesPerBlock, memory.edgeDegreeCap)
  const scored = newcomers.map((newcomer) => (most === 0 ? [] : scoredEdges(engine, newcomer, moment)))
  const best = scored.flatMap((each) => each.slice(0, most).flatMap(endsOf))
  const ids = [...newcomers.map(({ block }) => block.id), ...best]
  const linker = await Linker.open(engine, { tx, moment }, ids, { heedDisconnections: true })
  const links: NewLinks[] = []
  for (const [i, candidates] of scored.entries()) {
    const { block } = newcomers[i] as Newcomer
    const made = { edges: [] as Edge[], displaced: [] as Edge[] }
    const join = (edge: Edge) => {
      if (made.edges.length === most || linker.between(edge.from, edge.to)) return
      const admission = linker.add(edge)
      if (!admission.admitted) return
      made.edges.push(edge)
      made.displaced.push(...admission.displaced)
    }
    candidates.slice(0, most).forEach(join)
    // Hubs are rare: the others are looked up only if one of the best is full.
    const others = made.edges.length < most ? candidates.slice(most) : []
    if (others.length > 0) await linker.widen(tx, others.flatMap(endsOf))
    others.forEach(join)
    links.push({ ...made, asserted: new Set(linker.assertedTo(block.id)) })
  }
  await linker.save(tx)
  return links
}

/** Returns the edges worth making, best first. Two blocks of one dream are of the same time (W10). */
function scoredEdges(
  { settings, embedder }: Engine,
  { block, neighbours, kin }: Newcomer,
  moment: Moment,
): Edge[] {
  const { edgeCosineFloor, edgeUnsharedCosine, edgeScoreThreshold } = similarityThresholdsOf(
    settings,
    embedder.model,
  )
  const options = { ...EDGE_SCORE, cosineFloor: edgeCosineFloor - COSINE_ERROR }
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

/** Returns the open pair of a new block and one near it, for the review and for `resolve` to settle. */
export function openPair(
  { id }: Block,
  { block, cosine }: Neighbour,
  found: Required<Pick<BlockPair, 'kind' | 'foundBy' | 'createdAt'>>,
): BlockPair {
  const [a, b] = orderedPair(id, block.id)
  return { a, b, ...found, score: Math.min(1, cosine), resolved: false }
}

/**
 * Returns for each new block the open questions that need no model: the older block that it is to replace, as its author
 * said, and what rules find between it and its neighbours. One statement if there are hints, else none.
 *
 * @param given.blocks the blocks as they will be when this is written; others are looked up
 */
export async function conflictsOf(
  engine: Pick<Engine, 'settings'>,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  given: { readonly newcomers: readonly Newcomer[]; readonly blocks: ReadonlyMap<string, Block> },
): Promise<BlockPair[][]> {
  const hinted = given.newcomers.flatMap(({ block }) => block.supersedes ?? [])
  const unknown = hinted.filter((id) => !given.blocks.has(id))
  const known = await blocksById(tx, unknown, [...given.blocks.values()])
  return given.newcomers.map((newcomer) => {
    const { block } = newcomer
    const other = known.get(block.supersedes ?? '')
    const isHint = other?.status === 'active' && other.id !== block.id && other.scope === block.scope
    const hint = isHint ? [replacingPair(block, other, moment.at)] : []
    // A statement about two blocks counts more than the finding of a rule.
    const isSaid = (pair: BlockPair) => hint.some(({ a, b }) => a === pair.a && b === pair.b)
    return [...hint, ...ruledConflicts(engine, newcomer, moment.at).filter((pair) => !isSaid(pair))]
  })
}

/** Returns the contradictions that rules find with neighbours of the same source: two people may have two ports. */
function ruledConflicts(
  { settings: { conflicts } }: Pick<Engine, 'settings'>,
  { block, neighbours }: Newcomer,
  createdAt: string,
): BlockPair[] {
  const near = neighbours.filter(
    ({ block: { source, scope }, cosine }) =>
      cosine >= CONFLICT_COSINE && source === block.source && scope === block.scope,
  )
  if (!conflicts.rules || near.length === 0) return []
  const statement = readStatement(block.content, stemOf)
  return near.flatMap((each) => {
    const rule = contradictionBetween(statement, readStatement(each.block.content, stemOf))
    if (rule === undefined) return []
    return [openPair(block, each, { kind: 'contradiction', foundBy: `rule:${rule}`, createdAt })]
  })
}
