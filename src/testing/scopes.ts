import type { Block } from '../domain/block/block.ts'
import type { Store } from '../ports/store/store.ts'
import type { BlockFilter, OutcomeRecord, StoreReader } from '../ports/store/transaction.ts'
import { AT, aBlock, anEdge, anIndex, aPair, aPending, codeOf, insertAll, type Suite } from './harness.ts'

const IDS = ['one-a', 'one-b', 'one-c', 'two-a', 'two-b', 'two-c', 'none-a', 'none-b', 'none-c']
const ACROSS = ['one-b', 'two-b'] as const

/** Nobody's business: what leads out of the scope, by either end, and what lies outside. */
const OUTWARD: readonly (readonly [string, string])[] = [
  ['one-c', 'two-a'],
  ['none-a', 'one-c'],
  ['one-c', 'none-b'],
  ['none-b', 'two-a'],
]

/** Three blocks in each of two scopes and in none, everything that joins two of them, and what leads out of a scope. */
async function fill(store: Store): Promise<void> {
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
    const once = { session: 's', threshold: 9, limit: 99, disconnectedSince: 0 }
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
      vitality: (await tx.vitalityPage('', 9)).map(({ id, degree }) => [id, degree]),
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

  check('lets a view change nothing but what it shows', async (store) => {
    await fill(store)
    const before = await store.read((tx) => tx.blocks(['two-a', 'none-a']))
    const counts = await store.read((tx) => tx.counts())
    await store.within('one').write(async (tx) => {
      await tx.saveBlocks(before.map((block): Block => ({ ...block, content: 'changed' })))
      await tx.saveIndex([anIndex('two-a', { vector: new Float32Array([1]) })])
      await tx.reinforceBlocks(IDS, 7)
      await tx.saveEdges(OUTWARD.map((ends) => anEdge(...ends)))
      await tx.savePairs(OUTWARD.map((ends) => aPair(...ends)))
      await tx.savePendingConnections(OUTWARD.map((ends) => aPending(...ends)))
      await tx.saveDisconnections(OUTWARD.map(([from, to]) => ({ from, to, at: 1 })))
      await tx.stagePairs(OUTWARD, { session: 's', threshold: 9, limit: 99, disconnectedSince: 0 })
      await tx.removeUnusedEdges([anEdge('two-a', 'two-b'), anEdge('one-a', 'two-a')])
      await tx.reinforceEdgesAmong(IDS, 7)
      await tx.removeEdges([['two-a', 'two-b']])
      await tx.resolvePair('one-b', 'two-b')
      await tx.removePendingConnections([['two-a', 'two-b'], ACROSS])
      await tx.removeDisconnections([['two-a', 'two-b'], ACROSS])
      await tx.takeQueuedOutcomes(['two-a', 'none-a'])
      await tx.archiveEdgesOf([{ id: 'two-a', previousStatus: 'active' }])
      await tx.appendOutcomes([anOutcome('two-a')], 9)
    })
    const after = await store.read(async (tx) => ({
      blocks: await tx.blocks(['two-a', 'none-a']),
      vectors: (await tx.vectors(['two-a'])).size,
      counts: await tx.counts(),
      edges: (await tx.links(['two-a', 'none-a'])).edges.map(({ reinforcementCount }) => reinforcementCount),
      apart: (await tx.disconnections(IDS, 0)).length,
      outcomes: await tx.outcomes('two-a', 9),
    }))
    expect(after).toEqual({ blocks: before, vectors: 0, counts, edges: [0, 0, 0, 0], apart: 4, outcomes: [] })
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

  check('lets a view drop what is old or too much of its own alone', async (store) => {
    await fill(store)
    const left = await store.within('one').write(async (tx) => {
      const stage = (limit: number) =>
        tx.stagePairs([['one-b', 'one-c']], { session: 's', threshold: 1, limit, disconnectedSince: 0 })
      const counts = [(await stage(2)).length, (await stage(1)).length, (await tx.counts()).stagedPairs]
      await tx.saveEdges([anEdge('one-b', 'one-c')])
      return [...counts, await tx.trimDisconnections(5), await tx.removeStaleStaging()]
    })
    expect(left).toEqual([1, 0, 1, 1, 1])
    const whole = await store.read(async (tx) => ({
      apart: (await tx.disconnections(IDS, 0)).length,
      staged: (await tx.counts()).stagedPairs,
    }))
    expect(whole).toEqual({ apart: 3, staged: 3 })
  })

  check('gives what a view inserts its scope, and a place in a session of that scope', async (store) => {
    await insertAll(store, ['n1'], { session: 's' })
    const one = store.within('one')
    await insertAll(one, ['a1', 'a2'], { session: 's', scope: 'two' })
    await insertAll(store, ['n2'], { session: 's' })
    const blocks = await store.read((tx) => tx.blocks(['n1', 'a1', 'a2', 'n2']))
    expect(blocks.map(({ scope, position }) => [scope, position])).toEqual([
      [undefined, 0],
      ['one', 0],
      ['one', 1],
      [undefined, 1],
    ])
    expect(await codeOf(insertAll(one, ['n1']))).toBe('INVALID_INPUT')
  })

  check('keeps a block in its scope for life', async (store) => {
    const [block] = await insertAll(store, ['a'], { scope: 'one' })
    await store.write((tx) => tx.saveBlocks([{ ...(block as Block), content: 'new', scope: 'two' }]))
    const { scope: _scope, ...unscoped } = { ...(block as Block), content: 'newer' }
    await store.write((tx) => tx.saveBlocks([unscoped]))
    expect(await store.read((tx) => tx.blocks(['a']))).toEqual([{ ...unscoped, scope: 'one' }])
  })

  check('takes a buried block out of all edges, and gives its view back what lies within', async (store) => {
    await fill(store)
    const one = store.within('one')
    await one.write((tx) => tx.archiveEdgesOf([{ id: 'one-a', previousStatus: 'active' }]))
    expect((await store.read((tx) => tx.degrees(['one-a']))).get('one-a')).toBe(0)
    const archivedEdges = await one.write((tx) => tx.takeArchivedEdges('one-a'))
    expect(archivedEdges?.edges).toEqual([anEdge('one-a', 'one-b')])
    expect(await store.within('two').write((tx) => tx.takeArchivedEdges('one-a'))).toBe(undefined)
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
