import type { Store } from '../../ports/store.ts'
import { AT, anEdge, insertAll, type Suite } from './harness.ts'

type Ends = readonly [string, string]

const EDGE = { weight: 0.55, cap: 10, hours: 4, at: AT }

function stage(store: Store, pairs: readonly Ends[], session: string, limit = 100) {
  return store.write((tx) => tx.stagePairs(pairs, { session, threshold: 3, limit }))
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
    const left = await store.write((tx) =>
      tx.promotePairs(
        [
          ['a', 'b'],
          ['a', 'c'],
          ['a', 'd'],
          ['b', 'c'],
        ],
        EDGE,
      ),
    )
    expect(left.map((edge) => `${edge.from}${edge.to}`)).toEqual(['ab', 'ad', 'bc'])
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
            { session: 's', threshold: 1, limit },
          ),
        )
      expect(await stageBoth(1)).toEqual([])
      expect((await store.read((tx) => tx.counts())).stagedPairs).toBe(1)
      expect((await stageBoth(2)).length).toBe(2)
    },
  )

  check('promotes staged pairs to edges, once', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await stageFully(store, [['a', 'b']])
    const promote = () =>
      store.write((tx) =>
        tx.promotePairs(
          [
            ['c', 'a'],
            ['b', 'a'],
            ['a', 'b'],
          ],
          EDGE,
        ),
      )
    const edge = anEdge('a', 'b', {
      relation: 'co_occurs',
      origin: 'co_retrieval',
      weight: 0.55,
      lastActiveAt: 4,
    })
    expect(await promote()).toEqual([edge])
    expect((await store.read((tx) => tx.links(['a']))).edges).toEqual([edge])
    expect((await store.read((tx) => tx.counts())).stagedPairs).toBe(0)
    expect(await promote()).toEqual([])
  })

  check('leaves an edge alone that came before the promotion', async (store) => {
    await insertAll(store, ['a', 'b'])
    await stageFully(store, [['a', 'b']])
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b', { origin: 'agent' })]))
    expect(await store.write((tx) => tx.promotePairs([['a', 'b']], EDGE))).toEqual([])
    expect((await store.read((tx) => tx.links(['a']))).edges).toEqual([anEdge('a', 'b', { origin: 'agent' })])
  })

  check('keeps every block within the cap, inside one batch too', async (store) => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    await insertAll(store, ids)
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b')]))
    const pairs = ids.flatMap((one, index) => ids.slice(index + 1).map((other) => [one, other] as const))
    await stageFully(store, pairs)
    const edges = await store.write((tx) => tx.promotePairs(pairs, { ...EDGE, cap: 2 }))
    expect(edges.map((edge) => `${edge.from}${edge.to}`)).toEqual(['ac', 'bc'])
    const later = await store.write((tx) => tx.promotePairs(pairs, { ...EDGE, cap: 2 }))
    expect(later.map((edge) => `${edge.from}${edge.to}`)).toEqual(['de'])
    const degrees = await store.read((tx) => tx.degrees(ids))
    expect([...degrees.values()].every((degree) => degree <= 2)).toBe(true)
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
    expect((await store.write((tx) => tx.promotePairs([['a', 'd']], EDGE))).length).toBe(1)
  })
}
