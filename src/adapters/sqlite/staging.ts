import type { Edge } from '../../domain/edge.ts'
import type { StoreWriter } from '../../ports/store.ts'
import type { Connection } from './driver.ts'
import { orderedPairs, saveEdges } from './edges.ts'
import { jsonList, pairKey } from './rows.ts'

type Ends = readonly [from: string, to: string]
type StageOptions = Parameters<StoreWriter['stagePairs']>[1]
type PromotedEdge = Parameters<StoreWriter['promotePairs']>[1]

interface EndsRow {
  readonly from_id: string
  readonly to_id: string
}

interface CandidateRow extends EndsRow {
  readonly from_degree: number
  readonly to_degree: number
}

const IN_SESSIONS = 'EXISTS (SELECT 1 FROM json_each(co_retrieval_staging.sessions) WHERE value = ?2)'
const EDGE_JOINS = `EXISTS (
  SELECT 1 FROM edges
  WHERE edges.from_id = co_retrieval_staging.from_id AND edges.to_id = co_retrieval_staging.to_id
)`

/** A pair keeps the sessions that counted it, so that sessions taking turns count once each. */
const STAGE = `INSERT INTO co_retrieval_staging (from_id, to_id, count, sessions)
SELECT one.id, other.id, 1, json_array(?2)
FROM json_each(?1) AS incoming
CROSS JOIN blocks AS one ON one.id = incoming.value ->> 0
CROSS JOIN blocks AS other ON other.id = incoming.value ->> 1
WHERE NOT EXISTS (SELECT 1 FROM edges WHERE edges.from_id = one.id AND edges.to_id = other.id)
ORDER BY incoming.key
ON CONFLICT (from_id, to_id) DO UPDATE
SET count = count + (NOT ${IN_SESSIONS}),
  sessions = CASE WHEN ${IN_SESSIONS} THEN sessions ELSE json_insert(sessions, '$[#]', ?2) END
RETURNING from_id, to_id, count`

const EVICT = `DELETE FROM co_retrieval_staging WHERE arrival IN (
  SELECT arrival FROM co_retrieval_staging ORDER BY count, arrival
  LIMIT max(0, (SELECT count(*) FROM co_retrieval_staging) - ?1)
)
RETURNING from_id, to_id`

const SELECT_CANDIDATES = `SELECT staged.from_id, staged.to_id,
  (SELECT count(*) FROM edges WHERE from_id = staged.from_id)
    + (SELECT count(*) FROM edges WHERE to_id = staged.from_id) AS from_degree,
  (SELECT count(*) FROM edges WHERE from_id = staged.to_id)
    + (SELECT count(*) FROM edges WHERE to_id = staged.to_id) AS to_degree
FROM json_each(?1) AS wanted
CROSS JOIN co_retrieval_staging AS staged
  ON staged.from_id = wanted.value ->> 0 AND staged.to_id = wanted.value ->> 1
WHERE NOT EXISTS (
  SELECT 1 FROM edges WHERE edges.from_id = staged.from_id AND edges.to_id = staged.to_id
)
ORDER BY wanted.key`

const UNSTAGE = `DELETE FROM co_retrieval_staging
WHERE (from_id, to_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))`

const REMOVE_STALE = `DELETE FROM co_retrieval_staging
WHERE ${EDGE_JOINS}
  OR (SELECT status FROM blocks WHERE id = from_id) <> 'active'
  OR (SELECT status FROM blocks WHERE id = to_id) <> 'active'`

const REMOVE_OF = `DELETE FROM co_retrieval_staging
WHERE from_id IN (SELECT value FROM json_each(?1)) OR to_id IN (SELECT value FROM json_each(?1))`

/** Counts pairs once a session; returns those at or above the threshold that the limit left standing. */
export function stagePairs(connection: Connection, pairs: readonly Ends[], options: StageOptions): Ends[] {
  const wanted = orderedPairs(pairs)
  const counted = connection.all<EndsRow & { count: number }>(STAGE, JSON.stringify(wanted), options.session)
  const evicted = connection.all<EndsRow>(EVICT, Math.max(0, options.limit))
  const gone = new Set(evicted.map(keyOf))
  const ready = counted.filter((row) => row.count >= options.threshold && !gone.has(keyOf(row)))
  const readyKeys = new Set(ready.map(keyOf))
  return wanted.filter((ends) => readyKeys.has(pairKey(...ends)))
}

/** Turns staged pairs into edges in the order given, as long as both ends keep within the cap. */
export function promotePairs(connection: Connection, pairs: readonly Ends[], edge: PromotedEdge): Edge[] {
  const wanted = orderedPairs(pairs)
  if (wanted.length === 0) return []
  const candidates = connection.all<CandidateRow>(SELECT_CANDIDATES, JSON.stringify(wanted))
  const edges = withinCap(candidates, edge.cap).map((ends) => coOccurrence(ends, edge))
  if (edges.length === 0) return []
  saveEdges(connection, edges)
  connection.run(UNSTAGE, JSON.stringify(edges.map((each) => [each.from, each.to])))
  return edges
}

/** Drops staged pairs that can no longer become an edge; returns how many. */
export function removeStaleStaging(connection: Connection): number {
  return connection.run(REMOVE_STALE)
}

/** Drops the staged pairs with an end among the blocks. */
export function removeStagingOf(connection: Connection, ids: readonly string[]): void {
  connection.run(REMOVE_OF, jsonList(ids))
}

function withinCap(candidates: readonly CandidateRow[], cap: number): Ends[] {
  const added = new Map<string, number>()
  const chosen: Ends[] = []
  for (const row of candidates) {
    const from = row.from_degree + (added.get(row.from_id) ?? 0)
    const to = row.to_degree + (added.get(row.to_id) ?? 0)
    if (from >= cap || to >= cap) continue
    added.set(row.from_id, (added.get(row.from_id) ?? 0) + 1)
    added.set(row.to_id, (added.get(row.to_id) ?? 0) + 1)
    chosen.push([row.from_id, row.to_id])
  }
  return chosen
}

function coOccurrence([from, to]: Ends, edge: PromotedEdge): Edge {
  return {
    from,
    to,
    relation: 'co_occurs',
    origin: 'co_retrieval',
    weight: edge.weight,
    reinforcementCount: 0,
    lastActiveAt: edge.hours,
    createdAt: edge.at,
  }
}

function keyOf(row: EndsRow): string {
  return pairKey(row.from_id, row.to_id)
}
