import type { Block } from '../../src/block/block.ts'
import type { BlockPair, Edge, PendingConnection, StagedPair } from '../../src/graph/edge.ts'
import { readBlocks } from '../../src/store/blocks.ts'
import type { Counts } from '../../src/store/database.ts'
import { type EdgeWithDecay, readEdgesAround, readOpenPairs, readStagedPairs } from '../../src/store/graph.ts'
import { PENDING } from '../../src/store/tables.ts'
import type { ReadTransaction, Store } from '../../src/store/transaction.ts'

/** The whole graph of a store as it is now. */
export interface Picture {
  readonly blocks: readonly Block[]
  readonly edges: readonly EdgeWithDecay[]
  readonly pending: readonly PendingConnection[]
  readonly openPairs: readonly BlockPair[]
  readonly staged: readonly StagedPair[]
  readonly counts: Counts
}

const EVERYTHING = 1_000

/** The two ends of anything that has some, as one string in one order. */
export function keyOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

export function keyOfEdge({ from, to }: Pick<Edge, 'from' | 'to'>): string {
  return keyOf(from, to)
}

/** Blocks that are active. */
export function activeIds({ blocks }: Picture): Set<string> {
  return new Set(blocks.filter(({ status }) => status === 'active').map(({ id }) => id))
}

/** Blocks that are active or wait. */
export function livingIds({ blocks }: Picture): Set<string> {
  return new Set(blocks.filter(({ status }) => status !== 'archived').map(({ id }) => id))
}

/** Reads all there is about the graph in one transaction. */
export function takePicture(store: Store, ids: readonly string[]): Promise<Picture> {
  return store.read(async (tx: ReadTransaction) => ({
    blocks: await readBlocks(tx, ids),
    edges: await readEdgesAround(tx, ids),
    pending: await tx.rows.scan(PENDING, { order: ['id'], limit: EVERYTHING }),
    openPairs: (await readOpenPairs(tx, EVERYTHING)) ?? [],
    staged: await readStagedPairs(tx, { atLeast: 1, limit: EVERYTHING }),
    counts: await tx.queries.counts(),
  }))
}
