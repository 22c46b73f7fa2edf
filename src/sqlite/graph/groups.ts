import type { BlockPair } from '../../domain/graph/edge.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { columnsOf, jsonList, PAIR } from '../queries/rows.ts'

/** The queue of the walk is first in, first out, so that the nearest are kept where the limit ends it. The walk is made once: as a list. */
const SELECT_GROUPED = statement(
  ({ isOwn }) => `WITH RECURSIVE grouped (id) AS (
  SELECT value FROM json_each(?1)
  UNION
  SELECT pairs.b FROM grouped CROSS JOIN pairs ON pairs.a = grouped.id
  WHERE resolved = 0 AND kind <> 'contradiction'${isOwn('pairs')}
  UNION
  SELECT pairs.a FROM grouped CROSS JOIN pairs ON pairs.b = grouped.id
  WHERE resolved = 0 AND kind <> 'contradiction'${isOwn('pairs')}
  LIMIT ?2
), reached (ids) AS MATERIALIZED (SELECT json_group_array(id) FROM grouped)
SELECT ${columnsOf('pairs', PAIR.names)} FROM reached CROSS JOIN json_each(ids) AS one CROSS JOIN pairs ON pairs.a = one.value
WHERE resolved = 0 AND pairs.b IN (SELECT value FROM reached, json_each(ids))${isOwn('pairs')}
ORDER BY a, b`,
)

/** Open pairs among some blocks and those that supersessions and near-duplicates join with them, at most `limit` blocks. */
export function readGroupedPairs(
  connection: ScopedConnection,
  ids: readonly string[],
  limit: number,
): BlockPair[] {
  return connection.values(SELECT_GROUPED, jsonList(ids), Math.max(0, limit)).map(PAIR.decode)
}
