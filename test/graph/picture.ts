import type { Block } from '../../src/domain/block/block.ts'
import type { BlockPair, Edge, PendingConnection, StagedPair } from '../../src/domain/graph/edge.ts'
import type { Store } from '../../src/ports/store/store.ts'
import type {
  Counts,
  EdgeWithDecay,
  OperationRecord,
  StoreReader,
} from '../../src/ports/store/transaction.ts'

/** The whole graph of a store as it is now. */
export interface Picture {
  /** Active hours of the newest logged operation. */
  readonly hours: number
  readonly blocks: readonly Block[]
  readonly edges: readonly EdgeWithDecay[]
  readonly pending: readonly PendingConnection[]
  readonly openPairs: readonly BlockPair[]
  readonly staged: readonly StagedPair[]
  readonly counts: Counts
  /** When it was curated last. */
  readonly curatedAt: string | undefined
  readonly log: readonly OperationRecord[]
}

const EVERYTHING = 1_000

/** The two ends of anything that has some, as one string in one order. */
export function keyOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

export function keyOfEdge({ from, to }: Pick<Edge, 'from' | 'to'>): string {
  return keyOf(from, to)
}

/** Edges by their pair. */
export function edgesByKey({ edges }: Picture): Map<string, Edge> {
  return new Map(edges.map(({ edge }) => [keyOfEdge(edge), edge]))
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
  return store.read(async (tx: StoreReader) => ({
    hours: (await tx.clock()).hours,
    blocks: await tx.blocks(ids),
    edges: await tx.edgesAround(ids),
    pending: await tx.pendingConnections(EVERYTHING),
    openPairs: (await tx.openPairs(EVERYTHING)) ?? [],
    staged: await tx.stagedPairs({ atLeast: 1, limit: EVERYTHING }),
    counts: await tx.counts(),
    curatedAt: await tx.meta('last_curate_at'),
    log: await tx.operations({ limit: 5 }),
  }))
}
