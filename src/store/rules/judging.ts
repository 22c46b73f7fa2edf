import type { Ends } from '../../domain/graph/edge.ts'
import type { UnlabelledPair } from '../../ports/store/judging.ts'
import { unlabelledPairs } from '../tables.ts'
import { sharedScope, type Transaction } from '../transaction.ts'
import { orderedPairs, pairKey } from './edges.ts'

/** Appends pairs of existing blocks and drops the oldest beyond `keep`. */
export async function queueUnlabelled(
  tx: Transaction,
  pairs: readonly UnlabelledPair[],
  keep: number,
): Promise<void> {
  const cosines = new Map<string, number>()
  for (const { from, to, cosine } of pairs) {
    const key = from < to ? pairKey(from, to) : pairKey(to, from)
    cosines.set(key, cosines.get(key) ?? cosine)
  }
  const wanted = orderedPairs(pairs.map(({ from, to }) => [from, to]))
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
export async function removeUnlabelled({ rows }: Transaction, pairs: readonly Ends[]): Promise<void> {
  const listed = await rows.get(unlabelledPairs, orderedPairs(pairs), 'unique')
  await rows.remove(
    unlabelledPairs,
    listed.map(({ arrival }) => [arrival]),
  )
}
