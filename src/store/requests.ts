import type { RowOf } from './description.ts'
import { requests } from './tables.ts'
import type { ReadTransaction, Transaction } from './transaction.ts'

/** A stored request is a write that a caller gave a key, and its answer once that is known. */
export type StoredRequest = RowOf<typeof requests>

/** A request key names a request: whose it is, what it asks, and the key that its caller gave it. */
export type RequestKey = readonly [holder: string, operation: string, key: string]

export async function readRequest(tx: ReadTransaction, key: RequestKey): Promise<StoredRequest | undefined> {
  return (await tx.whole.rows.get(requests, [key]))[0]
}

/** Inserts or overwrites a request. */
export async function saveRequest(tx: Transaction, request: StoredRequest): Promise<void> {
  await tx.whole.rows.put(requests, [request])
}

export async function removeRequest(tx: Transaction, key: RequestKey): Promise<void> {
  await tx.whole.rows.remove(requests, [key])
}

/** Removes at most `most` requests from before a time, ISO-8601 UTC, the oldest first. */
export async function trimRequests(tx: Transaction, before: string, most: number): Promise<void> {
  const { rows } = tx.whole
  const order = ['at', 'holder', 'operation', 'key']
  const oldest = await rows.scan(requests, { from: ['at', ''], order, limit: most })
  const going = oldest.filter(({ at }) => at <= before)
  await rows.remove(
    requests,
    going.map(({ holder, operation, key }) => [holder, operation, key]),
  )
}
