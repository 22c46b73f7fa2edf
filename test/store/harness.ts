import type { Block, BlockIndex } from '../../src/block/block.ts'
import { ElfmemError, type ErrorCode } from '../../src/errors.ts'
import type { BlockPair, Edge, Ends, PendingConnection } from '../../src/graph/edge.ts'
import { type NewBlock, readBlocks } from '../../src/store/blocks.ts'
import type { Counts } from '../../src/store/database.ts'
import {
  logOperation,
  type NewOperation,
  type OutcomeRecord,
  type QueuedOutcome,
} from '../../src/store/log.ts'
import type { Store, Transaction } from '../../src/store/transaction.ts'
import { insertBlock } from '../helpers/rows.ts'

/** A point in time for records whose time does not matter. */
export const AT = '2026-03-01T12:00:00.000Z'

/** A block with as little as a block may have. */
export function aBlock(id: string, fields: Partial<NewBlock> = {}): NewBlock {
  return {
    id,
    content: `content of ${id}`,
    category: 'knowledge',
    tags: [],
    sourceClass: 'agent',
    status: 'active',
    createdAt: AT,
    occurredAt: AT,
    session: 'session',
    successes: 0,
    failures: 0,
    reinforcementCount: 0,
    lastReinforcedAt: 0,
    lastUsefulAt: 0,
    decayLambda: 0.01,
    tokenCount: 4,
    ...fields,
  }
}

/** An edge in canonical order. */
export function anEdge(one: string, other: string, fields: Partial<Edge> = {}): Edge {
  return {
    from: one < other ? one : other,
    to: one < other ? other : one,
    relation: 'similar',
    origin: 'similarity',
    weight: 0.5,
    reinforcementCount: 0,
    lastActiveAt: 0,
    createdAt: AT,
    ...fields,
  }
}

/** An open pair in canonical order. */
export function aPair(one: string, other: string, fields: Partial<BlockPair> = {}): BlockPair {
  return {
    a: one < other ? one : other,
    b: one < other ? other : one,
    kind: 'near_duplicate',
    score: 0.9,
    resolved: false,
    createdAt: AT,
    ...fields,
  }
}

/** A connection that waits because of the degree cap. */
export function aPending(
  source: string,
  target: string,
  fields: Partial<PendingConnection> = {},
): PendingConnection {
  return { source, target, relation: 'supports', weight: 0.75, requestedAt: 2, attempts: 0, ...fields }
}

/** Pairs of blocks whose ids have one letter: 'ab' stands for the pair of a and b. */
export function ends(...pairs: readonly string[]): Ends[] {
  return pairs.map((pair): Ends => [pair.charAt(0), pair.charAt(1)])
}

/** An applied report on a block. */
export function anOutcome(blockId: string, signal = 1): OutcomeRecord {
  return { blockId, signal, weight: 1, source: 's', confidenceBefore: 0.1 + 0.2, confidenceAfter: 1, at: AT }
}

/** A report on a block that waits. */
export function aQueued(blockId: string, signal = 1): QueuedOutcome {
  return { blockId, signal, weight: 1, source: 's' }
}

/** An index entry without a vector. */
export function anIndex(id: string, fields: Partial<BlockIndex> = {}): BlockIndex {
  return { id, terms: `stem ${id}`, flags: '0', ...fields }
}

/** An entry of the operations log. */
export function anOperation(fields: Partial<NewOperation> = {}): NewOperation {
  return {
    operation: 'remember',
    at: AT,
    hours: 1,
    actor: 'library',
    blockIds: [],
    summary: 'Remembered.',
    ...fields,
  }
}

/** Inserts blocks of one status; returns them as stored. */
export function insertAll(
  store: Store,
  ids: readonly string[],
  fields: Partial<NewBlock> = {},
): Promise<Block[]> {
  return store.write(async (tx) => {
    const blocks: Block[] = []
    for (const id of ids) blocks.push((await insertBlock(tx, aBlock(id, fields))).block)
    return blocks
  })
}

/** The blocks with these ids. */
export function blocksOf(store: Store, ...ids: readonly string[]): Promise<Block[]> {
  return store.read((tx) => readBlocks(tx, ids))
}

/** The numbers of rows by kind. */
export function countsOf(store: Store): Promise<Counts> {
  return store.read((tx) => tx.queries.counts())
}

/** The ids of some rows, in their order. */
export function idsIn<T>(rows: readonly { readonly id: T }[]): T[] {
  return rows.map(({ id }) => id)
}

/** Runs a write that fails at its end. */
export async function failingWrite(store: Store, work: (tx: Transaction) => Promise<unknown>): Promise<void> {
  await store
    .write(async (tx) => {
      await work(tx)
      throw new Error('on purpose')
    })
    .catch(() => undefined)
}

/** Writes what can be taken back; the number of the entry it is kept under. */
export function undoably(store: Store, work: (tx: Transaction) => Promise<unknown>): Promise<number> {
  return store.write(
    async (tx) => {
      await work(tx)
      return logOperation(tx, anOperation())
    },
    { undoable: true },
  )
}

/** The code a call fails with; undefined when it succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<ErrorCode | undefined> {
  try {
    await call
  } catch (error) {
    if (ElfmemError.is(error)) return error.code
    throw error
  }
  return undefined
}
