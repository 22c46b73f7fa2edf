import { expect } from 'vitest'
import type { Block } from '../../src/domain/block/block.ts'
import type { Store } from '../../src/ports/store/store.ts'
import type { BlockFilter, StoreReader } from '../../src/ports/store/transaction.ts'
import {
  aBlock,
  anEdge,
  anIndex,
  anOperation,
  anOutcome,
  aPair,
  aPending,
  aQueued,
  blocksOf,
  codeOf,
  countsOf,
  idsIn,
  insertAll,
  trimLog,
} from './harness.ts'
import type { Suite } from './suite.ts'

const NAMES = ['one', 'two', 'none']
const IDS = NAMES.flatMap((name) => ['a', 'b', 'c'].map((end) => `${name}-${end}`))
const OWN = ['one-a', 'one-b', 'one-c']
const ACROSS = ['one-b', 'two-b'] as const

/** Pairs that lead out of the scope by either end, or lie outside. */
const OUTWARD: readonly (readonly [string, string])[] = [
  ['one-c', 'two-a'],
  ['none-a', 'one-c'],
  ['none-b', 'two-a'],
]

/** Inserts three blocks in each of two scopes and in none, what joins two of them, and what leads out of a scope. */
async function fill(store: Store): Promise<void> {
  await store.write(async (tx) => {
    for (const id of IDS) {
      const [scope = ''] = id.split('-')
      await tx.insertBlock(aBlock(id, { tags: ['t'], ...(scope === 'none' ? {} : { scope }) }))
    }
    const within = NAMES.map((name) => [`${name}-a`, `${name}-b`] as const)
    await tx.saveEdges([...within, ['one-a', 'two-a']].map(([from = '', to = '']) => anEdge(from, to)))
    await tx.savePairs([aPair('one-a', 'one-b'), aPair('one-b', 'two-b'), aPair('one-b', 'none-b')])
    await tx.savePendingConnections([...within, ACROSS].map(([from, to]) => aPending(from, to)))
    await tx.saveDisconnections([...within, ACROSS].map(([from, to]) => ({ from, to, at: 1 })))
    await tx.stagePairs([...NAMES.map((name) => [`${name}-a`, `${name}-c`] as const), ['one-c', 'two-c']], {
      mark: 's',
      threshold: 9,
      limit: 99,
      disconnectedSince: 0,
    })
    await tx.queueOutcomes(
      IDS.map((id) => aQueued(id)),
      9,
    )
  })
}

/** Registers tests of what a view of one scope sees and changes. */
export function checkScopes(suite: Suite): void {
  checkSeen(suite)
  checkChanged(suite)
}

function checkSeen({ check }: Suite): void {
  check('a view sees the blocks of its scope and no others, whatever is passed to it', async (store) => {
    await fill(store)
    // Its id stands between two of the scope.
    await insertAll(store, ['one-aa'])
    const living: string[] = []
    const page = async (tx: StoreReader, filter: Partial<BlockFilter>) =>
      idsIn((await tx.page({ order: 'arrival', limit: 9, ...filter })).blocks)
    const seen = await store.within('one').read(async (tx) => ({
      visited: await tx.livingBlocks((batch) => living.push(...batch.map(({ block }) => block.id))),
      blocks: idsIn(await tx.blocks(IDS)),
      prefixes: [...(await tx.idsByPrefix(['one-', 'two-a', ''])).values()],
      pages: [await page(tx, { tag: 't' }), await page(tx, { order: 'proved', words: ['content'] })],
      changes: (await tx.changes(0)).blocks.map(({ block }) => block.id),
      vitality: (await tx.vitalityPage(0, 9)).map(({ degree }) => degree),
      scopes: await tx.scopes(9),
      counts: await tx.counts(),
    }))
    expect(living.sort()).toEqual(OWN)
    expect(seen).toMatchObject({
      blocks: OWN,
      prefixes: [OWN.slice(0, 2), [], OWN.slice(0, 2)],
      changes: OWN,
      vitality: [1, 1, 0],
      scopes: [{ scope: 'one', inbox: 0, active: 3, archived: 0 }],
      counts: { active: 3, edges: 1, isolated: 1, openPairs: 1, stagedPairs: 1, pendingConnections: 1 },
    })
    expect(seen.pages.map((ids) => ids.sort())).toEqual([OWN, OWN])
    expect((await store.read((tx) => tx.scopes(1)))[0]?.scope).toBe('one')
    expect(await countsOf(store)).toEqual({
      ...{ inbox: 0, active: 10, archived: 0, edges: 4, isolated: 4, openPairs: 3 },
      ...{ edgesByRelation: { similar: 4 }, edgesByOrigin: { similarity: 4 } },
      ...{ stagedPairs: 4, pendingConnections: 4, queuedOutcomes: 9 },
    })
  })

  check('a view sees what joins two of its blocks, and nothing that leads out of it', async (store) => {
    await fill(store)
    const seen = await store.within('one').read(async (tx) => ({
      links: [await tx.links(IDS), await tx.links(['one-a']), await tx.links(['one-b'])],
      grouped: await tx.groupedPairs(['one-a'], 9),
      around: (await tx.edgesAround(['one-a'])).map(({ edge }) => edge),
      strengths: Object.fromEntries(await tx.strengths(IDS)),
      staged: [
        await tx.stagedPairs({ atLeast: 1, limit: 9 }),
        await tx.stagedPairs({ atLeast: 1, limit: 9, among: IDS }),
      ],
      pending: await tx.pendingConnections(9),
      apart: await tx.disconnections(IDS, 0),
      degrees: Object.fromEntries(await tx.degrees(IDS)),
      edges: await tx.edgePage(['', ''], 9),
      strongest: await tx.strongest(9, 3),
      pairs: await tx.openPairs(9),
    }))
    const [edge, pair] = [anEdge('one-a', 'one-b'), aPair('one-a', 'one-b')]
    const links = { edges: [edge], pairs: [pair] }
    const strongest = ['one-a', 'one-b'].map((id) => ({ id, strength: 0.5 }))
    const staged = [{ from: 'one-a', to: 'one-c', count: 1 }]
    expect(seen).toEqual({
      links: [links, links, links],
      grouped: [pair],
      around: [edge],
      strengths: { 'one-a': 0.5, 'one-b': 0.5 },
      staged: [staged, staged],
      pending: [aPending('one-a', 'one-b')],
      apart: [{ from: 'one-a', to: 'one-b', at: 1 }],
      degrees: { 'one-a': 1, 'one-b': 1, 'one-c': 0 },
      edges: [edge],
      strongest: { strongest, atRank: 0 },
      pairs: [pair],
    })
    expect((await store.read((tx) => tx.degrees(['one-a']))).get('one-a')).toBe(2)
  })

  check('a view has the log of its scope, and of the whole what names its blocks alone', async (store) => {
    await insertAll(store, ['one-a', 'one-b'], { scope: 'one' })
    await insertAll(store, ['two-a'], { scope: 'two' })
    const log = (within: Store, summary: string, blockIds: readonly string[], before?: unknown) =>
      within.write((tx) => tx.log(anOperation({ summary, blockIds, before })))
    await log(store.within('two'), 'other', [])
    await log(store.within('one'), 'own', [])
    await log(store, 'its blocks', ['one-a', 'one-b'], { edges: [anEdge('one-a', 'one-b')] })
    await log(store, 'an edge of another scope', ['one-a'], { edges: [anEdge('one-a', 'two-a')] })
    await log(store, 'a block nobody knows', ['one-a', 'nobody'])
    await log(store, 'nothing', [])
    const seen = await store.within('one').read((tx) => tx.operations({ limit: 9 }))
    expect(seen.map(({ summary, scope }) => [summary, scope])).toEqual([
      ['its blocks', 'one'],
      ['own', 'one'],
    ])
    expect(await store.within('one').write((tx) => trimLog(tx, 1, 9))).toBe(1)
    expect(await store.read((tx) => tx.operations({ limit: 9 }))).toHaveLength(5)
  })

  check('views share clock, sequence and settings; a view of another scope is refused', async (store) => {
    await store.within('one').write(async (tx) => {
      await tx.insertBlock(aBlock('a'))
      await tx.log(anOperation({ hours: 3 }))
      await tx.saveMeta('key', 'value')
    })
    const two = store.within('two')
    expect(await two.read((tx) => tx.changes(0))).toMatchObject({
      clock: { hours: 3 },
      sequence: 1,
      blocks: [],
    })
    expect(await two.read((tx) => tx.meta('key'))).toBe('value')
    expect(idsIn(await blocksOf(store.within('one').within('one'), 'a'))).toEqual(['a'])
    expect(await codeOf((async () => two.within('one'))())).toBe('OUT_OF_SCOPE')
  })
}

function checkChanged({ check }: Suite): void {
  check('a view changes nothing but what it sees', async (store) => {
    await fill(store)
    const look = () =>
      store.read(async (tx) => ({
        blocks: await tx.blocks(['two-a', 'none-a']),
        vectors: (await tx.vectors(['two-a'])).size,
        counts: await tx.counts(),
        links: await tx.links(['two-a', 'none-a']),
        apart: await tx.disconnections(IDS, 0),
        outcomes: await tx.outcomes('two-a', 9),
      }))
    const before = await look()
    await store.within('one').write(async (tx) => {
      await tx.saveBlocks(before.blocks.map((block): Block => ({ ...block, content: 'changed' })))
      await tx.saveIndex([anIndex('two-a', { vectors: { vector: new Float32Array([1]) } })])
      await tx.reinforceBlocks(['two-a', 'none-a'], 7)
      await tx.saveEdges(OUTWARD.map((pair) => anEdge(...pair)))
      await tx.savePairs(OUTWARD.map((pair) => aPair(...pair)))
      await tx.savePendingConnections(OUTWARD.map((pair) => aPending(...pair)))
      await tx.saveDisconnections(OUTWARD.map(([from, to]) => ({ from, to, at: 1 })))
      await tx.stagePairs(OUTWARD, { mark: 's', threshold: 9, limit: 99, disconnectedSince: 0 })
      await tx.removeUnusedEdges([anEdge('two-a', 'two-b'), anEdge('one-a', 'two-a')])
      await tx.reinforceEdgesAmong(['one-a', 'two-a', 'two-b'], 7)
      await tx.removeEdges([['two-a', 'two-b']])
      await tx.resolvePairs([['one-b', 'two-b']])
      await tx.removePendingConnections([['two-a', 'two-b'], ACROSS])
      await tx.removeDisconnections([['two-a', 'two-b'], ACROSS])
      await tx.takeQueuedOutcomes(['two-a', 'none-a'])
      await tx.queueOutcomes([aQueued('two-a')], 0)
      await tx.archiveEdgesOf([{ id: 'two-a', previousStatus: 'active' }])
      await tx.appendOutcomes([anOutcome('two-a')], 9)
    })
    expect(await look()).toEqual(before)
  })

  check(
    'a block that a view inserts has its scope for life, and a place in a session of that scope',
    async (store) => {
      await insertAll(store, ['n1'], { session: 's' })
      const one = store.within('one')
      const [a1] = (await insertAll(one, ['a1', 'a2'], { session: 's', scope: 'two' })) as [Block]
      await insertAll(store, ['n2'], { session: 's' })
      await store.write((tx) => tx.saveBlocks([{ ...a1, scope: 'two', content: 'new' }]))
      expect(await blocksOf(store, 'n1', 'a1', 'a2', 'n2')).toMatchObject([
        { position: 0 },
        { position: 0, scope: 'one', content: 'new' },
        { position: 1, scope: 'one' },
        { position: 1 },
      ])
      expect(await codeOf(insertAll(one, ['n1']))).toBe('INVALID_INPUT')
    },
  )
}
