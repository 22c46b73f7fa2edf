import { COSINE_ERROR, similarityThresholdsOf } from '../../config/match-calibration.ts'
import type { Block, BlockIndex } from '../../domain/block/block.ts'
import { defined } from '../../domain/text/text.ts'
import { type QuantisedVector, quantise, quantisedCosine } from '../../search/index/quantise.ts'
import { SCAN_BATCH } from '../../search/index/vectors.ts'
import type { Compared, Near } from '../../search/nearest.ts'
import { type Embedded, embedBlocks } from '../engine/embedding.ts'
import { type CallContext, type Engine, nextTurn, Pauses } from '../engine/engine.ts'
import type { Judgement, Judgements } from '../judge/judgement.ts'

/** A waiting block with its vector and its judgement. */
export interface Prepared extends Embedded {
  /** `pending`: a model was to judge it and did not; absent: nobody was to judge it. */
  readonly judgement: Judgement | 'pending' | undefined
}

/** A waiting block with all that is known of it before the transaction of its batch. */
export interface Candidate extends Prepared {
  /** The index entry of the block; made before the transaction, because analysing a long text is slow. */
  readonly entry: BlockIndex
  /** Blocks that may be near it, active or not, most similar first. */
  readonly near: readonly Near[]
}

/** The size of the batches, how far they are prepared ahead, and how they are judged. */
export interface BatchesOptions {
  /** The most blocks in all. */
  readonly total: number
  /** Blocks in a batch. */
  readonly size: number
  /** Number of batches that are prepared while one is promoted. */
  readonly ahead: number
  readonly judge: (blocks: readonly Block[]) => Promise<Judgements>
}

/** The inbox in batches that are embedded and judged, oldest first. While one is promoted the next are prepared. */
export class Batches {
  readonly #engine: Engine
  readonly #context: CallContext
  readonly #options: BatchesOptions
  readonly #ahead: Promise<Prepared[]>[] = []
  #embedding: Promise<unknown> = Promise.resolve()
  #left: number
  #cursor: string | undefined

  constructor(engine: Engine, context: CallContext, options: BatchesOptions) {
    this.#engine = engine
    this.#context = context
    this.#options = options
    this.#left = options.total
  }

  /** Returns the next batch; empty at the end. Throws what the embedder throws, not before its batch is asked for. */
  async next(): Promise<Prepared[]> {
    while (this.#ahead.length <= this.#options.ahead) this.#ahead.push(this.#prepare())
    return (await this.#ahead.shift()) ?? []
  }

  /** Pages are read and embedded one after the other; one is judged while the next is embedded. */
  #prepare(): Promise<Prepared[]> {
    const embedding = this.#embedding.then(() => this.#embed())
    this.#embedding = embedding
    const prepared = embedding.then((embedded) => this.#judge(embedded))
    // A dream that stops early never asks for it; its failure is then no error.
    embedding.catch(() => undefined)
    prepared.catch(() => undefined)
    return prepared
  }

  async #embed(): Promise<Embedded[]> {
    const limit = Math.min(this.#options.size, this.#left)
    if (limit === 0) return []
    const cursor = this.#cursor
    const { page, vectors } = await this.#engine.store.read(async (tx) => {
      const found = await tx.page({ status: 'inbox', order: 'arrival', limit, ...defined({ cursor }) })
      return { page: found, vectors: await tx.vectors(found.blocks.map(({ id }) => id)) }
    })
    this.#cursor = page.cursor
    this.#left = page.cursor === undefined ? 0 : this.#left - page.blocks.length
    // An embedder in this very thread works in the same turn as the promotion of the batch before.
    await nextTurn()
    return page.blocks.length === 0 ? [] : embedBlocks(this.#engine, page.blocks, this.#context, vectors)
  }

  async #judge(embedded: readonly Embedded[]): Promise<Prepared[]> {
    const judgements = await this.#options.judge(embedded.map(({ block }) => block))
    return embedded.map((each) => ({ ...each, judgement: judgements.get(each.block.id) }))
  }
}

/** Returns the blocks of a batch with their neighbours and index entries. Other calls have their turn between its steps. */
export async function candidatesOf(engine: Engine, batch: readonly Prepared[]): Promise<Candidate[]> {
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
export const NEIGHBOURS = 8

/** Up to this batch size less similar neighbours are looked at, too: a change can be said in quite other words. */
const CLOSE_MOST = 20

/** A waiting block with the tags that it will have, unless they are refused. */
interface Comparable extends Compared {
  readonly id: string
  readonly session: string
  readonly tags: readonly string[]
  readonly quantised: QuantisedVector
}

function comparedOf({ block, vectors: { vector }, judgement }: Prepared): Comparable {
  const { id, session, scope } = block
  const tags =
    judgement === undefined || judgement === 'pending' ? block.tags : [...block.tags, ...judgement.tags]
  return { id, session, tags, vector, quantised: quantise(vector), ...defined({ scope }) }
}

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
    known.push(
      ...index.nearest(batch.slice(at, at + SCAN_BATCH), {
        count: NEIGHBOURS,
        floor,
        kinFloor,
        scan: settings.memory.dreamScan,
      }),
    )
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
