import type { Ends, StagedPair } from '../../domain/graph/edge.ts'
import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { jsonList, pairKey, sharedScope } from '../queries/rows.ts'
import { orderedPairs } from './edges.ts'

type StageOptions = Parameters<StoreWriter['stagePairs']>[1]
type StagedFilter = Parameters<StoreReader['stagedPairs']>[0]

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
const STAGE = statement(
  ({ own, isOwn }) => `INSERT INTO co_retrieval_staging (from_id, to_id, count, sessions, scope)
SELECT one.id, other.id, 1, json_array(?2), ${sharedScope('one', 'other')}
FROM json_each(?1) AS incoming
CROSS JOIN blocks AS one ON one.id = incoming.value ->> 0${isOwn('one')}
CROSS JOIN blocks AS other ON other.id = incoming.value ->> 1${isOwn('other')}
WHERE NOT EXISTS (SELECT 1 FROM edges WHERE edges.from_id = one.id AND edges.to_id = other.id)
  AND NOT EXISTS (
    SELECT 1 FROM disconnections AS apart
    WHERE apart.from_id = one.id AND apart.to_id = other.id AND apart.at > ?3
  )
ORDER BY incoming.key
ON CONFLICT (from_id, to_id) DO UPDATE
SET count = count + (NOT ${IN_SESSIONS}),
  sessions = CASE WHEN ${IN_SESSIONS} THEN sessions ELSE json_insert(sessions, '$[#]', ?2) END
RETURNING from_id, to_id, count,
  (SELECT count(*) FROM co_retrieval_staging AS every WHERE true${own('every')}) AS staged`,
)

const EVICT = statement(
  ({ own }) => `DELETE FROM co_retrieval_staging WHERE arrival IN (
  SELECT arrival FROM co_retrieval_staging WHERE true${own('co_retrieval_staging')} ORDER BY count, arrival
  LIMIT max(0, (SELECT count(*) FROM co_retrieval_staging WHERE true${own('co_retrieval_staging')}) - ?1)
)`,
)

const SELECT_STAGED = statement(
  ({ own }) => `SELECT from_id, to_id, count FROM co_retrieval_staging
WHERE count >= ?1${own('co_retrieval_staging')} ORDER BY count DESC, arrival LIMIT ?2`,
)

const SELECT_STAGED_AMONG = statement(
  ({ own }) => `SELECT from_id, to_id, count FROM co_retrieval_staging
WHERE count >= ?1 AND from_id IN (SELECT value FROM json_each(?3)) AND to_id IN (SELECT value FROM json_each(?3))${own('co_retrieval_staging')}
ORDER BY count DESC, arrival LIMIT ?2`,
)

const REMOVE_STALE = statement(
  ({ own }) => `DELETE FROM co_retrieval_staging
WHERE (${EDGE_JOINS}
  OR (SELECT status FROM blocks WHERE id = from_id) <> 'active'
  OR (SELECT status FROM blocks WHERE id = to_id) <> 'active')${own('co_retrieval_staging')}`,
)

const REMOVE_OF = `DELETE FROM co_retrieval_staging
WHERE from_id IN (SELECT value FROM json_each(?1)) OR to_id IN (SELECT value FROM json_each(?1))`

/**
 * Counts pairs once a session; returns those at or above the threshold. When the limit drops pairs none are returned:
 * they keep their counts and are returned the next time, so that a call never both drops and joins.
 */
export function stagePairs(
  connection: ScopedConnection,
  pairs: readonly Ends[],
  options: StageOptions,
): Ends[] {
  const wanted = orderedPairs(pairs)
  if (wanted.length === 0) return []
  const counted = connection.all<StagedRow>(
    STAGE,
    JSON.stringify(wanted),
    options.session,
    options.disconnectedSince,
  )
  const limit = Math.max(0, options.limit)
  if (counted.some(({ staged }) => staged > limit)) {
    connection.run(EVICT, limit)
    return []
  }
  const ready = new Set(counted.filter(({ count }) => count >= options.threshold).map(keyOf))
  return wanted.filter((ends) => ready.has(pairKey(...ends)))
}

/** Staged pairs by how often they were counted. */
export function readStagedPairs(
  connection: ScopedConnection,
  { atLeast, limit, among }: StagedFilter,
): StagedPair[] {
  const parameters = [atLeast, Math.max(0, limit)] as const
  const rows =
    among === undefined
      ? connection.all<EndsRow & { count: number }>(SELECT_STAGED, ...parameters)
      : connection.all<EndsRow & { count: number }>(SELECT_STAGED_AMONG, ...parameters, jsonList(among))
  return rows.map(({ from_id, to_id, count }) => ({ from: from_id, to: to_id, count }))
}

/** Drops staged pairs that can no longer become an edge; returns how many. */
export function removeStaleStaging(connection: ScopedConnection): number {
  return connection.run(REMOVE_STALE)
}

/** Drops the staged pairs with an end among the blocks. */
export function removeStagingOf(connection: ScopedConnection, ids: readonly string[]): void {
  connection.run(REMOVE_OF, jsonList(ids))
}

function keyOf(row: EndsRow): string {
  return pairKey(row.from_id, row.to_id)
}
