import { type Edge, orderedPair } from '../../domain/edge.ts'
import type { Links } from '../../ports/store.ts'
import type { Connection } from './driver.ts'
import {
  columnsOf,
  EDGE_COLUMNS,
  type EdgeRow,
  edgeOf,
  edgeValues,
  jsonList,
  jsonTable,
  type PairRow,
  pairKey,
  pairOf,
} from './rows.ts'

type Ends = readonly [from: string, to: string]

const WANTED = 'IN (SELECT value FROM json_each(?1))'

/** Edges and open pairs with one layout; `kind` is NULL for an edge. */
const LINK_COLUMNS = `from_id, to_id, relation, origin, weight, reinforcement_count, last_active_at, created_at, note,
  declared_by, NULL AS kind`
const PAIR_AS_LINK = `a, b, NULL, NULL, score, 0, 0, created_at, NULL, NULL, kind`

const SELECT_LINKS = `SELECT * FROM (
  SELECT ${LINK_COLUMNS} FROM edges WHERE from_id ${WANTED}
  UNION ALL
  SELECT ${LINK_COLUMNS} FROM edges WHERE to_id ${WANTED} AND from_id NOT ${WANTED}
  UNION ALL
  SELECT ${PAIR_AS_LINK} FROM pairs WHERE a ${WANTED} AND resolved = 0
  UNION ALL
  SELECT ${PAIR_AS_LINK} FROM pairs WHERE b ${WANTED} AND resolved = 0 AND a NOT ${WANTED}
)
ORDER BY weight DESC, from_id, to_id`

const SELECT_DEGREES = `SELECT blocks.id,
  (SELECT count(*) FROM edges WHERE from_id = blocks.id)
    + (SELECT count(*) FROM edges WHERE to_id = blocks.id) AS degree
FROM json_each(?1) AS wanted CROSS JOIN blocks ON blocks.id = wanted.value
ORDER BY wanted.key`

const OVERWRITTEN = EDGE_COLUMNS.filter((column) => column !== 'from_id' && column !== 'to_id')

/** Edges to blocks that do not exist are left out by the joins. `WHERE true` ends the joins for the parser. */
const SAVE_EDGES = `INSERT INTO edges (${EDGE_COLUMNS.join(', ')})
SELECT ${columnsOf('incoming', EDGE_COLUMNS)}
FROM ${jsonTable(EDGE_COLUMNS)} AS incoming
CROSS JOIN blocks AS one ON one.id = incoming.from_id
CROSS JOIN blocks AS other ON other.id = incoming.to_id
WHERE true
ORDER BY incoming.ordinal
ON CONFLICT (from_id, to_id) DO UPDATE
SET ${OVERWRITTEN.map((column) => `${column} = excluded.${column}`).join(', ')}`

const REMOVE_EDGES = `DELETE FROM edges
WHERE (from_id, to_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))
RETURNING ${EDGE_COLUMNS.join(', ')}`

/** CASE hides the other end from the planner, which would try each pair of ids instead of each edge. */
const REINFORCE_EDGES = `UPDATE edges SET reinforcement_count = reinforcement_count + 1, last_active_at = ?2
WHERE from_id ${WANTED} AND CASE WHEN to_id ${WANTED} THEN 1 ELSE 0 END = 1`

const REMOVE_EDGES_OF = `DELETE FROM edges WHERE from_id ${WANTED} OR to_id ${WANTED}`

/** Edges and open pairs around the blocks, strongest first. */
export function readLinks(connection: Connection, ids: readonly string[]): Links {
  const rows = connection.all<EdgeRow & { readonly kind: PairRow['kind'] | null }>(
    SELECT_LINKS,
    jsonList(ids),
  )
  const edges: Edge[] = []
  const pairs: Links['pairs'][number][] = []
  for (const row of rows) {
    if (row.kind === null) edges.push(edgeOf(row))
    else pairs.push(pairOf(pairRowOf(row, row.kind)))
  }
  return { edges, pairs }
}

/** How many edges each existing block has. */
export function readDegrees(connection: Connection, ids: readonly string[]): Map<string, number> {
  const rows = connection.all<{ id: string; degree: number }>(SELECT_DEGREES, jsonList(ids))
  return new Map(rows.map((row) => [row.id, row.degree]))
}

/** Inserts or overwrites edges between existing blocks; the last one of a pair wins. */
export function saveEdges(connection: Connection, edges: readonly Edge[]): void {
  const saved = edges.filter((edge) => edge.from !== edge.to)
  if (saved.length === 0) return
  connection.run(SAVE_EDGES, JSON.stringify(saved.map((edge) => edgeValues(canonical(edge)))))
}

/** Removes edges by their ends; returns those that were there, in the order asked for. */
export function removeEdges(connection: Connection, pairs: readonly Ends[]): Edge[] {
  if (pairs.length === 0) return []
  const wanted = orderedPairs(pairs)
  const rows = connection.all<EdgeRow>(REMOVE_EDGES, JSON.stringify(wanted))
  const removed = new Map(rows.map((row) => [pairKey(row.from_id, row.to_id), edgeOf(row)]))
  return wanted.flatMap(([from, to]) => removed.get(pairKey(from, to)) ?? [])
}

/** Counts a joint use of every edge inside the set of blocks. */
export function reinforceEdgesAmong(connection: Connection, ids: readonly string[], hours: number): number {
  if (ids.length < 2) return 0
  return connection.run(REINFORCE_EDGES, jsonList(ids), hours)
}

/** Removes every edge with an end among the blocks. */
export function removeEdgesOf(connection: Connection, ids: readonly string[]): void {
  connection.run(REMOVE_EDGES_OF, jsonList(ids))
}

/** Each pair of different blocks once, its ends in canonical order. */
export function orderedPairs(pairs: readonly Ends[]): Ends[] {
  const unique = new Map<string, Ends>()
  for (const [one, other] of pairs) {
    if (one === other) continue
    const ends = orderedPair(one, other)
    unique.set(pairKey(...ends), ends)
  }
  return [...unique.values()]
}

function canonical(edge: Edge): Edge {
  const [from, to] = orderedPair(edge.from, edge.to)
  return from === edge.from ? edge : { ...edge, from, to }
}

function pairRowOf(row: EdgeRow, kind: PairRow['kind']): PairRow {
  return { a: row.from_id, b: row.to_id, kind, score: row.weight, resolved: 0, created_at: row.created_at }
}
