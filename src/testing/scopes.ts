import type { Store } from '../ports/store/store.ts'
import type { BlockFilter, OutcomeRecord, StoreReader } from '../ports/store/transaction.ts'
import { AT, aBlock, anEdge, anIndex, aPair, aPending, insertAll, type Suite } from './harness.ts'

const IDS = ['one-a', 'one-b', 'one-c', 'two-a', 'two-b', 'two-c', 'none-a', 'none-b', 'none-c']
const ACROSS = ['one-b', 'two-b'] as const

/** Nobody's business: what leads out of the scope, by either end, and what lies outside. */
const _OUTWARD: readonly (readonly [string, string])[] = [
  ['one-c', 'two-a'],
  ['none-a', 'one-c'],
  ['one-c', 'none-b'],
  ['none-b', 'two-a'],
]

/** Three blocks in each of two scopes and in none, everything that joins two of them, and what leads out of a scope. */
export async function fill(store: Store): Promise<void> {
  await store.write(async (tx) => {
    for (const scope of ['one', 'two'])
      for (const end of ['a', 'b', 'c'])
        await tx.insertBlock(aBlock(`${scope}-${end}`, { scope, tags: ['t'] }))
    for (const end of ['a', 'b', 'c']) await tx.insertBlock(aBlock(`none-${end}`, { tags: ['t'] }))
    for (const name of ['one', 'two', 'none']) await tx.saveEdges([anEdge(`${name}-a`, `${name}-b`)])
    await tx.saveEdges([anEdge('one-a', 'two-a'), anEdge('one-a', 'none-a')])
    await tx.savePairs([aPair('one-a', 'one-b'), aPair('one-b', 'two-b'), aPair('one-b', 'none-b')])
    const ends = [...['one', 'two', 'none'].map((name) => [`${name}-a`, `${name}-b`] as const), ACROSS]
    await tx.savePendingConnections(ends.map(([source, target]) => aPending(source, target)))
    await tx.saveDisconnections(ends.map(([from, to]) => ({ from, to, at: 1 })))
    const staged = [...['two', 'one', 'none'].map((name) => [`${name}-a`, `${name}-c`]), ['one-c', 'two-c']]
    const once = { mark: 's', threshold: 9, limit: 99, disconnectedSince: 0 }
    await tx.stagePairs(staged as [string, string][], once)
    await tx.queueOutcomes(
      IDS.map((blockId) => ({ blockId, signal: 1, weight: 1, source: 's' })),
      9,
    )
  })
}

function anOutcome(blockId: string): OutcomeRecord {
  return { blockId, signal: 1, weight: 1, source: 's', confidenceBefore: 0, confidenceAfter: 1, at: AT }
}

/** Promises about views of one scope: their blocks and what joins them. */
export function checkScopes({ check, expect }: Suite): void {
  check('shows a view the blocks of its scope and no others, whatever is passed to it', async (store) => {
    await fill(store)
    const active: string[] = []
    const seen = await store.within('one').read(async (tx) => ({
      visited: await tx.livingBlocks((batch) => active.push(...batch.map(({ block }) => block.id))),
      blocks: (await tx.blocks(IDS)).map(({ id }) => id),
      prefixes: await tx.idsByPrefix(['one-', 'two-a', 'none-a', '']),
      page: (await tx.page({ order: 'arrival', limit: 9, tag: 't' })).blocks.map(({ id }) => id),
      changes: (await tx.changes(0)).blocks.map(({ block }) => block.id),
      vitality: (await tx.vitalityPage(0, 9)).map(({ id, degree }) => [id, degree]),
      counts: await tx.counts(),
      scopes: await tx.scopes(9),
    }))
    const own = ['one-a', 'one-b', 'one-c']
    expect(seen.blocks).toEqual(own)
    expect([...seen.prefixes]).toEqual([
      ['one-', own.slice(0, 2)],
      ['two-a', []],
      ['none-a', []],
      ['', own.slice(0, 2)],
    ])
    expect(seen.page).toEqual(own)
    expect(active.sort()).toEqual(own)
    expect(seen.changes).toEqual(own)
    expect(seen.vitality).toEqual([
      ['one-a', 1],
      ['one-b', 1],
      ['one-c', 0],
    ])
    expect(seen.counts).toEqual({
      inbox: 0,
      active: 3,
      archived: 0,
      edges: 1,
      edgesByRelation: { similar: 1 },
      edgesByOrigin: { similarity: 1 },
      isolated: 1,
      openPairs: 1,
      stagedPairs: 1,
      pendingConnections: 1,
      queuedOutcomes: 3,
    })
    expect(seen.scopes).toEqual([{ scope: 'one', inbox: 0, active: 3, archived: 0 }])
  })

  check('shows a view what joins two of its blocks, and nothing that leads out of it', async (store) => {
    await fill(store)
    const seen = await store.within('one').read(async (tx) => ({
      links: await tx.links(IDS),
      // Found by the other end of a pair than those above.
      near: [await tx.links(['one-a']), await tx.links(['one-b'])],
      grouped: await tx.groupedPairs(['one-a'], 9),
      around: (await tx.edgesAround(['one-a'])).map(({ edge }) => edge),
      strengths: await tx.strengths(IDS),
      staged: await tx.stagedPairs({ atLeast: 1, limit: 9 }),
      stagedAmong: await tx.stagedPairs({ atLeast: 1, limit: 9, among: IDS }),
      pending: await tx.pendingConnections(9),
      apart: await tx.disconnections(IDS, 0),
      degrees: await tx.degrees(IDS),
      edges: await tx.edgePage(['', ''], 9),
      strongest: (await tx.strongest(9, 1)).strongest.map(({ id }) => id),
      atRanks: [(await tx.strongest(1, 2)).atRank, (await tx.strongest(1, 3)).atRank],
      pairs: await tx.openPairs(9),
    }))
    expect(seen.links).toEqual({ edges: [anEdge('one-a', 'one-b')], pairs: [aPair('one-a', 'one-b')] })
    expect(seen.near).toEqual([seen.links, seen.links])
    expect(seen.grouped).toEqual(seen.links.pairs)
    expect(seen.around).toEqual(seen.links.edges)
    expect([...seen.strengths]).toEqual([
      ['one-a', 0.5],
      ['one-b', 0.5],
    ])
    expect(seen.staged).toEqual([{ from: 'one-a', to: 'one-c', count: 1 }])
    expect(seen.stagedAmong).toEqual(seen.staged)
    expect(seen.pending).toEqual([aPending('one-a', 'one-b')])
    expect(seen.apart).toEqual([{ from: 'one-a', to: 'one-b', at: 1 }])
    expect([...seen.degrees]).toEqual([
      ['one-a', 1],
      ['one-b', 1],
      ['one-c', 0],
    ])
    expect(seen.edges).toEqual([anEdge('one-a', 'one-b')])
    expect(seen.strongest).toEqual(['one-a', 'one-b'])
    expect(seen.atRanks).toEqual([0.5, 0])
    expect(seen.pairs).toEqual([aPair('one-a', 'one-b')])
    const whole = await store.read((tx) => tx.degrees(['one-a']))
    expect(whole.get('one-a')).toBe(3)
  })

  check('shows a view of waiting and archived blocks, vectors and outcomes its own, too', async (store) => {
    for (const scope of ['one', 'two']) {
      const within = store.within(scope)
      await insertAll(within, [`x-${scope}`, `y-${scope}`, `z-${scope}`])
      await insertAll(within, [`waiting-${scope}`], { status: 'inbox' })
      await insertAll(within, [`gone-${scope}`], { status: 'archived' })
      await within.write(async (tx) => {
        await tx.saveIndex([anIndex(`x-${scope}`, { vector: new Float32Array([1]) })])
        await tx.appendOutcomes([anOutcome(`x-${scope}`)], 9)
      })
    }
    const ids = async (tx: StoreReader, filter: Omit<BlockFilter, 'limit'>) =>
      (await tx.page({ ...filter, limit: 9 })).blocks.map(({ id }) => id)
    const seen = await store.within('two').read(async (tx) => ({
      counts: Object.values(await tx.counts()).slice(0, 3),
      waiting: await tx.waiting(),
      inbox: await ids(tx, { status: 'inbox', order: 'arrival' }),
      archived: await ids(tx, { status: 'archived', order: 'recent' }),
      all: (await ids(tx, { order: 'recent' })).length,
      vectors: [...(await tx.vectors(['x-one', 'x-two'])).keys()],
      prefixes: [...(await tx.idsByPrefix(['x-', 'y', 'waiting'])).values()],
      outcomes: [(await tx.outcomes('x-one', 9)).length, (await tx.outcomes('x-two', 9)).length],
    }))
    expect(seen).toEqual({
      counts: [1, 3, 1],
      waiting: 1,
      inbox: ['waiting-two'],
      archived: ['gone-two'],
      all: 5,
      vectors: ['x-two'],
      prefixes: [['x-two'], ['y-two'], ['waiting-two']],
      outcomes: [0, 1],
    })
  })

  check('counts every scope, those with most living blocks first', async (store) => {
    await insertAll(store, ['n'])
    await insertAll(store, ['b1'], { scope: 'b', status: 'inbox' })
    await insertAll(store, ['c1', 'c2'], { scope: 'c', status: 'archived' })
    await insertAll(store, ['a1'], { scope: 'a' })
    const all = [
      { scope: 'a', inbox: 0, active: 1, archived: 0 },
      { scope: 'b', inbox: 1, active: 0, archived: 0 },
      { scope: 'c', inbox: 0, active: 0, archived: 2 },
    ]
    expect(await store.read((tx) => tx.scopes(9))).toEqual(all)
    expect(await store.read((tx) => tx.scopes(1))).toEqual(all.slice(0, 1))
  })
}
