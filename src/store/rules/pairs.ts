import { type BlockPair, type Ends, orderedPair } from '../../domain/graph/edge.ts'
import type { RowOf } from '../../ports/store/description.ts'
import type { UnlabelledPair } from '../../ports/store/judging.ts'
import { pairs, unlabelledPairs } from '../tables.ts'
import { sharedScope, type Transaction } from '../transaction.ts'
import { PAIR } from '../views.ts'
import { orderedPairs, pairKey } from './edges.ts'

type PairRow = RowOf<typeof pairs>

/** Unresolved pairs, of one kind if it is given, oldest first; those behind a pair, which may be resolved since, or undefined if it is not there. */
export async function readOpenPairs(
  { rows }: Transaction,
  limit: number,
  behind?: Ends,
  kind?: BlockPair['kind'],
): Promise<BlockPair[] | undefined> {
  const [last] = behind === undefined ? [] : await rows.get(pairs, [orderedPair(...behind)], 'unique')
  if (behind !== undefined && last === undefined) return undefined
  const from = (last?.arrival ?? -1) + 1
  const where = kind === undefined ? { resolved: false } : { resolved: false, kind }
  const open = { where, order: ['arrival'], from: ['arrival', from], limit } as const
  return rows.scan(PAIR, open)
}

/** Those of some pairs that are resolved. */
export async function readSettledPairs({ rows }: Transaction, given: readonly Ends[]): Promise<BlockPair[]> {
  if (given.length === 0) return []
  const settled = await rows.touching(PAIR, given.flat(), { both: true, where: { resolved: true } })
  const asked = new Set(orderedPairs(given).map((ends) => pairKey(...ends)))
  return settled.filter(({ a, b }) => asked.has(pairKey(a, b)))
}

/** Inserts the pairs of existing blocks that are not there yet, resolved or not, or that say more; with `reopens` also resolved ones. */
export async function savePairs(
  tx: Transaction,
  given: readonly BlockPair[],
  { reopens = false }: { readonly reopens?: boolean } = {},
): Promise<void> {
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
    if (was !== undefined && !saysMore(pair, was) && !(reopens && was.resolved)) continue
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
  perhaps_newer: 1,
  supersession: 2,
  contradiction: 3,
}

/** True if a pair replaces one that is known: it is a stronger kind. A contradiction also reopens a resolved pair. */
function saysMore(pair: BlockPair, known: BlockPair): boolean {
  if (pair.kind === 'contradiction') return true
  return !known.resolved && RANK[pair.kind] > RANK[known.kind]
}

function isStored(pair: BlockPair & Partial<PairRow>): pair is PairRow {
  return pair.arrival !== undefined
}

/** Marks open pairs as resolved, of some kinds if they are given; returns how many. */
export async function resolvePairs(
  { rows }: Transaction,
  ends: readonly Ends[],
  kinds?: readonly BlockPair['kind'][],
): Promise<number> {
  const stored = await rows.get(pairs, orderedPairs(ends), 'unique')
  const open = stored.filter(({ kind, resolved }) => !resolved && kinds?.includes(kind) !== false)
  await rows.put(
    pairs,
    open.map((pair) => ({ ...pair, resolved: true })),
    open,
  )
  return open.length
}

/** Appends pairs of existing blocks and drops the oldest beyond `keep`. */
export async function queueUnlabelled(
  tx: Transaction,
  given: readonly UnlabelledPair[],
  keep: number,
): Promise<void> {
  const cosines = new Map<string, number>()
  for (const { from, to, cosine } of given) {
    const key = from < to ? pairKey(from, to) : pairKey(to, from)
    cosines.set(key, cosines.get(key) ?? cosine)
  }
  const wanted = orderedPairs(given.map(({ from, to }) => [from, to]))
  if (wanted.length === 0) return
  const at = await tx.lookUp(wanted.flat())
  const known = wanted.filter(([from, to]) => at(from) !== undefined && at(to) !== undefined)
  const listed = await tx.rows.get(unlabelledPairs, known, 'unique')
  const isListed = new Set(listed.map(({ from, to }) => pairKey(from, to)))
  const fresh = known.filter((ends) => !isListed.has(pairKey(...ends)))
  await tx.rows.insert(
    unlabelledPairs,
    fresh.map(([from, to]) => ({
      ...{ from, to, cosine: cosines.get(pairKey(from, to)) as number },
      ...sharedScope(at(from), at(to)),
    })),
  )
  await tx.rows.trim(unlabelledPairs, { order: ['arrival'], keep })
}

/** Takes pairs off the list. */
export async function removeUnlabelled(tx: Transaction, ends: readonly Ends[]): Promise<void> {
  const listed = await tx.rows.get(unlabelledPairs, orderedPairs(ends), 'unique')
  await tx.remove(unlabelledPairs, listed)
}
