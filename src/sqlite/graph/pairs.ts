import { type BlockPair, orderedPair } from '../../domain/graph/edge.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { columnsOf, jsonList, jsonTable, PAIR, sharedScope } from '../queries/rows.ts'

const SELECT_OPEN = statement(
  ({ own }) => `SELECT ${PAIR.names.join(', ')} FROM pairs
WHERE resolved = 0 AND arrival > 0${own('pairs')} ORDER BY arrival LIMIT ?1`,
)

const SAVE_PAIRS = statement(
  ({ isOwn }) => `INSERT INTO pairs (${PAIR.names.join(', ')}, scope)
SELECT ${columnsOf('incoming', PAIR.names)}, ${sharedScope('one', 'other')}
FROM ${jsonTable(PAIR.names)} AS incoming
CROSS JOIN blocks AS one ON one.id = incoming.a${isOwn('one')}
CROSS JOIN blocks AS other ON other.id = incoming.b${isOwn('other')}
WHERE true
ORDER BY incoming.ordinal
ON CONFLICT (a, b) DO UPDATE
SET kind = excluded.kind, score = excluded.score, resolved = excluded.resolved, created_at = excluded.created_at,
  found_by = excluded.found_by
WHERE excluded.kind = 'contradiction'
  OR (excluded.kind = 'supersession' AND pairs.kind = 'near_duplicate' AND pairs.resolved = 0)`,
)

const RESOLVE_PAIR = statement(
  ({ isOwn }) => `UPDATE pairs SET resolved = 1 WHERE a = ?1 AND b = ?2 AND resolved = 0${isOwn('pairs')}`,
)

const REMOVE_OPEN_OF = `DELETE FROM pairs
WHERE (a IN (SELECT value FROM json_each(?1)) OR b IN (SELECT value FROM json_each(?1))) AND resolved = 0`

/** Unresolved pairs, oldest first. */
export function readOpenPairs(connection: ScopedConnection, limit: number): BlockPair[] {
  return connection.values(SELECT_OPEN, Math.max(0, limit)).map(PAIR.decode)
}

/** Inserts the pairs of existing blocks that are not there yet, resolved or not, or that say more: a contradiction more than a supersession, that more than a near-duplicate. */
export function savePairs(connection: ScopedConnection, pairs: readonly BlockPair[]): void {
  if (pairs.length === 0) return
  const values = pairs.flatMap((pair) => {
    const [a, b] = orderedPair(pair.a, pair.b)
    return a === b ? [] : [PAIR.encode({ ...pair, a, b })]
  })
  connection.run(SAVE_PAIRS, JSON.stringify(values))
}

/** Marks an open pair as resolved; false when there is none. */
export function resolvePair(connection: ScopedConnection, one: string, other: string): boolean {
  return connection.run(RESOLVE_PAIR, ...orderedPair(one, other)) > 0
}

/** Removes the open pairs with an end among the blocks. */
export function removeOpenPairsOf(connection: ScopedConnection, ids: readonly string[]): void {
  connection.run(REMOVE_OPEN_OF, jsonList(ids))
}
