import { coOccurrenceEdge, type Edge } from '../../domain/edge.ts'
import type { StoreWriter } from '../../ports/store.ts'
import type { Connection } from './driver.ts'
import { orderedPairs } from './edges.ts'
import { jsonList, pairKey } from './rows.ts'

type Ends = readonly [from: string, to: string]
type StageOptions = Parameters<StoreWriter['stagePairs']>[1]
type PromotedEdge = Parameters<StoreWriter['promotePairs']>[1]

interface EndsRow {
  readonly from_id: string
  readonly to_id: string
}

interface StagedRow extends EndsRow {
  readonly count: number
  /** Rows in the table by now. */
  readonly staged: number
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
RETURNING from_id, to_id, count, (SELECT count(*) FROM co_retrieval_staging) AS staged`

const EVICT = `DELETE FROM co_retrieval_staging WHERE arrival IN (
  SELECT arrival FROM co_retrieval_staging ORDER BY count, arrival
  LIMIT max(0, (SELECT count(*) FROM co_retrieval_staging) - ?1)
)`

const DEGREE = (id: string) =>
  `(SELECT count(*) FROM edges WHERE from_id = ${id}) + (SELECT count(*) FROM edges WHERE to_id = ${id})`

/** Pairs that come before in the same batch count against the cap whether they are joined or not. */
const BEFORE = (id: string) =>
  `(SELECT count(*) FROM candidates AS earlier
    WHERE earlier.place < candidates.place AND ${id} IN (earlier.from_id, earlier.to_id))`

const PROMOTE = `INSERT INTO edges
  (from_id, to_id, relation, origin, weight, reinforcement_count, last_active_at, created_at)
WITH joinable AS (
  SELECT wanted.key AS place, staged.from_id, staged.to_id,
    ${DEGREE('staged.from_id')} AS from_degree, ${DEGREE('staged.to_id')} AS to_degree
  FROM json_each(?1) AS wanted
  CROSS JOIN co_retrieval_staging AS staged
    ON staged.from_id = wanted.value ->> 0 AND staged.to_id = wanted.value ->> 1
  WHERE NOT EXISTS (
    SELECT 1 FROM edges WHERE edges.from_id = staged.from_id AND edges.to_id = staged.to_id
  )
), candidates AS MATERIALIZED (
  SELECT * FROM joinable WHERE from_degree < ?5 AND to_degree < ?5
)
SELECT from_id, to_id, 'co_occurs', 'co_retrieval', ?2, 0, ?3, ?4 FROM candidates
WHERE from_degree + ${BEFORE('candidates.from_id')} < ?5
  AND to_degree + ${BEFORE('candidates.to_id')} < ?5
ORDER BY place
RETURNING from_id, to_id`

const REMOVE_STALE = `DELETE FROM co_retrieval_staging
WHERE ${EDGE_JOINS}
  OR (SELECT status FROM blocks WHERE id = from_id) <> 'active'
  OR (SELECT status FROM blocks WHERE id = to_id) <> 'active'`

const REMOVE_OF = `DELETE FROM co_retrieval_staging
WHERE from_id IN (SELECT value FROM json_each(?1)) OR to_id IN (SELECT value FROM json_each(?1))`

/**
 * Counts pairs once a session; returns those at or above the threshold. When the limit drops pairs none are returned:
 * they keep their counts and are returned the next time, so that a call never both drops and joins.
 */
export function stagePairs(connection: Connection, pairs: readonly Ends[], options: StageOptions): Ends[] {
  const wanted = orderedPairs(pairs)
  if (wanted.length === 0) return []
  const counted = connection.all<StagedRow>(STAGE, JSON.stringify(wanted), options.session)
  const limit = Math.max(0, options.limit)
  if (counted.some(({ staged }) => staged > limit)) {
    connection.run(EVICT, limit)
    return []
  }
  const ready = new Set(counted.filter(({ count }) => count >= options.threshold).map(keyOf))
  return wanted.filter((ends) => ready.has(pairKey(...ends)))
}

/** Turns staged pairs into edges in the order given, as long as both ends keep within the cap. */
export function promotePairs(connection: Connection, pairs: readonly Ends[], edge: PromotedEdge): Edge[] {
  const wanted = orderedPairs(pairs)
  if (wanted.length === 0) return []
  const { weight, hours, at, cap } = edge
  const joined = connection.all<EndsRow>(PROMOTE, JSON.stringify(wanted), weight, hours, at, cap)
  const keys = new Set(joined.map(keyOf))
  return wanted.filter((ends) => keys.has(pairKey(...ends))).map((ends) => coOccurrenceEdge(ends, edge))
}

/** Drops staged pairs that can no longer become an edge; returns how many. */
export function removeStaleStaging(connection: Connection): number {
  return connection.run(REMOVE_STALE)
}

/** Drops the staged pairs with an end among the blocks. */
export function removeStagingOf(connection: Connection, ids: readonly string[]): void {
  connection.run(REMOVE_OF, jsonList(ids))
}

function keyOf(row: EndsRow): string {
  return pairKey(row.from_id, row.to_id)
}
