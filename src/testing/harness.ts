import type { Block, BlockIndex } from '../domain/block/block.ts'
import type { Proposal } from '../domain/decision/proposal.ts'
import type { BlockPair, Edge, PendingConnection } from '../domain/graph/edge.ts'
import { ElfmemError, type ErrorCode } from '../errors.ts'
import type { SavedItem } from '../ports/store/items.ts'
import type { Database } from '../ports/store/rows.ts'
import type { Store } from '../ports/store/store.ts'
import type { NewBlock, OperationRecord, StoreWriter } from '../ports/store/transaction.ts'

/** The part of a test framework's `expect` that the suite uses; vitest's, jest's and bun's fit. */
export type Expect = (actual: unknown) => {
  toEqual(expected: unknown): void
  toBe(expected: unknown): void
}

/** The part of a test framework's `test` that the suite uses. */
export type Test = (title: string, run: () => Promise<void>) => void

/** A database to test, and how to open the same data once more after it was closed. */
export interface OpenedDatabase {
  readonly database: Database
  readonly reopen?: () => Promise<Database>
}

/** The parts of a database, and of a test framework, that the contract suite needs. */
export interface DatabaseContract {
  readonly name: string
  /** Opens an empty database. */
  readonly open: () => Promise<OpenedDatabase>
  readonly test: Test
  readonly expect: Expect
  /** True if reads and writes wait for each other, so that no read can begin during a write. */
  readonly takesTurns?: boolean
}

/** Tools of every part of the suite. */
export interface Suite extends Pick<DatabaseContract, 'expect' | 'takesTurns'> {
  /** A test on the store of an empty database, which is closed afterwards. */
  readonly check: (
    title: string,
    run: (store: Store, reopen: (() => Promise<Store>) | undefined) => Promise<void>,
  ) => void
  /** A test on an empty database itself. */
  readonly checkDatabase: (
    title: string,
    run: (database: Database, reopen: OpenedDatabase['reopen']) => Promise<void>,
  ) => void
}

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

/** A named item, found by some blocks. */
export function anItem(
  id: string,
  blockIds: readonly string[],
  version = 1,
  fields: Partial<SavedItem> = {},
): SavedItem {
  const place = { space: 'space', namespace: '', key: `key of ${id}` }
  return { id, ...place, value: { id }, createdAt: AT, updatedAt: AT, version, ...fields, blockIds }
}

/** An open proposal of a value. */
export function aProposal(id: string, fields: Partial<Proposal> = {}): Proposal {
  const asked = { kind: 'value', content: `words of ${id}` } as const
  return { id, ...asked, proposer: 'mcp:test', state: 'open', createdAt: AT, ...fields }
}

/** An index entry without a vector. */
export function anIndex(id: string, fields: Partial<BlockIndex> = {}): BlockIndex {
  return { id, terms: `stem ${id}`, asks: false, timed: false, ...fields }
}

/** An entry of the operations log. */
export function anOperation(fields: Partial<OperationRecord> = {}): Omit<OperationRecord, 'id'> {
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
    for (const id of ids) blocks.push((await tx.insertBlock(aBlock(id, fields))).block)
    return blocks
  })
}

/** Writes what can be taken back; the number of the entry it is kept under. */
export function undoably(store: Store, work: (tx: StoreWriter) => Promise<unknown>): Promise<number> {
  return store.write(
    async (tx) => {
      await work(tx)
      return tx.log(anOperation())
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

/** Removes at most `most` of the oldest entries of the log beyond `keep`; returns how many. */
export async function trimLog(tx: StoreWriter, keep: number, most: number): Promise<number> {
  return tx.removeLogged((await tx.loggedBeyond(keep)).slice(0, most))
}
