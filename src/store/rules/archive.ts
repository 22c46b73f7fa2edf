import type { BlockStatus } from '../../domain/block/block.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import type { RowOf, Table } from '../../ports/store/description.ts'
import { archivedEdges, edges, pairs, pendingConnections, staging, unlabelledPairs } from '../tables.ts'
import type { Transaction } from '../transaction.ts'
import { readLinks } from './graph.ts'

/** The tables that join blocks. Their rows go when a block is archived; of pairs only the open ones. */
const JOINING: readonly Table[] = [edges, pairs, staging, pendingConnections, unlabelledPairs]

/** Removes the rows of a table that name one of the blocks. */
async function removeTouching(tx: Transaction, table: Table, ids: readonly string[]): Promise<void> {
  const where = table.columns.resolved === undefined ? {} : { resolved: false }
  const found = await tx.rows.touching(table, ids, { where })
  await tx.remove(table, found)
}

/** The edges and open pairs that an archived block had. */
export type ArchivedEdges = RowOf<typeof archivedEdges>

/**
 * Removes all edges and open pairs of blocks, across scopes, and keeps them for `takeArchivedEdges`; removes staged and pending ones.
 * An edge between two of the blocks is kept with both. A block archived twice keeps what was kept first.
 */
export async function archiveEdgesOf(
  own: Transaction,
  given: readonly { readonly id: string; readonly previousStatus: BlockStatus }[],
): Promise<void> {
  const at = await own.lookUp(given.map(({ id }) => id))
  const statuses = new Map(given.map(({ id, previousStatus }) => [id, previousStatus]))
  const ids = [...statuses.keys()].filter((id) => at(id) !== undefined)
  if (ids.length === 0) return
  for (const id of ids) own.done.push({ scope: at(id)?.scope, counts: { archived: 1 } })
  const tx = own.whole
  const links = await readLinks(tx, ids)
  const keys = ids.map((id) => [id])
  const before = await tx.rows.get(archivedEdges, keys)
  const earlier = new Map(before.map((each) => [each.blockId, each]))
  await tx.rows.put(
    archivedEdges,
    ids.map((blockId) => ({
      blockId,
      previousStatus: earlier.get(blockId)?.previousStatus ?? (statuses.get(blockId) as BlockStatus),
      edges: [
        ...(earlier.get(blockId)?.edges ?? []),
        ...links.edges.filter(({ from, to }) => from === blockId || to === blockId),
      ],
      pairs: [
        ...(earlier.get(blockId)?.pairs ?? []),
        ...links.pairs.filter(({ a, b }) => a === blockId || b === blockId),
      ],
    })),
    before,
  )
  for (const table of JOINING) await removeTouching(tx, table, ids)
}

/** Adds edges to those archived with their ends, so that they come back with the last of them. */
export async function addArchivedEdges(own: Transaction, given: readonly Edge[]): Promise<void> {
  const at = await visible(own, given.flatMap(endsOf))
  const kept = given.filter((edge) => endsOf(edge).every(at))
  const rows = own.whole.rows
  const before = await rows.get(
    archivedEdges,
    kept.flatMap(endsOf).map((id) => [id]),
  )
  const after = before.map((row): RowOf<typeof archivedEdges> => {
    const added = kept.flatMap((edge) => endsOf(edge).flatMap((id) => (id === row.blockId ? [edge] : [])))
    return { ...row, edges: [...row.edges, ...added] }
  })
  await rows.put(archivedEdges, after, before)
}

/** Removes and returns the archived edges and pairs of a block; those that a view does not see are removed only. */
export async function takeArchivedEdges(
  own: Transaction,
  blockId: string,
): Promise<ArchivedEdges | undefined> {
  if (!(await visible(own, [blockId]))(blockId)) return undefined
  const [archived] = await own.whole.rows.remove(archivedEdges, [[blockId]])
  if (archived === undefined) return undefined
  const at = await visible(own, [...archived.edges.flatMap(endsOf), ...archived.pairs.flatMap(blocksOf)])
  return {
    ...archived,
    edges: archived.edges.filter((edge) => endsOf(edge).every(at)),
    pairs: archived.pairs.filter((pair) => blocksOf(pair).every(at)),
  }
}

function endsOf({ from, to }: Edge): string[] {
  return [from, to]
}

function blocksOf({ a, b }: BlockPair): string[] {
  return [a, b]
}

/** Which of the ids the transaction may see; over the whole store all, and no statement. */
async function visible(tx: Transaction, ids: readonly string[]): Promise<(id: string) => boolean> {
  if (tx.scope === undefined) return () => true
  const at = await tx.lookUp(ids)
  return (id) => at(id) !== undefined
}
