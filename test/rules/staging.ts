import type { Store } from '../../src/ports/store/store.ts'
import type { StoreReader } from '../../src/ports/store/transaction.ts'
import { anEdge, insertAll, type Suite } from '../../src/testing/harness.ts'

type Ends = readonly [string, string]

/** Options of staging where nothing was ever disconnected. */
const NEVER = { disconnectedSince: 0 }

function stage(store: Store, pairs: readonly Ends[], session: string, limit = 100) {
  return store.write((tx) => tx.stagePairs(pairs, { mark: session, threshold: 3, limit, ...NEVER }))
}

async function stageFully(store: Store, pairs: readonly Ends[]): Promise<void> {
  for (const session of ['one', 'two', 'three']) await stage(store, pairs, session)
}

/** Promises about pairs used together. */
export function checkStaging({ check, expect }: Suite): void {
  check('counts a pair once a session, whoever comes in between', async (store) => {
    await insertAll(store, ['a', 'b'])
    expect(await stage(store, [['a', 'b']], 'one')).toEqual([])
    expect(
      await stage(
        store,
        [
          ['b', 'a'],
          ['a', 'b'],
        ],
        'two',
      ),
    ).toEqual([])
    expect(await stage(store, [['a', 'b']], 'one')).toEqual([])
    expect(await stage(store, [['a', 'b']], 'two')).toEqual([])
    expect(await stage(store, [['b', 'a']], 'three')).toEqual([['a', 'b']])
    expect(await stage(store, [['a', 'b']], 'three')).toEqual([['a', 'b']])
  })

  check('does not count a mark for which another one stands', async (store) => {
    await insertAll(store, ['a', 'b'])
    const counted = async (mark: string, sameAs?: readonly string[]) => {
      const options = { mark, threshold: 9, limit: 9, ...NEVER, ...(sameAs ? { sameAs } : {}) }
      await store.write((tx) => tx.stagePairs([['a', 'b']], options))
      return (await store.read((tx) => tx.stagedPairs({ atLeast: 1, limit: 1 })))[0]?.count
    }
    expect([await counted('one'), await counted('two', ['one', 'two']), await counted('one', [])]).toEqual([
      1, 1, 2,
    ])
  })

  check('keeps the newest sixteen marks of a pair, so that its row stays small', async (store) => {
    await insertAll(store, ['a', 'b'])
    const marks = Array.from({ length: 17 }, (_, n) => `mark ${n}`)
    for (const mark of [...marks, 'mark 1', 'mark 0']) await stage(store, [['a', 'b']], mark)
    const [pair] = await store.read((tx) => tx.stagedPairs({ atLeast: 1, limit: 1 }))
    expect(pair?.count).toBe(18)
  })

  check('does not stage joined pairs, unknown ids or a block with itself', async (store) => {
    await insertAll(store, ['a', 'b'])
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b')]))
    await stageFully(store, [
      ['a', 'b'],
      ['a', 'nobody'],
      ['a', 'a'],
    ])
    expect((await store.read((tx) => tx.counts())).stagedPairs).toBe(0)
  })

  check('drops the lowest counts, oldest first, beyond the limit', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    await stage(
      store,
      [
        ['a', 'b'],
        ['a', 'c'],
        ['a', 'd'],
      ],
      'one',
      3,
    )
    await stage(
      store,
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      'two',
      3,
    )
    expect((await store.read((tx) => tx.counts())).stagedPairs).toBe(3)
    const left = await store.read((tx) => tx.stagedPairs({ atLeast: 1, limit: 9 }))
    expect(left).toEqual([
      { from: 'a', to: 'b', count: 2 },
      { from: 'a', to: 'd', count: 1 },
      { from: 'b', to: 'c', count: 1 },
    ])
  })

  check(
    'hands out no pair in a call in which the limit dropped some, and those that stayed in the next',
    async (store) => {
      await insertAll(store, ['a', 'b', 'c'])
      const stageBoth = (limit: number) =>
        store.write((tx) =>
          tx.stagePairs(
            [
              ['a', 'b'],
              ['a', 'c'],
            ],
            { mark: 's', threshold: 1, limit, ...NEVER },
          ),
        )
      expect(await stageBoth(1)).toEqual([])
      expect((await store.read((tx) => tx.counts())).stagedPairs).toBe(1)
      expect((await stageBoth(2)).length).toBe(2)
    },
  )

  check('lists staged pairs, most counted first, within a set of blocks too', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    await stage(
      store,
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      'one',
    )
    await stage(store, [['d', 'c']], 'two')
    const staged = (filter: Parameters<StoreReader['stagedPairs']>[0]) =>
      store.read((tx) => tx.stagedPairs(filter))
    const often = { from: 'c', to: 'd', count: 2 }
    const once = { from: 'a', to: 'b', count: 1 }
    expect(await staged({ atLeast: 1, limit: 9 })).toEqual([often, once])
    expect(await staged({ atLeast: 1, limit: 1 })).toEqual([often])
    expect(await staged({ atLeast: 2, limit: 9 })).toEqual([often])
    expect(await staged({ atLeast: 1, limit: 9, among: ['b', 'a', 'c', 'nobody'] })).toEqual([once])
    expect(await staged({ atLeast: 1, limit: 9, among: [] })).toEqual([])
  })

  check('takes a pair off the list when use has joined it', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await stageFully(store, [
      ['a', 'b'],
      ['a', 'c'],
    ])
    const joined = { relation: 'co_occurs', origin: 'co_retrieval' as const }
    await store.write((tx) => tx.saveEdges([anEdge('b', 'a', joined)]))
    const left = await store.read((tx) => tx.stagedPairs({ atLeast: 1, limit: 9 }))
    expect(left).toEqual([{ from: 'a', to: 'c', count: 3 }])
  })

  check('does not count a pair that was disconnected lately', async (store) => {
    await insertAll(store, ['a', 'b'])
    await store.write((tx) => tx.saveDisconnections([{ from: 'a', to: 'b', at: 10 }]))
    const count = (session: string, disconnectedSince: number) =>
      store.write((tx) =>
        tx.stagePairs([['a', 'b']], { mark: session, threshold: 1, limit: 9, disconnectedSince }),
      )
    expect(await count('one', 9)).toEqual([])
    expect((await store.read((tx) => tx.counts())).stagedPairs).toBe(0)
    expect(await count('two', 10)).toEqual([['a', 'b']])
  })

  check('drops staged pairs that are joined or have an end that is not active', async (store) => {
    const blocks = await insertAll(store, ['a', 'b', 'c', 'd'])
    await stage(
      store,
      [
        ['a', 'b'],
        ['a', 'c'],
        ['a', 'd'],
      ],
      's',
    )
    await store.write(async (tx) => {
      await tx.saveEdges([anEdge('a', 'b')])
      await tx.saveBlocks(blocks.slice(2, 3).map((block) => ({ ...block, status: 'archived' })))
    })
    expect(await store.write((tx) => tx.removeStaleStaging())).toBe(2)
    expect(await store.write((tx) => tx.removeStaleStaging())).toBe(0)
    const left = await store.read((tx) => tx.stagedPairs({ atLeast: 1, limit: 9 }))
    expect(left).toEqual([{ from: 'a', to: 'd', count: 1 }])
  })
}
