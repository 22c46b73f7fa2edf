import type { Ends, StagedPair } from '../../domain/graph/edge.ts'
import { viewOf } from '../../ports/store/description.ts'
import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import { blocks, disconnections, edges, staging } from '../tables.ts'
import { sharedScope, type Transaction } from '../transaction.ts'
import { lookUpEnds, orderedPairs, pairKey } from './edges.ts'

type StageOptions = Parameters<StoreWriter['stagePairs']>[1]
type StagedFilter = Parameters<StoreReader['stagedPairs']>[0]

const STAGED = viewOf(staging, ['arrival', 'from', 'to', 'count'])
const STATUS = viewOf(blocks, ['id', 'status'])

/** Staged pairs by how often they were counted. */
export async function readStagedPairs(
  { rows }: Transaction,
  { atLeast, limit, among }: StagedFilter,
): Promise<StagedPair[]> {
  const found =
    among === undefined
      ? await rows.scan(STAGED, { order: ['-count', 'arrival'], from: ['count', atLeast], limit })
      : (await rows.touching(STAGED, among, { both: true }))
          .filter(({ count }) => count >= atLeast)
          .sort((one, other) => other.count - one.count || one.arrival - other.arrival)
          .slice(0, Math.max(0, limit))
  return found.map(({ from, to, count }) => ({ from, to, count }))
}

/** Marks that a pair keeps, the newest; one that counts so often is long due. */
const MARKS_KEPT = 16

/**
 * Counts pairs once a mark, of a question or of a session; returns those at or above the threshold. A pair keeps the marks
 * that counted it, so that questions taking turns count once each. When the limit drops pairs none are returned: they keep their counts and are
 * returned the next time, so that a call never both drops and joins.
 */
export async function stagePairs(
  tx: Transaction,
  pairs: readonly Ends[],
  options: StageOptions,
): Promise<Ends[]> {
  const { open, at } = await openPairs(tx, orderedPairs(pairs), options.disconnectedSince)
  if (open.length === 0) return []
  const before = await tx.rows.get(staging, open, 'unique')
  const known = new Map(before.map((each) => [pairKey(each.from, each.to), each]))
  const fresh = open.filter((ends) => !known.has(pairKey(...ends)))
  const { mark, sameAs = [mark] } = options
  const again = before.filter(({ sessions }) => !sessions.some((each) => sameAs.includes(each)))
  await tx.rows.insert(
    staging,
    fresh.map(([from, to]) => ({
      ...{ from, to, count: 1, sessions: [mark] },
      ...sharedScope(at(from), at(to)),
    })),
  )
  await tx.rows.put(
    staging,
    again.map((each) => ({
      ...each,
      count: each.count + 1,
      sessions: [...each.sessions, mark].slice(-MARKS_KEPT),
    })),
    before,
  )
  const over = (await tx.rows.count(staging)) - Math.max(0, options.limit)
  if (over > 0) {
    const least = await tx.rows.scan(STAGED, { order: ['count', 'arrival'], from: ['count', 0], limit: over })
    await tx.remove(staging, least)
    return []
  }
  const counted = new Set(again.map(({ from, to }) => pairKey(from, to)))
  const countOf = (key: string) => (known.get(key)?.count ?? 1) + (counted.has(key) ? 1 : 0)
  return open.filter((ends) => countOf(pairKey(...ends)) >= options.threshold)
}

/** Pairs of existing blocks that no edge joins and nobody disconnected later than `since`, and what is known of their ends. */
async function openPairs(tx: Transaction, wanted: readonly Ends[], since: number) {
  const at = await lookUpEnds(tx, wanted)
  const known = wanted.filter(([from, to]) => at(from) !== undefined && at(to) !== undefined)
  const joined = await tx.rows.get(viewOf(edges, ['from', 'to']), known)
  const apart = (await tx.rows.get(disconnections, known)).filter(({ at: hours }) => hours > since)
  const closed = new Set([...joined, ...apart].map(({ from, to }) => pairKey(from, to)))
  return { open: known.filter((ends) => !closed.has(pairKey(...ends))), at }
}

/** Drops staged pairs that can no longer become an edge; returns how many. */
export async function removeStaleStaging(tx: Transaction): Promise<number> {
  const all = await tx.rows.scan(STAGED, { order: ['count', 'arrival'], from: ['count', 0] })
  const ends = all.map(({ from, to }) => [from, to])
  const joined = await tx.rows.get(viewOf(edges, ['from', 'to']), ends)
  const isJoined = new Set(joined.map(({ from, to }) => pairKey(from, to)))
  const known = await tx.whole.blocks(STATUS, ends.flat())
  const isActive = new Set(known.filter(({ status }) => status === 'active').map(({ id }) => id))
  const stale = all.filter(
    ({ from, to }) => isJoined.has(pairKey(from, to)) || !isActive.has(from) || !isActive.has(to),
  )
  await tx.remove(staging, stale)
  return stale.length
}
