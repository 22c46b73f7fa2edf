import { expect } from 'vitest'
import type { Block } from '../../src/block/block.ts'
import {
  readBlocks,
  readPage,
  readVectors,
  reinforceBlocks,
  saveBlocks,
  saveIndex,
} from '../../src/store/blocks.ts'
import type { BlockFilter } from '../../src/store/database.ts'
import {
  archiveEdgesOf,
  readDisconnections,
  readEdgesAround,
  readLinks,
  readOpenPairs,
  readStagedPairs,
  reinforceEdgesAmong,
  removeEdges,
  removePendingConnections,
  resolvePairs,
  saveDisconnections,
  saveEdges,
  savePairs,
  savePendingConnections,
  stagePairs,
} from '../../src/store/graph.ts'
import {
  appendOutcomes,
  logOperation,
  queueOutcomes,
  readOutcomes,
  takeQueuedOutcomes,
  trimLog,
} from '../../src/store/log.ts'
import { disconnections, EDGE, PENDING } from '../../src/store/tables.ts'
import type { ReadTransaction, Store } from '../../src/store/transaction.ts'
import { insertBlock } from '../helpers/rows.ts'
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
      await insertBlock(tx, aBlock(id, { tags: ['t'], ...(scope === 'none' ? {} : { scope }) }))
    }
    const within = NAMES.map((name) => [`${name}-a`, `${name}-b`] as const)
    await saveEdges(
      tx,
      [...within, ['one-a', 'two-a']].map(([from = '', to = '']) => anEdge(from, to)),
    )
    await savePairs(tx, [aPair('one-a', 'one-b'), aPair('one-b', 'two-b'), aPair('one-b', 'none-b')])
    await savePendingConnections(
      tx,
      [...within, ACROSS].map(([from, to]) => aPending(from, to)),
    )
    await saveDisconnections(
      tx,
      [...within, ACROSS].map(([from, to]) => ({ from, to, at: 1 })),
    )
    await stagePairs(tx, [...NAMES.map((name) => [`${name}-a`, `${name}-c`] as const), ['one-c', 'two-c']], {
      mark: 's',
      threshold: 9,
      limit: 99,
      disconnectedSince: 0,
    })
    await queueOutcomes(
      tx,
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
    const page = async (tx: ReadTransaction, filter: Partial<BlockFilter>) =>
      idsIn((await readPage(tx, { order: 'arrival', limit: 9, ...filter })).blocks)
    const seen = await store.within('one').read(async (tx) => ({
      visited: await tx.queries.livingBlocks((batch) => living.push(...batch.map(({ block }) => block.id))),
      blocks: idsIn(await readBlocks(tx, IDS)),
      prefixes: [...(await tx.queries.idsByPrefix(['one-', 'two-a', ''])).values()],
      pages: [await page(tx, { tag: 't' }), await page(tx, { order: 'proved', words: ['content'] })],
      changes: (await tx.queries.changes(0)).blocks.map(({ block }) => block.id),
      scopes: await tx.queries.scopes(9),
      counts: await tx.queries.counts(),
    }))
    expect(living.sort()).toEqual(OWN)
    expect(seen).toMatchObject({
      blocks: OWN,
      prefixes: [OWN.slice(0, 2), [], OWN.slice(0, 2)],
      changes: OWN,
      scopes: [{ scope: 'one', inbox: 0, active: 3, archived: 0 }],
      counts: { active: 3, edges: 1, isolated: 1, openPairs: 1, stagedPairs: 1, pendingConnections: 1 },
    })
    expect(seen.pages.map((ids) => ids.sort())).toEqual([OWN, OWN])
    expect((await store.read((tx) => tx.queries.scopes(1)))[0]?.scope).toBe('one')
    expect(await countsOf(store)).toEqual({
      ...{ inbox: 0, active: 10, archived: 0, edges: 4, isolated: 4, openPairs: 3 },
      ...{ edgesByRelation: { similar: 4 }, edgesByOrigin: { similarity: 4 } },
      ...{ stagedPairs: 4, pendingConnections: 4, queuedOutcomes: 9 },
    })
  })

  check('a view sees what joins two of its blocks, and nothing that leads out of it', async (store) => {
    await fill(store)
    const seen = await store.within('one').read(async (tx) => ({
      links: [await readLinks(tx, IDS), await readLinks(tx, ['one-a']), await readLinks(tx, ['one-b'])],
      grouped: await tx.queries.groupedPairs(['one-a'], 9),
      around: (await readEdgesAround(tx, ['one-a'])).map(({ edge }) => edge),
      strengths: Object.fromEntries(await tx.queries.strengths(IDS)),
      staged: [
        await readStagedPairs(tx, { atLeast: 1, limit: 9 }),
        await readStagedPairs(tx, { atLeast: 1, limit: 9, among: IDS }),
      ],
      pending: await tx.rows.scan(PENDING, { order: ['id'], limit: 9 }),
      apart: await readDisconnections(tx, IDS, 0),
      edges: await tx.rows.scan(EDGE, { order: ['from', 'to'], after: ['', ''], limit: 9 }),
      strongest: await tx.queries.strongest(9, 3),
      pairs: await readOpenPairs(tx, 9),
    }))
    const [edge, pair] = [anEdge('one-a', 'one-b'), aPair('one-a', 'one-b')]
    const links = { edges: [edge], pairs: [pair] }
    const strongest = ['one-a', 'one-b'].map((id) => ({ id, strength: 0.5 }))
    const staged = [{ from: 'one-a', to: 'one-c', count: 1 }]
    expect(seen).toEqual({
      links: [links, links, links],
      grouped: [pair],
      around: [edge],
      strengths: { 'one-a': { strength: 0.5, degree: 1 }, 'one-b': { strength: 0.5, degree: 1 } },
      staged: [staged, staged],
      pending: [aPending('one-a', 'one-b')],
      apart: [{ from: 'one-a', to: 'one-b', at: 1 }],
      edges: [edge],
      strongest: { strongest, atRank: 0 },
      pairs: [pair],
    })
    expect((await store.read((tx) => tx.queries.strengths(['one-a']))).get('one-a')?.degree).toBe(2)
  })

  check('a view has the log of its scope, and of the whole what names its blocks alone', async (store) => {
    await insertAll(store, ['one-a', 'one-b'], { scope: 'one' })
    await insertAll(store, ['two-a'], { scope: 'two' })
    const log = (within: Store, summary: string, blockIds: readonly string[], before?: unknown) =>
      within.write((tx) => logOperation(tx, anOperation({ summary, blockIds, before })))
    await log(store.within('two'), 'other', [])
    await log(store.within('one'), 'own', [])
    await log(store, 'its blocks', ['one-a', 'one-b'], { edges: [anEdge('one-a', 'one-b')] })
    await log(store, 'an edge of another scope', ['one-a'], { edges: [anEdge('one-a', 'two-a')] })
    await log(store, 'a block nobody knows', ['one-a', 'nobody'])
    await log(store, 'nothing', [])
    const seen = await store.within('one').read((tx) => tx.queries.operations({ limit: 9 }))
    expect(seen.map(({ summary, scope }) => [summary, scope])).toEqual([
      ['its blocks', 'one'],
      ['own', 'one'],
    ])
    expect(await store.within('one').write((tx) => trimLog(tx, 1, 9))).toBe(1)
    expect(await store.read((tx) => tx.queries.operations({ limit: 9 }))).toHaveLength(5)
  })
}

function checkChanged({ check }: Suite): void {
  check('a view changes nothing but what it sees', async (store) => {
    await fill(store)
    const look = () =>
      store.read(async (tx) => ({
        blocks: await readBlocks(tx, ['two-a', 'none-a']),
        vectors: (await readVectors(tx, ['two-a'])).size,
        counts: await tx.queries.counts(),
        links: await readLinks(tx, ['two-a', 'none-a']),
        apart: await readDisconnections(tx, IDS, 0),
        outcomes: await readOutcomes(tx, 'two-a', 9),
      }))
    const before = await look()
    await store.within('one').write(async (tx) => {
      await saveBlocks(
        tx,
        before.blocks.map((block): Block => ({ ...block, content: 'changed' })),
      )
      await saveIndex(tx, [anIndex('two-a', { vectors: { vector: new Float32Array([1]) } })])
      await reinforceBlocks(tx, ['two-a', 'none-a'], 7)
      await saveEdges(
        tx,
        OUTWARD.map((pair) => anEdge(...pair)),
      )
      await savePairs(
        tx,
        OUTWARD.map((pair) => aPair(...pair)),
      )
      await savePendingConnections(
        tx,
        OUTWARD.map((pair) => aPending(...pair)),
      )
      await saveDisconnections(
        tx,
        OUTWARD.map(([from, to]) => ({ from, to, at: 1 })),
      )
      await stagePairs(tx, OUTWARD, { mark: 's', threshold: 9, limit: 99, disconnectedSince: 0 })
      await reinforceEdgesAmong(tx, ['one-a', 'two-a', 'two-b'], 7)
      await removeEdges(tx, [['two-a', 'two-b']])
      await resolvePairs(tx, [['one-b', 'two-b']])
      await removePendingConnections(tx, [['two-a', 'two-b'], ACROSS])
      await tx.rows.remove(disconnections, [['two-a', 'two-b'], ACROSS])
      await takeQueuedOutcomes(tx, ['two-a', 'none-a'])
      await queueOutcomes(tx, [aQueued('two-a')], 0)
      await archiveEdgesOf(tx, [{ id: 'two-a', previousStatus: 'active' }])
      await appendOutcomes(tx, [anOutcome('two-a')], 9)
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
      await store.write((tx) => saveBlocks(tx, [{ ...a1, scope: 'two', content: 'new' }]))
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
