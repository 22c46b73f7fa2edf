import type { Block } from '../block/block.ts'
import { count } from '../block/text.ts'
import type { Analysis } from '../language/question.ts'
import { readPage } from '../store/blocks.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { Transaction } from '../store/transaction.ts'
import { readVectors, saveIndex } from '../store/vectors.ts'
import type { Engine } from './engine.ts'

/**
 * Renews what recall finds the active ones of the blocks by, from their words as they are now and the vectors they have.
 * For changes that leave the content alone; a new content needs a new vector.
 */
export async function reindex(tx: Transaction, blocks: readonly Block[], analysis: Analysis): Promise<void> {
  const active = blocks.filter(({ status }) => status === 'active')
  if (active.length === 0) return
  const vectors = await readVectors(
    tx,
    active.map(({ id }) => id),
  )
  await saveIndex(
    tx,
    active.map((block) => analysis.entry(block, vectors.get(block.id))),
  )
}

const TERMS = 'terms_made_by'
/** Blocks a transaction: a few milliseconds each, so that nobody waits for the whole. */
const BATCH = 500

/**
 * Makes the stored words of all active blocks anew when another analysis made them (another language, another version):
 * otherwise questions would be read one way and blocks another, and rank wrongly without a sign. Vectors stay. Killed
 * half-way it begins again. One statement when nothing is to be done, two in an empty store.
 */
export async function refreshTerms({
  store,
  analysis,
  logger,
  clock,
  principal,
}: Pick<Engine, 'store' | 'analysis' | 'logger' | 'clock' | 'principal'>): Promise<void> {
  const started = clock.now()
  const madeBy = await store.read(async (tx) => {
    const known = await readMeta(tx, TERMS)
    if (known !== undefined) return known
    const { blocks } = await readPage(tx, { status: 'active', order: 'arrival', limit: 1 })
    return blocks.length === 0 ? analysis.id : 'unknown'
  })
  if (madeBy === analysis.id) return
  let cursor: string | undefined
  let renewed = 0
  do {
    const from = cursor
    cursor = await store.write(async (tx) => {
      const place = from === undefined ? {} : { cursor: from }
      const page = await readPage(tx, { status: 'active', order: 'arrival', limit: BATCH, ...place })
      await reindex(tx, page.blocks, analysis)
      renewed += page.blocks.length
      if (page.cursor === undefined) await rememberAnalysis(tx, analysis)
      return page.cursor
    })
  } while (cursor !== undefined)
  logger.log({
    level: 'info',
    operation: 'renew terms',
    actor: principal.actor,
    milliseconds: clock.now() - started,
    outcome: 'ok',
    detail: `${count(renewed, 'block')}, from ${madeBy} to ${analysis.id}`,
  })
}

/** Notes in the store which analysis makes its terms. */
export async function rememberAnalysis(tx: Transaction, analysis: Analysis): Promise<void> {
  await saveMeta(tx, TERMS, analysis.id)
}
