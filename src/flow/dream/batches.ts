import { COSINE_ERROR, similarityThresholdsOf } from '../../config/match-calibration.ts'
import type { BlockIndex } from '../../domain/block/block.ts'
import { defined } from '../../domain/text/text.ts'
import { type QuantisedVector, quantise, quantisedCosine } from '../../search/index/quantise.ts'
import { SCAN_BATCH } from '../../search/index/vectors.ts'
import type { Compared, Near } from '../../search/nearest.ts'
import { type Embedded, embedBlocks } from '../engine/embedding.ts'
import { type CallContext, type Engine, nextTurn, Pauses } from '../engine/engine.ts'

/** A waiting block with all that is known of it before the transaction of its batch. */
export interface Candidate extends Embedded {
  /** The index entry of the block; made before the transaction, because analysing a long text is slow. */
  readonly entry: BlockIndex
  /** Blocks that may be near it, active or not, most similar first. */
  readonly near: readonly Near[]
}

interface BatchesOptions {
  /** The most blocks in all. */
  readonly total: number
  /** Blocks in a batch. */
  readonly size: number
  /** True if the next batch is embedded while one is promoted. */
  readonly isAhead: boolean
}

/** Yields the inbox in embedded batches, oldest first. Throws what the embedder throws when its batch is asked for. */
export async function* batchesOf(
  engine: Engine,
  context: CallContext,
  { total, size, isAhead }: BatchesOptions,
): AsyncGenerator<readonly Embedded[]> {
  let left = total
  let cursor: string | undefined
  const embed = async (): Promise<readonly Embedded[]> => {
    const limit = Math.min(size, left)
    if (limit === 0) return []
    const { page, vectors } = await engine.store.read(async (tx) => {
      const found = await tx.page({ status: 'inbox', order: 'arrival', limit, ...defined({ cursor }) })
      return { page: found, vectors: await tx.vectors(found.blocks.map(({ id }) => id)) }
    })
    cursor = page.cursor
    left = cursor === undefined ? 0 : left - page.blocks.length
    // An embedder in this very thread works in the same turn as the promotion of the batch before.
    await nextTurn()
    return page.blocks.length === 0 ? [] : embedBlocks(engine, page.blocks, context, vectors)
  }
  let next = embed()
  for (let batch = await next; batch.length > 0; batch = await next) {
    if (isAhead) next = embed()
    // A dream that stops early never asks for it; its failure is then no error.
    next.catch(() => undefined)
    yield batch
    if (!isAhead) next = embed()
  }
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
export const NEIGHBOURS = 8

/** Up to this batch size less similar neighbours are looked at, too: a change can be said in quite other words. */
const CLOSE_MOST = 20

/** A waiting block as others are compared with it. */
interface Comparable extends Compared {
  readonly id: string
  readonly session: string
  readonly tags: readonly string[]
  readonly quantised: QuantisedVector
}

function comparedOf({ block, vectors: { vector } }: Embedded): Comparable {
  const { id, session, scope, tags } = block
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
