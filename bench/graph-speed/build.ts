import { rememberAnalysis } from '../../src/engine/embedding.ts'
import type { Ends } from '../../src/graph/edge.ts'
import { createAnalysis, createLanguage } from '../../src/language/question.ts'
import { saveIndex } from '../../src/store/blocks.ts'
import { saveEdges, stagePairs } from '../../src/store/graph.ts'
import { logOperation, saveMeta } from '../../src/store/log.ts'
import type { Store, Transaction } from '../../src/store/transaction.ts'
import { insertBlock } from '../../test/helpers/rows.ts'
import { TOLD_MODEL } from './told-embedder.ts'
import { NOW, type World } from './world.ts'

const BATCH = 2_000
/** Entries in the log: more than are kept by as many as a few days leave. */
const LOGGED = 22_000
const STAGED = 900
const DUE = 100

/** Writes a world through the store's own door, in large batches. */
export async function build(store: Store, world: World): Promise<void> {
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
    await saveMeta(tx, 'embedding_model', TOLD_MODEL)
    await saveMeta(tx, 'embedding_dimensions', String(world.blocks[0]?.vector.length))
    await saveMeta(tx, 'last_curate_at', String(NOW))
    await rememberAnalysis(tx, analysis)
    await stage(tx, world)
  })
  const at = new Date().toISOString()
  for (const part of batches(Array.from({ length: LOGGED }, (_, i) => i)))
    await write(async (tx) => {
      for (const i of part) {
        const blockIds = Array.from(
          { length: 5 },
          (_, j) => world.crowd[(i * 5 + j) % world.crowd.length] ?? '',
        )
        const summary = 'attention: 5 shown'
        await logOperation(tx, { operation: 'recall', at, hours: NOW, actor: 'bench', blockIds, summary })
      }
    })
}

/** Pairs that came together, some of them often enough. Blocks a whole topic apart are never joined. */
async function stage(tx: Transaction, { crowd }: World): Promise<void> {
  const pairs = Array.from(
    { length: Math.min(STAGED, Math.floor(crowd.length / 2)) },
    (_, i): Ends => [crowd[i] ?? '', crowd[(i + Math.floor(crowd.length / 2)) % crowd.length] ?? ''],
  )
  const options = { threshold: 3, limit: 1_000, disconnectedSince: 0 }
  await stagePairs(tx, pairs, { ...options, mark: 'one' })
  for (const mark of ['two', 'three']) await stagePairs(tx, pairs.slice(0, DUE), { ...options, mark })
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}
