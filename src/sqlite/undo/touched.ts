import type { Ends } from '../../domain/graph/edge.ts'
import type { Later, TouchedEdge } from '../../ports/store/undo.ts'
import type { ScopedConnection } from '../connection/scoped-connection.ts'

/** One look through all that is kept of later transactions, which is done only where something is not as it was left. */
const SELECT_TOUCHED = `WITH later AS (
  SELECT operation_id, changes FROM operation_changes
  WHERE operation_id > ?1 AND operation_id NOT IN (SELECT value FROM json_each(?2))
), touched AS (
  SELECT operation_id, made.value ->> '$.key[0]' AS from_id, made.value ->> '$.key[1]' AS to_id
  FROM later, json_each(later.changes, '$.edges.made') AS made
  UNION ALL
  SELECT operation_id, gone.value ->> '$.from_id', gone.value ->> '$.to_id'
  FROM later, json_each(later.changes, '$.edges.gone') AS gone
  UNION ALL
  SELECT operation_id, changed.value ->> '$.key[0]', changed.value ->> '$.key[1]'
  FROM later, json_each(later.changes, '$.edges.changed') AS changed
)
SELECT from_id AS "from", to_id AS "to", max(operation_id) AS by FROM touched
WHERE (from_id, to_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))
GROUP BY from_id, to_id`

/** Which of the edges later transactions changed whose changes are kept, and the last that did. */
export function readTouchedEdges(
  connection: ScopedConnection,
  edges: readonly Ends[],
  { after, except }: Later,
): TouchedEdge[] {
  if (edges.length === 0) return []
  return connection.whole.all<TouchedEdge>(
    SELECT_TOUCHED,
    after,
    JSON.stringify(except),
    JSON.stringify(edges),
  )
}
