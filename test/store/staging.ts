import { expect } from 'vitest'
import type { Ends } from '../../src/graph/edge.ts'
import { readStagedPairs, stagePairs } from '../../src/store/graph.ts'
import type { Store } from '../../src/store/transaction.ts'
import { ends, insertAll } from './harness.ts'
import type { Suite } from './suite.ts'

type Options = Parameters<typeof stagePairs>[2]

const stage = (store: Store, mark: string, pairs: readonly Ends[], options: Partial<Options> = {}) =>
  store.write((tx) =>
    stagePairs(tx, pairs, { mark, threshold: 3, limit: 100, disconnectedSince: 0, ...options }),
  )
const staged = (
  store: Store,
  filter: { readonly among?: readonly string[]; readonly atLeast?: number } = {},
) =>
  store.read(async (tx) => {
    const found = await readStagedPairs(tx, { atLeast: 1, limit: 9, ...filter })
    return found.map(({ from, to, count }) => `${from}${to} ${count}`)
  })

/** Registers tests of pairs that are used together. */
export function checkStaging({ check }: Suite): void {
  check(
    'beyond the limit the lowest counts go, oldest first, and none is named in that call',
    async (store) => {
      await insertAll(store, ['a', 'b', 'c', 'd'])
      await stage(store, 'one', ends('ab', 'ac', 'ad'), { limit: 3 })
      const options = { limit: 3, threshold: 2 }
      expect(await stage(store, 'two', ends('ab', 'bc'), options)).toEqual([])
      expect(await staged(store)).toEqual(['ab 2', 'ad 1', 'bc 1'])
      expect(await stage(store, 'three', ends('ab'), options)).toEqual(ends('ab'))
    },
  )

  check('stagedPairs lists the most counted first, within a set of blocks too', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    await stage(store, 'one', ends('ab', 'cd'))
    await stage(store, 'two', ends('dc'))
    expect(await staged(store)).toEqual(['cd 2', 'ab 1'])
    expect(await staged(store, { atLeast: 2 })).toEqual(['cd 2'])
    expect(await staged(store, { among: ['b', 'a', 'c', 'nobody'] })).toEqual(['ab 1'])
  })
}
