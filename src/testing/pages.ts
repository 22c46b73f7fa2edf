import type { BlockCondition, BlockFilter } from '../ports/store/pages.ts'
import type { Store } from '../ports/store/store.ts'
import { aBlock, anEdge, aPair, codeOf, insertAll, type Suite } from './harness.ts'

async function walk(store: Store, filter: Omit<BlockFilter, 'cursor'>): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await store.read((tx) => tx.page(cursor === undefined ? filter : { ...filter, cursor }))
    pages.push(page.blocks.map((block) => block.id))
    cursor = page.cursor
  } while (cursor !== undefined && pages.length < 50)
  return pages
}

/** Promises about `page`. */
export function checkPages({ check, expect }: Suite): void {
  check('pages by arrival without losing or repeating a block', async (store) => {
    await insertAll(store, ['e', 'd', 'c', 'b', 'a'])
    expect(await walk(store, { order: 'arrival', limit: 2 })).toEqual([['e', 'd'], ['c', 'b'], ['a']])
    expect(await walk(store, { order: 'newest', limit: 2 })).toEqual([['a', 'b'], ['c', 'd'], ['e']])
  })

  check('pages by the newest over a block that arrives meanwhile', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    const { cursor = '' } = await store.read((tx) => tx.page({ order: 'newest', limit: 1 }))
    await insertAll(store, ['d'])
    const next = await store.read((tx) => tx.page({ order: 'newest', limit: 5, cursor }))
    expect(next.blocks.map((block) => block.id)).toEqual(['b', 'a'])
  })

  check('pages by recency with ties in the order of ids', async (store) => {
    await insertAll(store, ['d', 'b', 'a', 'c'], { lastReinforcedAt: 1.5 })
    await insertAll(store, ['f', 'e'], { lastReinforcedAt: 2 })
    await insertAll(store, ['z'], { lastReinforcedAt: 0 })
    expect(await walk(store, { order: 'recent', limit: 3 })).toEqual([
      ['e', 'f', 'a'],
      ['b', 'c', 'd'],
      ['z'],
    ])
  })

  check('has no cursor on the last page, even when it is full', async (store) => {
    await insertAll(store, ['a', 'b'])
    const page = await store.read((tx) => tx.page({ order: 'recent', limit: 2 }))
    expect('cursor' in page).toBe(false)
    expect(await walk(store, { order: 'arrival', limit: 1 })).toEqual([['a'], ['b']])
    expect(await store.read((tx) => tx.page({ order: 'recent', limit: 0 }))).toEqual({ blocks: [] })
  })

  check('goes on after the cursor when blocks arrive meanwhile', async (store) => {
    await insertAll(store, ['b', 'd'], { lastReinforcedAt: 1 })
    const first = await store.read((tx) => tx.page({ order: 'recent', limit: 1 }))
    await insertAll(store, ['a', 'c'], { lastReinforcedAt: 1 })
    const next = await store.read((tx) =>
      tx.page({ order: 'recent', limit: 5, cursor: first.cursor as string }),
    )
    expect(next.blocks.map((block) => block.id)).toEqual(['c', 'd'])
  })

  check('filters by status, category, session and tag at once', async (store) => {
    await store.write(async (tx) => {
      const matching = { category: 'decision', session: 'one', tags: ['x'], status: 'inbox' } as const
      await tx.insertBlock(aBlock('match', matching))
      await tx.insertBlock(aBlock('status', { ...matching, status: 'active' }))
      await tx.insertBlock(aBlock('category', { ...matching, category: 'knowledge' }))
      await tx.insertBlock(aBlock('session', { ...matching, session: 'two' }))
      await tx.insertBlock(aBlock('tag', { ...matching, tags: ['y'] }))
    })
    const all = { category: 'decision', session: 'one', tag: 'x', status: 'inbox' } as const
    for (const order of ['recent', 'arrival'] as const) {
      expect(await walk(store, { ...all, order, limit: 9 })).toEqual([['match']])
      for (const key of ['category', 'session', 'tag', 'status'] as const) {
        const { [key]: _, ...rest } = all
        expect((await walk(store, { ...rest, order, limit: 9 })).flat().sort()).toEqual(['match', key].sort())
      }
    }
  })

  check('lists each status by itself', async (store) => {
    for (const status of ['inbox', 'active', 'archived'] as const) {
      await insertAll(store, [`${status}2`, `${status}1`], { status })
    }
    for (const status of ['inbox', 'active', 'archived'] as const) {
      expect(await walk(store, { status, order: 'recent', limit: 1 })).toEqual([
        [`${status}1`],
        [`${status}2`],
      ])
      expect(await walk(store, { status, order: 'arrival', limit: 1 })).toEqual([
        [`${status}2`],
        [`${status}1`],
      ])
      expect(await walk(store, { status, order: 'newest', limit: 1 })).toEqual([
        [`${status}1`],
        [`${status}2`],
      ])
    }
  })

  check('reads a tag literally, and as a prefix only with a final star', async (store) => {
    const tags = [
      'self/goal',
      'self/value',
      'selfish',
      'Self/goal',
      's%',
      's_lf/x',
      'self',
      'ünï/코드',
      'ünï/한',
    ]
    await store.write(async (tx) => {
      for (const tag of tags) await tx.insertBlock(aBlock(tag, { tags: [tag] }))
      await tx.insertBlock(aBlock('without'))
    })
    const tagged = async (tag: string) => (await walk(store, { tag, order: 'arrival', limit: 99 })).flat()
    expect(await tagged('self/*')).toEqual(['self/goal', 'self/value'])
    expect(await tagged('self*')).toEqual(['self/goal', 'self/value', 'selfish', 'self'])
    expect(await tagged('self')).toEqual(['self'])
    expect(await tagged('self/')).toEqual([])
    expect(await tagged('s%')).toEqual(['s%'])
    expect(await tagged('s_lf/*')).toEqual(['s_lf/x'])
    expect(await tagged('Self/*')).toEqual(['Self/goal'])
    expect(await tagged('ünï/*')).toEqual(['ünï/코드', 'ünï/한'])
    expect(await tagged('*')).toEqual(tags)
  })

  check('finds a block by its new tags and no longer by the old ones', async (store) => {
    const [block] = await insertAll(store, ['a'], { tags: ['kept', 'old'] })
    await store.write((tx) => tx.saveBlocks([{ ...(block as typeof block & object), tags: ['kept', 'new'] }]))
    const counts = await Promise.all(
      ['kept', 'new', 'old'].map((tag) => walk(store, { tag, order: 'recent', limit: 9 })),
    )
    expect(counts).toEqual([[['a']], [['a']], [[]]])
  })

  check('refuses a cursor it did not give', async (store) => {
    for (const cursor of ['', 'nonsense', 'WzFd', '{}']) {
      expect(await codeOf(store.read((tx) => tx.page({ order: 'recent', limit: 1, cursor })))).toBe(
        'INVALID_INPUT',
      )
    }
  })

  check('refuses the cursor of another order, which would leave blocks out', async (store) => {
    await insertAll(store, ['a', 'b'])
    const { cursor = '' } = await store.read((tx) => tx.page({ order: 'newest', limit: 1 }))
    expect(await codeOf(store.read((tx) => tx.page({ order: 'recent', limit: 1, cursor })))).toBe(
      'INVALID_INPUT',
    )
  })

  check('pages by reports, freshness and edges, equal blocks by the last arrived', async (store) => {
    await store.write(async (tx) => {
      await tx.insertBlock(aBlock('helped', { successes: 3, decayLambda: 0.01, lastReinforcedAt: 40 }))
      await tx.insertBlock(aBlock('misled', { failures: 2, decayLambda: 0.05, lastReinforcedAt: 0 }))
      await tx.insertBlock(aBlock('once', { successes: 1, decayLambda: 0.01, lastReinforcedAt: 0 }))
      await tx.insertBlock(aBlock('never', { decayLambda: 0, lastReinforcedAt: 0 }))
      await tx.saveEdges([
        anEdge('once', 'never', { weight: 0.9 }),
        anEdge('once', 'helped', { weight: 0.2 }),
      ])
    })
    const orders = {
      proved: ['helped', 'once', 'never', 'misled'],
      doubted: ['misled', 'never', 'once', 'helped'],
      fading: ['misled', 'once', 'helped', 'never'],
      joined: ['once', 'never', 'helped', 'misled'],
    } as const
    for (const [order, ids] of Object.entries(orders)) {
      const filter = { order: order as keyof typeof orders, hours: 50 }
      expect((await walk(store, { ...filter, limit: 1 })).flat()).toEqual(ids)
      const jumped = await store.read((tx) => tx.page({ ...filter, limit: 2, offset: 1 }))
      expect(jumped.blocks.map(({ id }) => id)).toEqual(ids.slice(1, 3))
    }
  })

  check(
    'filters by words, speaker, source, tier, arrival, edges and open pairs, and counts',
    async (store) => {
      await store.write(async (tx) => {
        await tx.insertBlock(aBlock('a', { content: '100% Café', sourceClass: 'peer', source: 'x' }))
        await tx.insertBlock(aBlock('b', { content: 'CAFÉ', summary: 'of_tea', tags: ['self/goal', 't'] }))
        await tx.insertBlock(
          aBlock('c', { content: 'tea', cue: 'Tea 1000', createdAt: '2999-01-01T00:00:00.000Z' }),
        )
        await tx.insertBlock(aBlock('d', { content: 'x', category: 'observation', status: 'archived' }))
        await tx.saveEdges([anEdge('a', 'b')])
        await tx.savePairs([aPair('a', 'c')])
      })
      const found = async (condition: BlockCondition) => {
        const filter = { ...condition, order: 'arrival', limit: 9, count: true } as const
        const { blocks, total } = await store.read((tx) => tx.page(filter))
        expect(total).toBe(blocks.length)
        return blocks.map(({ id }) => id).join('')
      }
      expect(await found({ words: ['café'] })).toBe('ab')
      expect(await found({ words: ['tea'] })).toBe('bc')
      expect(await found({ words: ['TEA', '1000'] })).toBe('c')
      expect([await found({ words: ['0%'] }), await found({ words: ['f_t'] })]).toEqual(['a', 'b'])
      expect([await found({ sourceClass: 'peer' }), await found({ source: 'x' })]).toEqual(['a', 'a'])
      expect([await found({ tier: 'durable' }), await found({ tier: 'ephemeral' })]).toEqual(['b', 'd'])
      expect([await found({ since: '2999' }), await found({ until: '2999' })]).toEqual(['c', 'abd'])
      expect([await found({ isolated: true }), await found({ undecided: true })]).toEqual(['cd', 'ac'])
      expect(await found({ isolated: true, status: 'active' })).toBe('c')
      const { facets } = await store.read((tx) =>
        tx.page({ status: 'active', order: 'arrival', limit: 0, facets: 1 }),
      )
      const told = Object.entries(facets ?? {})
      expect(
        Object.fromEntries(told.filter(([name]) => ['tag', 'sourceClass', 'tier', 'status'].includes(name))),
      ).toEqual({
        tag: { values: [{ value: 'self/goal', blocks: 1 }], distinct: 2 },
        sourceClass: { values: [{ value: 'agent', blocks: 2 }], distinct: 2 },
        tier: { values: [{ value: 'standard', blocks: 2 }], distinct: 2 },
        status: { values: [{ value: 'active', blocks: 3 }], distinct: 2 },
      })
    },
  )
}
