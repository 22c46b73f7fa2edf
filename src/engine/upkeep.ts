import type { Block } from '../block/block.ts'
import { count } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import type { Analysis } from '../language/question.ts'
import { readPage, readVectors, saveIndex } from '../store/blocks.ts'
import {
  readLoggedBeyond,
  readMeta,
  removeLogged,
  saveMeta,
  trimChanges as trimChangesRows,
  trimSessions as trimSessionsRows,
} from '../store/log.ts'
import { operations } from '../store/tables.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { type Engine, ownKey } from './engine.ts'

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

/** Makes the stored words of all active blocks anew when another analysis made them. Killed half-way it begins again. */
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

export async function rememberAnalysis(tx: Transaction, analysis: Analysis): Promise<void> {
  await saveMeta(tx, TERMS, analysis.id)
}

/** The packed index is made anew from so many blocks, and so many changes as a number and as a share of the blocks. */
const PACKED_FROM = { blocks: 1_000, changes: 500, share: 0.05 }

/** Makes the packed copy of the index anew when it has fallen behind: about 1 ms for 1,000 blocks and one small write. */
export async function keepIndex(engine: Engine): Promise<void> {
  const { index, keptIndex, store, ids, logger } = engine
  const { unkept, size } = index
  if (keptIndex === undefined || size < PACKED_FROM.blocks) return
  if (unkept < Math.max(PACKED_FROM.changes, size * PACKED_FROM.share)) return
  try {
    await store.read((tx) => index.refresh(tx))
    const mark = ids.random()
    const { header, sections } = index.pack(mark)
    if (!(await keptIndex.cache.keep(header, sections))) return
    const isOld = await store.write(
      async (tx) => {
        await saveMeta(tx, keptIndex.mark, mark)
        return (await tx.queries.changes(Number.MAX_SAFE_INTEGER)).generation !== index.generation
      },
      { durable: false },
    )
    // Another process removed blocks between the reading and the writing: their words must not stay in a file.
    if (isOld) keptIndex.cache.drop()
  } catch (error) {
    // Without a packed copy the next one to open reads the rows: slower, and right.
    if (!ElfmemError.is(error)) throw error
    const { code: outcome, message: detail } = error
    logger.log({ level: 'debug', operation: 'keepIndex', actor: 'elfmem', milliseconds: 0, outcome, detail })
  }
}

/** Entries of the log, or sessions, removed in one transaction of some 70 ms. */
const TRIM_BATCH = 5_000

/** Where the number of the newest entry is kept whose changes were dropped. */
const DROPPED_KEY = 'undo_dropped_up_to'

/** Where it is kept when the log begins, in a scope or in the whole store, once entries of it were dropped. */
const BEGINS_KEY = 'log_begins_at'

/** Drops the oldest entries, a batch in each transaction; returns how many. */
export async function trimLog(engine: Engine): Promise<number> {
  const { keepOperations } = engine.settings.memory
  const going = await engine.store.read((tx) => readLoggedBeyond(tx, keepOperations))
  let total = 0
  for (let at = 0; at < going.length; at += TRIM_BATCH) {
    const ids = going.slice(at, at + TRIM_BATCH)
    const drop = async (tx: Transaction): Promise<number> => {
      const dropped = await removeLogged(tx, ids)
      const [oldest] = dropped === 0 ? [] : await tx.rows.scan(operations, { order: ['id'], limit: 1 })
      if (oldest !== undefined) await saveMeta(tx, ownKey(engine, BEGINS_KEY), oldest.at)
      return dropped
    }
    total += await engine.store.write(drop, { durable: false })
  }
  return total
}

/** From when on the log is whole, ISO-8601 UTC; undefined when nothing of it was ever dropped. */
export async function logBegins(
  engine: Pick<Engine, 'scope'>,
  tx: ReadTransaction,
): Promise<string | undefined> {
  const own = await readMeta(tx, ownKey(engine, BEGINS_KEY))
  const ofAll = await readMeta(tx, BEGINS_KEY)
  return own !== undefined && (ofAll === undefined || own > ofAll) ? own : ofAll
}

/** Drops the oldest sessions, a batch in each transaction; returns how many. */
export async function trimSessions({ store, settings }: Engine): Promise<number> {
  const trim = (tx: Transaction) => trimSessionsRows(tx, settings.memory.keepSessions, TRIM_BATCH)
  for (let total = 0; ; ) {
    const trimmed = await store.write(trim, { durable: false })
    total += trimmed
    if (trimmed < TRIM_BATCH) return total
  }
}

/** Drops the oldest of what undo needs when all of it takes too much room, whichever scope it is of. */
export async function trimChanges({ store, settings }: Engine): Promise<void> {
  await store.write(
    async (tx) => {
      const dropped = await trimChangesRows(tx, settings.memory.keepUndoBytes)
      if (dropped > 0) await saveMeta(tx, DROPPED_KEY, String(dropped))
    },
    { durable: false },
  )
}

/** The newest entry of the log whose changes were dropped to save room; 0 when none were. */
export async function droppedUpTo(tx: ReadTransaction): Promise<number> {
  return Number((await readMeta(tx, DROPPED_KEY)) ?? 0)
}
