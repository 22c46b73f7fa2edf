import type { BlockStatus } from '../../domain/block/block.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import type { ArchivedEdges, BlockVitality, Links } from '../../ports/store/transaction.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { ownIds } from '../queries/blocks.ts'
import { readLinks, removeEdgesOf } from './edges.ts'
import { removeUnlabelledOf } from './judging.ts'
import { removeOpenPairsOf } from './pairs.ts'
import { removePendingOf } from './pending.ts'
import { removeStagingOf } from './staging.ts'

interface ArchivedEdgesRow {
  readonly block_id: string
  readonly previous_status: BlockStatus
  readonly edges: string
  readonly pairs: string
}

const SELECT_VITALITY = statement(
  ({ own, strengths }) => `SELECT id, decay_lambda, last_reinforced_at,
  coalesce((SELECT degree FROM ${strengths} WHERE block_id = blocks.id), 0) AS degree
FROM blocks WHERE status = 'active' AND id > ?1${own('blocks')} ORDER BY id LIMIT ?2`,
)

const TAKE_ARCHIVED_EDGES = `DELETE FROM archived_edges WHERE block_id IN (SELECT value FROM json_each(?1))
RETURNING block_id, previous_status, edges, pairs`

const SAVE_ARCHIVED_EDGES = `INSERT INTO archived_edges (block_id, previous_status, edges, pairs)
SELECT blocks.id, incoming.value ->> 1, incoming.value ->> 2, incoming.value ->> 3
FROM json_each(?1) AS incoming CROSS JOIN blocks ON blocks.id = incoming.value ->> 0`

const ADD_ARCHIVED_EDGES = `UPDATE archived_edges
SET edges = (
  SELECT json_group_array(json(edge)) FROM (
    SELECT value AS edge FROM json_each(archived_edges.edges)
    UNION ALL
    SELECT value ->> 1 FROM json_each(?1) WHERE value ->> 0 = archived_edges.block_id
  )
)
WHERE block_id IN (SELECT value ->> 0 FROM json_each(?1))`

/** Active blocks after an id, with what decides whether they fade. */
export function readVitalityPage(
  connection: ScopedConnection,
  afterId: string,
  limit: number,
): BlockVitality[] {
  return connection.values(SELECT_VITALITY, afterId, Math.max(0, limit)).map((row) => ({
    id: row[0] as string,
    decayLambda: row[1] as number,
    lastReinforcedAt: row[2] as number,
    degree: row[3] as number,
  }))
}

/**
 * Takes the blocks out of the graph, whatever they are joined to. An edge between two of them is kept with both. A block
 * archived twice keeps what was kept first.
 */
export function archiveEdgesOf(
  own: ScopedConnection,
  given: readonly { readonly id: string; readonly previousStatus: BlockStatus }[],
): void {
  const known = visible(
    own,
    given.map(({ id }) => id),
  )
  const blocks = given.filter(({ id }) => known(id))
  if (blocks.length === 0) return
  const connection = own.whole
  const ids = blocks.map((block) => block.id)
  const links = linksById(readLinks(connection, ids))
  const earlier = new Map(
    takeAllArchivedEdges(connection, ids).map((archivedEdges) => [archivedEdges.blockId, archivedEdges]),
  )
  const statuses = new Map(blocks.map((block) => [block.id, block.previousStatus]))
  const values = [...statuses].map(([id, status]) => {
    const before = earlier.get(id)
    const { edges, pairs } = links.get(id) ?? { edges: [], pairs: [] }
    return [
      id,
      before?.previousStatus ?? status,
      JSON.stringify([...(before?.edges ?? []), ...edges]),
      JSON.stringify([...(before?.pairs ?? []), ...pairs]),
    ]
  })
  connection.run(SAVE_ARCHIVED_EDGES, JSON.stringify(values))
  removeEdgesOf(connection, ids)
  removeOpenPairsOf(connection, ids)
  removeStagingOf(connection, ids)
  removePendingOf(connection, ids)
  removeUnlabelledOf(connection, ids)
}

/** Adds edges to those archived with their ends. */
export function addArchivedEdges(connection: ScopedConnection, edges: readonly Edge[]): void {
  const known = visible(
    connection,
    edges.flatMap(({ from, to }) => [from, to]),
  )
  const kept = edges.filter(({ from, to }) => known(from) && known(to))
  if (kept.length === 0) return
  const values = kept.flatMap((edge) => [edge.from, edge.to].map((id) => [id, JSON.stringify(edge)]))
  connection.run(ADD_ARCHIVED_EDGES, JSON.stringify(values))
}

/** Removes and returns the archived edges and pairs of a block; a scope gets only those within it. */
export function takeArchivedEdges(connection: ScopedConnection, blockId: string): ArchivedEdges | undefined {
  if (!visible(connection, [blockId])(blockId)) return undefined
  const [archivedEdges] = takeAllArchivedEdges(connection, [blockId])
  if (archivedEdges === undefined) return undefined
  const { edges, pairs } = archivedEdges
  const known = visible(connection, [
    ...edges.flatMap(({ from, to }) => [from, to]),
    ...pairs.flatMap(({ a, b }) => [a, b]),
  ])
  return {
    ...archivedEdges,
    edges: edges.filter(({ from, to }) => known(from) && known(to)),
    pairs: pairs.filter(({ a, b }) => known(a) && known(b)),
  }
}

/** Which of the ids the connection may see; over the whole store all, and no statement. */
function visible(connection: ScopedConnection, ids: readonly string[]): (id: string) => boolean {
  if (connection.scope === undefined || ids.length === 0) return () => true
  const own = ownIds(connection, ids)
  return (id) => own.has(id)
}

function takeAllArchivedEdges(connection: ScopedConnection, ids: readonly string[]): ArchivedEdges[] {
  return connection.all<ArchivedEdgesRow>(TAKE_ARCHIVED_EDGES, JSON.stringify(ids)).map((row) => ({
    blockId: row.block_id,
    previousStatus: row.previous_status,
    edges: JSON.parse(row.edges) as Edge[],
    pairs: JSON.parse(row.pairs) as BlockPair[],
  }))
}

function linksById(links: Links): Map<string, { edges: Edge[]; pairs: BlockPair[] }> {
  const byId = new Map<string, { edges: Edge[]; pairs: BlockPair[] }>()
  const at = (id: string): { edges: Edge[]; pairs: BlockPair[] } => {
    const known = byId.get(id) ?? { edges: [], pairs: [] }
    byId.set(id, known)
    return known
  }
  for (const edge of links.edges) for (const id of [edge.from, edge.to]) at(id).edges.push(edge)
  for (const pair of links.pairs) for (const id of [pair.a, pair.b]) at(id).pairs.push(pair)
  return byId
}
