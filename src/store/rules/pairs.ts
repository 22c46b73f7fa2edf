import { type BlockPair, orderedPair } from '../../domain/graph/edge.ts'
import type { RowOf } from '../../ports/store/description.ts'
import { pairs } from '../tables.ts'
import { sharedScope, type Transaction } from '../transaction.ts'
import { PAIR, pairOf } from '../views.ts'
import { pairKey } from './edges.ts'

type PairRow = RowOf<typeof pairs>

/** Unresolved pairs, oldest first. */
export async function readOpenPairs({ rows }: Transaction, limit: number): Promise<BlockPair[]> {
  const open = { where: { resolved: false }, order: ['arrival'], from: ['arrival', 0], limit } as const
  return (await rows.scan(PAIR, open)).map(pairOf)
}

/** Inserts the pairs of existing blocks that are not there yet, resolved or not, or that say more. */
export async function savePairs(tx: Transaction, given: readonly BlockPair[]): Promise<void> {
  const at = await tx.lookUp(given.flatMap(({ a, b }) => [a, b]))
  const wanted = given
    .filter(({ a, b }) => a !== b && at(a) !== undefined && at(b) !== undefined)
    .map((pair) => {
      const [a, b] = orderedPair(pair.a, pair.b)
      return { ...pair, a, b, ...sharedScope(at(a), at(b)) }
    })
  const stored = await tx.rows.get(
    pairs,
    wanted.map(({ a, b }) => [a, b]),
    'unique',
  )
  const known = new Map<string, BlockPair & Partial<PairRow>>(
    stored.map((row) => [pairKey(row.a, row.b), row]),
  )
  const changed = new Set<string>()
  for (const pair of wanted) {
    const key = pairKey(pair.a, pair.b)
    const was = known.get(key)
    if (was !== undefined && !saysMore(pair, was)) continue
    known.set(key, was?.arrival === undefined ? pair : { ...pair, arrival: was.arrival })
    changed.add(key)
  }
  const written = [...known].flatMap(([key, pair]) => (changed.has(key) ? [pair] : []))
  await tx.rows.insert(
    pairs,
    written.filter(({ arrival }) => arrival === undefined),
  )
  await tx.rows.put(pairs, written.filter(isStored), stored)
}

const RANK: Readonly<Record<BlockPair['kind'], number>> = {
  near_duplicate: 0,
  supersession: 1,
  contradiction: 2,
}

/** True if a pair replaces one that is known: it is a stronger kind. A contradiction also reopens a resolved pair. */
function saysMore(pair: BlockPair, known: BlockPair): boolean {
  if (pair.kind === 'contradiction') return true
  return !known.resolved && RANK[pair.kind] > RANK[known.kind]
}

function isStored(pair: BlockPair & Partial<PairRow>): pair is PairRow {
  return pair.arrival !== undefined
}

/** Marks an open pair as resolved; false when there is none. */
export async function resolvePair({ rows }: Transaction, one: string, other: string): Promise<boolean> {
  const [pair] = await rows.get(pairs, [orderedPair(one, other)], 'unique')
  if (pair === undefined || pair.resolved) return false
  await rows.put(pairs, [{ ...pair, resolved: true }], [pair])
  return true
}
