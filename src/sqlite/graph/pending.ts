import {
  type Disconnection,
  type Ends,
  orderedPair,
  type PendingConnection,
} from '../../domain/graph/edge.ts'
import { codecOf } from '../../store/codec.ts'
import { disconnections, pendingConnections } from '../../store/tables.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { columnsOf, jsonList, jsonTable, sharedScope } from '../queries/rows.ts'

const PENDING = codecOf(pendingConnections, [
  ...(['source', 'target', 'relation', 'weight', 'note', 'requestedAt', 'attempts'] as const),
])

const SELECT_PENDING = statement(
  ({ own }) => `SELECT ${PENDING.names.join(', ')} FROM pending_connections
WHERE id > 0${own('pending_connections')} ORDER BY id LIMIT ?1`,
)

/** A request in the other direction is the same request, so the row of either direction is overwritten. */
const SAVE_PENDING = statement(
  ({ isOwn }) => `INSERT INTO pending_connections (${PENDING.names.join(', ')}, scope)
SELECT coalesce(known.source, incoming.source), coalesce(known.target, incoming.target),
  ${columnsOf('incoming', PENDING.names.slice(2))}, ${sharedScope('one', 'other')}
FROM ${jsonTable(PENDING.names)} AS incoming
CROSS JOIN blocks AS one ON one.id = incoming.source${isOwn('one')}
CROSS JOIN blocks AS other ON other.id = incoming.target${isOwn('other')}
LEFT JOIN pending_connections AS known ON known.source = incoming.target AND known.target = incoming.source
WHERE true
ORDER BY incoming.ordinal
ON CONFLICT (source, target) DO UPDATE
SET relation = excluded.relation, weight = excluded.weight, note = excluded.note,
  requested_at_hours = excluded.requested_at_hours, attempts = excluded.attempts`,
)

const REMOVE_PENDING = statement(
  ({ isOwn }) => `DELETE FROM pending_connections
WHERE ((source, target) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))
  OR (source, target) IN (SELECT value ->> 1, value ->> 0 FROM json_each(?1)))${isOwn('pending_connections')}
RETURNING ${PENDING.names.join(', ')}, id`,
)

const REMOVE_PENDING_OF = `DELETE FROM pending_connections
WHERE source IN (SELECT value FROM json_each(?1)) OR target IN (SELECT value FROM json_each(?1))`

const DISCONNECTION = codecOf(disconnections, ['from', 'to', 'at', 'reason'])

/** CASE hides the other end from the planner, which would try each pair of ids instead of each row. */
const SELECT_DISCONNECTIONS = statement(
  ({ isOwn }) => `SELECT ${DISCONNECTION.names.join(', ')} FROM disconnections
WHERE from_id IN (SELECT value FROM json_each(?1))
  AND CASE WHEN to_id IN (SELECT value FROM json_each(?1)) THEN at > ?2 ELSE 0 END${isOwn('disconnections')}
ORDER BY from_id, to_id`,
)

const SAVE_DISCONNECTIONS = statement(
  ({ isOwn }) => `INSERT INTO disconnections (${DISCONNECTION.names.join(', ')}, scope)
SELECT ${columnsOf('incoming', DISCONNECTION.names)}, ${sharedScope('one', 'other')}
FROM ${jsonTable(DISCONNECTION.names)} AS incoming
CROSS JOIN blocks AS one ON one.id = incoming.from_id${isOwn('one')}
CROSS JOIN blocks AS other ON other.id = incoming.to_id${isOwn('other')}
WHERE true
ORDER BY incoming.ordinal
ON CONFLICT (from_id, to_id) DO UPDATE SET at = excluded.at, reason = excluded.reason`,
)

const REMOVE_DISCONNECTIONS = statement(
  ({ isOwn }) => `DELETE FROM disconnections
WHERE (from_id, to_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))${isOwn('disconnections')}`,
)

const TRIM_DISCONNECTIONS = statement(
  ({ own }) => `DELETE FROM disconnections WHERE at <= ?1${own('disconnections')}`,
)

/** Connections that wait because of the degree cap, oldest first. */
export function readPending(connection: ScopedConnection, limit: number): PendingConnection[] {
  return connection.values(SELECT_PENDING, Math.max(0, limit)).map(PENDING.decode)
}

/** Puts connections between existing blocks on the list, each pair of blocks once. */
export function savePending(connection: ScopedConnection, pending: readonly PendingConnection[]): void {
  const saved = pending.filter(({ source, target }) => source !== target)
  if (saved.length === 0) return
  const unique = new Map<string, PendingConnection>()
  for (const each of saved) {
    const key = orderedPair(each.source, each.target).join(' ')
    const { source, target } = unique.get(key) ?? each
    unique.set(key, { ...each, source, target })
  }
  connection.run(SAVE_PENDING, JSON.stringify([...unique.values()].map(PENDING.encode)))
}

/** Takes connections off the list, whatever their direction; returns those that waited, oldest first. */
export function removePending(connection: ScopedConnection, pairs: readonly Ends[]): PendingConnection[] {
  if (pairs.length === 0) return []
  const rows = connection.values(REMOVE_PENDING, JSON.stringify(pairs))
  const id = PENDING.names.length
  return rows.sort((one, other) => Number(one[id]) - Number(other[id])).map(PENDING.decode)
}

/** Takes off the list what has an end among the blocks. */
export function removePendingOf(connection: ScopedConnection, ids: readonly string[]): void {
  connection.run(REMOVE_PENDING_OF, jsonList(ids))
}

/** Disconnections among the blocks, later than `since`. */
export function readDisconnections(
  connection: ScopedConnection,
  ids: readonly string[],
  since: number,
): Disconnection[] {
  return connection.values(SELECT_DISCONNECTIONS, jsonList(ids), since).map(DISCONNECTION.decode)
}

/** Notes that pairs of existing blocks were disconnected; the last note of a pair counts. */
export function saveDisconnections(connection: ScopedConnection, apart: readonly Disconnection[]): void {
  const saved = apart.filter(({ from, to }) => from !== to)
  if (saved.length === 0) return
  const values = saved.map((each) => {
    const [from, to] = orderedPair(each.from, each.to)
    return DISCONNECTION.encode({ ...each, from, to })
  })
  connection.run(SAVE_DISCONNECTIONS, JSON.stringify(values))
}

/** Forgets that pairs were disconnected. */
export function removeDisconnections(connection: ScopedConnection, pairs: readonly Ends[]): void {
  if (pairs.length === 0) return
  const ordered = pairs.map(([one, other]) => orderedPair(one, other))
  connection.run(REMOVE_DISCONNECTIONS, JSON.stringify(ordered))
}

/** Forgets what is not later than `since`; returns how many. */
export function trimDisconnections(connection: ScopedConnection, since: number): number {
  return connection.run(TRIM_DISCONNECTIONS, since)
}
