import {
  type Disconnection,
  type Ends,
  orderedPair,
  type PendingConnection,
} from '../../domain/graph/edge.ts'
import { type RowOf, viewOf } from '../../ports/store/description.ts'
import { disconnections, pendingConnections } from '../tables.ts'
import { sharedScope, type Transaction } from '../transaction.ts'
import { DISCONNECTION, PENDING } from '../views.ts'
import { betweenBlocks, orderedPairs, pairKey } from './edges.ts'

type PendingRow = RowOf<typeof pendingConnections>

/** Connections that wait because of the degree cap, oldest first. */
export function readPending({ rows }: Transaction, limit: number): Promise<PendingConnection[]> {
  return rows.scan(PENDING, { order: ['id'], from: ['id', 0], limit })
}

/**
 * Puts connections between existing blocks on the list, each pair of blocks once: a request in the other direction is the
 * same request, so the row of either direction is overwritten and keeps its direction.
 */
export async function savePending(tx: Transaction, given: readonly PendingConnection[]): Promise<void> {
  const at = await tx.lookUp(given.flatMap(({ source, target }) => [source, target]))
  const stored = await rowsEitherWay(
    tx,
    given.map(({ source, target }) => [source, target]),
  )
  const wanted = new Map<string, PendingConnection & Partial<PendingRow>>(
    stored.map((row) => [pairKey(...orderedPair(row.source, row.target)), row]),
  )
  const changed = new Set<string>()
  for (const each of given) {
    const { source, target } = each
    if (source === target || at(source) === undefined || at(target) === undefined) continue
    const key = pairKey(...orderedPair(source, target))
    const was = wanted.get(key) ?? each
    wanted.set(key, {
      ...{ ...each, source: was.source, target: was.target },
      ...('id' in was ? { id: was.id as number } : {}),
      ...sharedScope(at(source), at(target)),
    })
    changed.add(key)
  }
  const written = [...wanted].flatMap(([key, each]) => (changed.has(key) ? [each] : []))
  await tx.rows.insert(
    pendingConnections,
    written.filter(({ id }) => id === undefined),
  )
  await tx.rows.put(pendingConnections, written.filter(isStored), stored)
}

function isStored(connection: PendingConnection & Partial<PendingRow>): connection is PendingRow {
  return connection.id !== undefined
}

/** Takes connections off the list, whatever their direction; returns those that waited, oldest first. */
export async function removePending(tx: Transaction, pairs: readonly Ends[]): Promise<PendingConnection[]> {
  const found = await rowsEitherWay(tx, pairs)
  const oldestFirst = found.toSorted((one, other) => one.id - other.id)
  const gone = await tx.remove(pendingConnections, oldestFirst)
  return gone.map(({ id: _id, scope: _scope, ...connection }) => connection)
}

function rowsEitherWay({ rows }: Transaction, pairs: readonly Ends[]): Promise<PendingRow[]> {
  return rows.get(
    pendingConnections,
    pairs.flatMap(([one, other]) => [
      [one, other],
      [other, one],
    ]),
    'unique',
  )
}

/** Disconnections among the blocks, later than `since`. */
export async function readDisconnections(
  { rows }: Transaction,
  ids: readonly string[],
  since: number,
): Promise<Disconnection[]> {
  const among = await rows.touching(DISCONNECTION, ids, { both: true })
  return among.filter(({ at }) => at > since)
}

/** Notes that pairs of existing blocks were disconnected; the last note of a pair counts. */
export async function saveDisconnections(tx: Transaction, apart: readonly Disconnection[]): Promise<void> {
  await tx.rows.put(disconnections, await betweenBlocks(tx, apart))
}

/** Forgets that pairs were disconnected. */
export async function removeDisconnections({ rows }: Transaction, pairs: readonly Ends[]): Promise<void> {
  await rows.remove(disconnections, orderedPairs(pairs))
}

/** Forgets what is not later than `since`; returns how many. */
export async function trimDisconnections(tx: Transaction, since: number): Promise<number> {
  const old = await tx.rows.scan(viewOf(disconnections, ['from', 'to']), {
    until: ['at', since],
    order: ['at'],
  })
  await tx.remove(disconnections, old)
  return old.length
}
