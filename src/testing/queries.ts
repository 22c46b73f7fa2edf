import type { Block } from '../domain/block/block.ts'
import { effectiveEdgeWeight } from '../domain/graph/edge-weight.ts'
import { AT, anEdge, aPair, insertAll, type Suite } from './harness.ts'

const NOTHING_EXCLUDED = { excludeCategories: [], excludeTags: [] }
const LATER = '2027-01-01T00:00:00.000Z'

/** Promises about what a database answers in statements of its own. */
export function checkQueries({ check, expect }: Suite): void {
  check('names the living blocks that are to take the place of others, oldest first', async (store) => {
    await insertAll(store, ['a', 'b'])
    await insertAll(store, ['c'], { supersedes: 'a', status: 'inbox' })
    await insertAll(store, ['d'], { supersedes: 'a' })
    await insertAll(store, ['e'], { supersedes: 'a', status: 'archived' })
    await insertAll(store, ['f'], { supersedes: 'b', scope: 'there' })
    const replacing = async (of: typeof store, ...ids: string[]) =>
      (await of.read((tx) => tx.replacing(ids, new Set(ids).size))).map(({ id }) => id)
    expect(await replacing(store, 'a', 'b', 'a')).toEqual(['c', 'd', 'f'])
    expect(await replacing(store.within('there'), 'a', 'b')).toEqual(['f'])
    expect(await replacing(store, 'c')).toEqual([])
  })

  check(
    'finds what says the same in its scope, however it is dressed, and nothing archived',
    async (store) => {
      await insertAll(store, ['a'], { content: 'The gate opens at six' })
      await insertAll(store, ['b'], { content: '- **The gate opens at six.**', status: 'inbox' })
      await insertAll(store, ['c'], { content: 'The gate opens at six', scope: 'there' })
      await insertAll(store, ['d'], { content: 'The gate opens at six', status: 'archived' })
      await insertAll(store, ['e'], { content: 'The Gate opens at six' })
      const same = async (of: typeof store, content: string, scope?: string) =>
        (await of.read((tx) => tx.sameTexts([{ content, ...(scope === undefined ? {} : { scope }) }]))).map(
          ({ id }) => id,
        )
      expect(await same(store, 'Note: The gate opens at six')).toEqual(['a', 'b'])
      expect(await same(store, 'The gate opens at six', 'there')).toEqual(['c'])
      expect(await same(store.within('there'), 'The gate opens at six', 'there')).toEqual(['c'])
      expect(await same(store.within('there'), 'The gate opens at six')).toEqual([])
      expect(await same(store, 'the gate opens at six')).toEqual([])
      const [a] = await store.read((tx) => tx.blocks(['a']))
      await store.write((tx) => tx.saveBlocks([{ ...(a as Block), content: 'The gate opens at seven' }]))
      expect(await same(store, 'The gate opens at six')).toEqual(['b'])
      expect(await same(store, 'The gate opens at seven!')).toEqual(['a'])
    },
  )

  check('finds at most two ids for a prefix, an exact match alone', async (store) => {
    await insertAll(store, ['ab1', 'ab2', 'ab3', 'b'])
    await insertAll(store, ['ab'], { status: 'archived' })
    const found = await store.read((tx) => tx.idsByPrefix(['ab', 'ab1', 'a', 'b', 'z', '']))
    expect([...found].sort()).toEqual([
      ['', ['ab', 'ab1']],
      ['a', ['ab', 'ab1']],
      ['ab', ['ab']],
      ['ab1', ['ab1']],
      ['b', ['b']],
      ['z', []],
    ])
  })

  check('reads a prefix literally', async (store) => {
    await insertAll(store, ['a%b', 'a_b', 'axb', 'A_B', '*'])
    const found = await store.read((tx) => tx.idsByPrefix(['a%', 'a_', '%', '_', '*', 'A']))
    expect([...found]).toEqual([
      ['a%', ['a%b']],
      ['a_', ['a_b']],
      ['%', []],
      ['_', []],
      ['*', ['*']],
      ['A', ['A_B']],
    ])
  })

  check(
    'hands over every living block once, active ones with what they are found by, and no other',
    async (store) => {
      await insertAll(store, ['a', 'b'], { status: 'active' })
      await insertAll(store, ['c'], { status: 'archived' })
      await insertAll(store, ['d'], { status: 'inbox' })
      await store.write((tx) => tx.saveIndex([{ id: 'a', terms: 'tea', asks: true, timed: false }]))
      const seen: string[] = []
      await store.read((tx) =>
        tx.livingBlocks((batch) => {
          for (const { block, index } of batch) seen.push(`${block.id} ${index?.terms ?? 'nothing'}`)
        }),
      )
      expect(seen.sort()).toEqual(['a tea', 'b nothing', 'd nothing'])
    },
  )

  check('keeps the strength of every block true to its edges, whatever is done to them', async (store) => {
    const ids = ['a', 'b', 'c', 'd', 'lone']
    await insertAll(store, ids)
    const agree = async () => {
      const { edges } = await store.read((tx) => tx.links(ids))
      const rounded = (value: number): number => Math.round(value * 1e9)
      const expected = ids.flatMap((id) => {
        const own = edges.filter(({ from, to }) => from === id || to === id)
        const billionths = own.reduce((sum, edge) => sum + rounded(effectiveEdgeWeight(edge)), 0)
        return own.length === 0 ? [] : [[id, billionths / 1e9]]
      })
      expect([...(await store.read((tx) => tx.strengths([...ids, 'nobody'])))].sort()).toEqual(expected)
    }
    await store.write((tx) =>
      tx.saveEdges([
        anEdge('a', 'b', { weight: 0.3, reinforcementCount: 4 }),
        anEdge('b', 'c', { weight: 0.9 }),
        anEdge('b', 'd', { weight: 1 / 3 }),
      ]),
    )
    await agree()
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b', { weight: 1 })]))
    await agree()
    await store.write((tx) => tx.reinforceEdgesAmong(['b', 'c', 'd'], 3))
    await agree()
    await store.write((tx) => tx.removeEdges([['b', 'd']]))
    await agree()
    await store.write((tx) => tx.archiveEdgesOf([{ id: 'a', previousStatus: 'active' }]))
    await agree()
    expect((await store.read((tx) => tx.strengths(ids))).size).toBe(2)
  })

  check('names the strongest blocks, and how strong the one at a rank is', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    const strongest = (limit: number, rank: number) => store.read((tx) => tx.strongest(limit, rank))
    expect(await strongest(2, 1)).toEqual({ strongest: [], atRank: 0 })
    await store.write((tx) =>
      tx.saveEdges([
        anEdge('b', 'c', { weight: 0.5 }),
        anEdge('a', 'd', { weight: 0.5 }),
        anEdge('b', 'd', { weight: 0.25 }),
      ]),
    )
    expect(await strongest(3, 4)).toEqual({
      strongest: [
        { id: 'b', strength: 0.75 },
        { id: 'd', strength: 0.75 },
        { id: 'a', strength: 0.5 },
      ],
      atRank: 0.5,
    })
    expect(await strongest(0, 5)).toEqual({ strongest: [], atRank: 0 })
  })

  check(
    'gives the open pairs of all that versions join with a block, through however many others',
    async (store) => {
      const chain = Array.from({ length: 30 }, (_, i) => `v${String(i).padStart(2, '0')}`)
      await insertAll(store, [...chain, 'resolved', 'against', 'beyond', 'apart', 'alone'])
      const links = chain.slice(1).map((id, i) => aPair(chain[i] as string, id, { kind: 'supersession' }))
      const against = aPair('against', 'v05', { kind: 'contradiction' })
      await store.write((tx) =>
        tx.savePairs([
          ...links,
          aPair('v03', 'v07', { kind: 'contradiction' }),
          aPair('resolved', 'v04', { resolved: true }),
          against,
          aPair('against', 'beyond'),
          aPair('alone', 'apart'),
        ]),
      )
      const grouped = await store.read((tx) => tx.groupedPairs(['v20', 'alone'], 99))
      expect(grouped.map(({ a, b }) => `${a} ${b}`)).toEqual(
        ['alone apart', ...links.map(({ a, b }) => `${a} ${b}`), 'v03 v07'].sort(),
      )
      const near = await store.read((tx) => tx.groupedPairs(['v20'], 5))
      expect(near.map(({ a, b }) => `${a} ${b}`)).toEqual(['v18 v19', 'v19 v20', 'v20 v21', 'v21 v22'])
      expect(await store.read((tx) => tx.groupedPairs(['against', 'v05'], 2))).toEqual([against])
      expect(await store.read((tx) => tx.groupedPairs([], 9))).toEqual([])
    },
  )

  check(
    'follows chains of what is to take the place of another both ways, the nearest first',
    async (store) => {
      await insertAll(store, ['v0', 'apart'])
      for (let n = 1; n < 30; n++)
        await insertAll(store, [`v${n}`], { supersedes: `v${n - 1}`, status: n % 2 ? 'inbox' : 'active' })
      await insertAll(store, ['gone'], { supersedes: 'v29', status: 'archived' })
      await insertAll(store, ['beyond'], { supersedes: 'gone' })
      const replacing = async (ids: readonly string[], limit: number) =>
        (await store.read((tx) => tx.replacing(ids, limit))).map(({ id }) => id)
      const chain = Array.from({ length: 29 }, (_, i) => `v${i + 1}`)
      for (const id of ['v0', 'v14', 'v29']) expect(await replacing([id, 'apart'], 99)).toEqual(chain)
      expect(await replacing(['v0'], 4)).toEqual(['v1', 'v2', 'v3', 'v4'])
      expect(await replacing(['v14'], 3)).toEqual(['v14', 'v15', 'v16'])
      expect(await replacing(['v14'], 0)).toEqual([])
      expect(await replacing([], 9)).toEqual([])
    },
  )

  check('counts everything', async (store) => {
    const empty = await store.read((tx) => tx.counts())
    expect(Object.values(empty).filter((value) => value !== 0)).toEqual([{}, {}])
    await insertAll(store, ['a', 'b', 'c', 'lone'])
    await insertAll(store, ['i1', 'i2', 'i3'], { status: 'inbox' })
    await insertAll(store, ['x1', 'x2'], { status: 'archived' })
    await store.write(async (tx) => {
      await tx.saveEdges([anEdge('a', 'b'), anEdge('b', 'c', { relation: 'supports', origin: 'agent' })])
      await tx.saveEdges([anEdge('a', 'c', { origin: 'agent' })])
      await tx.savePairs([aPair('a', 'b'), aPair('a', 'c', { resolved: true, createdAt: AT })])
      await tx.stagePairs([['a', 'lone']], { mark: 's', threshold: 3, limit: 9, disconnectedSince: 0 })
      await tx.queueOutcomes([{ blockId: 'i1', signal: 1, weight: 1, source: 's' }], 9)
    })
    expect(await store.read((tx) => tx.counts())).toEqual({
      inbox: 3,
      active: 4,
      archived: 2,
      edges: 3,
      edgesByRelation: { similar: 2, supports: 1 },
      edgesByOrigin: { similarity: 1, agent: 2 },
      isolated: 1,
      openPairs: 1,
      stagedPairs: 1,
      pendingConnections: 0,
      queuedOutcomes: 1,
    })
  })

  check(
    'hands out pending blocks first, then those never judged, then those judged longest ago',
    async (store) => {
      await insertAll(store, ['late'], { scoredAt: '2026-05-01T00:00:00.000Z' })
      await insertAll(store, ['never'])
      await insertAll(store, ['early'], { scoredAt: '2026-01-01T00:00:00.000Z' })
      await insertAll(store, ['pending'], { judgementPending: true })
      await insertAll(store, ['fresh'], { scoredAt: LATER })
      await insertAll(store, ['waiting'], { status: 'inbox', judgementPending: true })
      const due = (pendingOnly: boolean, limit: number) =>
        store.read(async (tx) => {
          const blocks = await tx.pendingJudgements({
            pendingOnly: pendingOnly,
            judgedBefore: LATER,
            limit,
            ...NOTHING_EXCLUDED,
          })
          return blocks.map(({ id }) => id)
        })
      expect(await due(false, 9)).toEqual(['pending', 'never', 'early', 'late'])
      expect(await due(false, 2)).toEqual(['pending', 'never'])
      expect(await due(true, 9)).toEqual(['pending'])
      expect(await due(false, 0)).toEqual([])
      expect(await store.read((tx) => tx.judgementCounts('2026-03-01T00:00:00.000Z'))).toEqual({
        pending: 1,
        unjudged: 2,
        stale: 1,
      })
    },
  )

  check(
    'leaves out excluded categories and tags when it says what is due, unless it is pending',
    async (store) => {
      await insertAll(store, ['a'], { category: 'message' })
      await insertAll(store, ['b'], { tags: ['system/no-rescore'] })
      await insertAll(store, ['c'], { tags: ['x'] })
      await insertAll(store, ['d'], { category: 'message', judgementPending: true })
      const due = await store.read((tx) =>
        tx.pendingJudgements({
          pendingOnly: false,
          judgedBefore: LATER,
          excludeCategories: ['message'],
          excludeTags: ['system/no-rescore'],
          limit: 9,
        }),
      )
      expect(due.map(({ id }) => id)).toEqual(['d', 'c'])
    },
  )

  check('names the tags of a scope, and of blocks without one, once each in their order', async (store) => {
    await insertAll(store, ['a'], { tags: ['oven', 'salt'] })
    await insertAll(store, ['b'], { tags: ['salt', 'thyme'] })
    await insertAll(store, ['c'], { tags: ['bean'], scope: 'X' })
    const tags = (scope: string | undefined, limit = 9) => store.read((tx) => tx.tagsIn(scope, limit))
    expect(await tags(undefined)).toEqual(['oven', 'salt', 'thyme'])
    expect(await tags(undefined, 2)).toEqual(['oven', 'salt'])
    expect(await tags('X')).toEqual(['bean'])
    expect(await tags('Y')).toEqual([])
    expect(await store.within('X').read((tx) => tx.tagsIn('X', 9))).toEqual(['bean'])
    expect(await store.within('X').read((tx) => tx.tagsIn(undefined, 9))).toEqual([])
  })
}
