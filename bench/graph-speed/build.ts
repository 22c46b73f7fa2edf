import { rememberAnalysis } from '../../src/engine/embedding.ts'
import { createAnalysis, createLanguage } from '../../src/language/question.ts'
import { saveIndex } from '../../src/store/blocks.ts'
import { saveEdges } from '../../src/store/graph.ts'
import { saveMeta } from '../../src/store/log.ts'
import type { Store, Transaction } from '../../src/store/transaction.ts'
import { insertBlock } from '../../test/helpers/rows.ts'
import { EMBEDDER, NOW, type World } from './world.ts'

const BATCH = 2_000

/** Writes a world through the store's own door, in large batches, with vectors under the name of a model. */
export async function build(store: Store, world: World, model = EMBEDDER.model): Promise<void> {
  const analysis = createAnalysis(createLanguage('auto'))
  const write = (work: (tx: Transaction) => Promise<void>) => store.write(work, { durable: false })
  for (const part of batches(world.blocks))
    await write(async (tx) => {
      for (const { block } of part) await insertBlock(tx, block)
      await saveIndex(
        tx,
        part.map(({ block, vector }) => analysis.entry(block, { vector })),
      )
    })
  for (const part of batches(world.edges)) await write((tx) => saveEdges(tx, part))
  await write(async (tx) => {
    await saveMeta(tx, 'embedding_model', model)
    await saveMeta(tx, 'embedding_dimensions', String(EMBEDDER.dimensions))
    await saveMeta(tx, 'last_curate_at', String(NOW))
    await rememberAnalysis(tx, analysis)
  })
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}
