import { type Block, canMove } from '../../domain/block/block.ts'
import { type BlockPair, type Edge, replacingPair } from '../../domain/graph/edge.ts'
import { isProtectedEdge } from '../../domain/graph/rules.ts'
import { count } from '../../domain/text/text.ts'
import type { ArchivedEdges, StoreWriter } from '../../ports/store/transaction.ts'
import { findSameContent, livingAmong } from '../blocks/look-up.ts'
import { reindex } from '../blocks/reindex.ts'
import { endByOthers, endReplaced } from '../blocks/supersede.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { type Linked, Linker } from './linker.ts'

/** A block as it stands after a restore, and how many of its edges and pairs came back. */
export interface RestoreResult {
  readonly blockId: string
  readonly status: 'active' | 'inbox'
  /** False when the block was not archived. */
  readonly restored: boolean
  readonly edgesRestored: number
  /** Edges that stay away: the other end is gone or at its degree cap. */
  readonly edgesLost: number
  /** Edges they evicted. */
  readonly displaced: readonly Edge[]
  readonly pairsRestored: number
  /** Another living block that says the same. */
  readonly sameAs?: string
}

/**
 * Brings an archived block back to where it was archived from, with its tags, its evidence, and the edges and pairs
 * whose other end is still there. Its clock starts anew, so that it does not fade again at once.
 */
export async function bringBack(
  engine: Engine,
  { tx, moment, log }: Mutation,
  archived: Block,
): Promise<RestoreResult> {
  const archivedEdges = await tx.takeArchivedEdges(archived.id)
  const status = await statusBefore(tx, archived, archivedEdges)
  const { archiveReason, supersededBy, supersededAt: _end, archivedAt: _at, ...kept } = archived
  // Whoever restores what was replaced says that it goes on; what was forgotten or faded is as it was.
  const supersededAt = archiveReason === 'superseded' ? undefined : await endByOthers(tx, archived)
  const block: Block = {
    ...{ ...kept, status, lastReinforcedAt: moment.hours },
    ...(supersededAt === undefined ? {} : { supersededAt }),
  }
  await tx.saveBlocks([block])
  const ended = await endReplaced(tx, [block])
  await reindex(tx, [block], engine.analysis)
  // Two blocks archived together both keep the edge between them.
  const edges = [
    ...new Map((archivedEdges?.edges ?? []).map((edge) => [`${edge.from} ${edge.to}`, edge])).values(),
  ]
  const { added, displacements } =
    edges.length > 0 ? await joinAgain(engine, { tx, moment }, edges) : { added: [], displacements: [] }
  const pairs = await livingPairs(tx, block.id, archivedEdges?.pairs ?? [])
  if (pairs.length > 0) await tx.savePairs(pairs)
  // It has its place again, whatever was decided before it went.
  if (ended.length > 0)
    await tx.savePairs(
      ended.map((older) => replacingPair(block, older, moment.at)),
      { reopens: true },
    )
  const same = await findSameContent(tx, block)
  await log({
    operation: 'restore',
    blockIds: [block.id],
    summary: `is ${status} again with ${added.length} of ${count(edges.length, 'edge')}`,
    before: { status: 'archived', archiveReason, supersededBy, displacements },
  })
  return {
    blockId: block.id,
    status,
    restored: true,
    edgesRestored: added.length,
    edgesLost: edges.length - added.length,
    displaced: displacements.map(({ edge }) => edge),
    pairsRestored: pairs.length,
    ...(same === undefined ? {} : { sameAs: same.id }),
  }
}

/** Where it was archived from; a block without archived edges was active when it has a vector. */
async function statusBefore(
  tx: StoreWriter,
  { id }: Block,
  archivedEdges?: ArchivedEdges,
): Promise<RestoreResult['status']> {
  const before = archivedEdges?.previousStatus
  if (before !== undefined && before !== 'archived' && canMove('archived', before)) return before
  return (await tx.vectors([id])).has(id) ? 'active' : 'inbox'
}

/** Joins living blocks again within the degree cap: edges an agent asserted first, then the heavier. */
async function joinAgain(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  edges: readonly Edge[],
): Promise<Linked> {
  const ends = [...new Set(edges.flatMap(({ from, to }) => [from, to]))]
  const back = await livingAmong(tx, ends)
  // What joined it to a block that is still archived comes back with that one.
  await tx.addArchivedEdges(edges.filter(({ from, to }) => !(back.has(from) && back.has(to))))
  const living = edges
    .filter(({ from, to }) => back.has(from) && back.has(to))
    .sort((a, b) => Number(isProtectedEdge(b)) - Number(isProtectedEdge(a)) || b.weight - a.weight)
  const linker = await Linker.open(engine, { tx, moment }, [...back], { heedDisconnections: false })
  for (const edge of living) if (!linker.between(edge.from, edge.to)) linker.add(edge)
  return linker.save(tx)
}

async function livingPairs(
  tx: StoreWriter,
  blockId: string,
  pairs: readonly BlockPair[],
): Promise<BlockPair[]> {
  if (pairs.length === 0) return []
  const others = await tx.blocks(pairs.map(({ a, b }) => (a === blockId ? b : a)))
  const living = new Set(others.filter(({ status }) => status !== 'archived').map(({ id }) => id))
  return pairs.filter(({ a, b }) => living.has(a === blockId ? b : a))
}
