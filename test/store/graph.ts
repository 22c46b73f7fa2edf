import { expect } from 'vitest'
import type { BlockPair } from '../../src/graph/edge.ts'
import { effectiveEdgeWeight } from '../../src/outcome/formulas.ts'
import {
  addArchivedEdges,
  archiveEdgesOf,
  readLinks,
  readOpenPairs,
  readSettledPairs,
  reinforceEdgesAmong,
  removeEdges,
  resolvePairs,
  saveEdges,
  savePairs,
  savePendingConnections,
  stagePairs,
  takeArchivedEdges,
} from '../../src/store/graph.ts'
import { PENDING } from '../../src/store/tables.ts'
import type { Store } from '../../src/store/transaction.ts'
import { anEdge, aPair, aPending, countsOf, ends, insertAll } from './harness.ts'
import type { Suite } from './suite.ts'

const linksOf = (store: Store, ...ids: readonly string[]) => store.read((tx) => readLinks(tx, ids))
const openPairs = (store: Store) => store.read(async (tx) => (await readOpenPairs(tx, 9)) ?? [])

/** Registers tests of edges and of flagged pairs. */
export function checkGraph(suite: Suite): void {
  checkEdges(suite)
  checkPairs(suite)
  checkArchive(suite)
}

function checkEdges({ check }: Suite): void {
  check('saveEdges keeps an edge exactly and overwrites it by pair', async (store) => {
    await insertAll(store, ['a', 'b'])
    const full = anEdge('a', 'b', {
      relation: 'élabore',
      origin: 'agent',
      previousOrigin: 'similarity',
      weight: 0.1 + 0.2,
      reinforcementCount: 3,
      lastActiveAt: 1 / 3,
      note: 'because "it" — 東京',
      declaredBy: 'b',
    })
    await store.write((tx) => saveEdges(tx, [anEdge('a', 'b'), full]))
    expect((await linksOf(store, 'a')).edges).toEqual([full])
    const { lastActiveAt: _, ...timeless } = anEdge('a', 'b', { weight: 1 })
    await store.write((tx) => saveEdges(tx, [timeless]))
    expect((await linksOf(store, 'b')).edges).toStrictEqual([timeless])
  })

  check('strengths stay the sum of effective weights whatever is done to edges', async (store) => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    await insertAll(store, ids)
    const agree = async () => {
      const { edges } = await linksOf(store, ...ids)
      const billionths = (weight: number): number => Math.round(weight * 1e9)
      const expected = ids.flatMap((id) => {
        const own = edges.filter(({ from, to }) => from === id || to === id)
        const sum = own.reduce((all, edge) => all + billionths(effectiveEdgeWeight(edge)), 0)
        return own.length === 0 ? [] : [[id, { strength: sum / 1e9, degree: own.length }]]
      })
      expect([...(await store.read((tx) => tx.queries.strengths([...ids, 'nobody'])))].sort()).toEqual(
        expected,
      )
      return expected
    }
    await store.write((tx) =>
      saveEdges(tx, [
        anEdge('a', 'b', { weight: 0.3, reinforcementCount: 4 }),
        anEdge('b', 'c', { weight: 0.9 }),
        anEdge('b', 'd', { weight: 1 / 3 }),
      ]),
    )
    await agree()
    await store.write((tx) => saveEdges(tx, [anEdge('a', 'b', { weight: 1 })]))
    await store.write((tx) => reinforceEdgesAmong(tx, ['b', 'c', 'd'], 3))
    await agree()
    await store.write((tx) => removeEdges(tx, [['b', 'd']]))
    await store.write((tx) => archiveEdgesOf(tx, [{ id: 'a', previousStatus: 'active' }]))
    await agree()
    const least = (await store.read((tx) => tx.queries.strengths(['b']))).get('b')?.strength
    const strongest = await store.read((tx) => tx.queries.strongest(1, 2))
    expect(strongest).toEqual({
      strongest: [{ id: 'b', strength: least }],
      atRank: least,
    })
    expect(await store.read((tx) => tx.queries.strongest(0, 3))).toEqual({ strongest: [], atRank: 0 })
  })
}

function checkPairs({ check }: Suite): void {
  check('savePairs keeps the first pair of two blocks until it is resolved or reopened', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await store.write((tx) => savePairs(tx, [aPair('b', 'c'), aPair('a', 'b')]))
    await store.write((tx) => savePairs(tx, [aPair('a', 'b', { score: 0.1 })]))
    expect(await openPairs(store)).toEqual([aPair('b', 'c'), aPair('a', 'b')])
    expect(await store.read((tx) => readOpenPairs(tx, 9, ['b', 'c']))).toEqual([aPair('a', 'b')])
    expect(await store.read((tx) => readOpenPairs(tx, 9, ['a', 'c']))).toBeUndefined()
    const resolve = (kinds?: BlockPair['kind'][]) =>
      store.write((tx) => resolvePairs(tx, ends('ba', 'ab', 'ac'), kinds))
    expect([await resolve(['contradiction']), await resolve(), await resolve()]).toEqual([0, 1, 0])
    await store.write((tx) => savePairs(tx, [aPair('a', 'b')]))
    expect(await openPairs(store)).toEqual([aPair('b', 'c')])
    const settled = await store.read((tx) => readSettledPairs(tx, ends('ab', 'bc')))
    expect(settled).toMatchObject([aPair('a', 'b', { resolved: true })])
    await store.write((tx) => savePairs(tx, [aPair('a', 'b', { score: 0.2 })], { reopens: true }))
    expect(await openPairs(store)).toEqual([aPair('b', 'c'), aPair('a', 'b', { score: 0.2 })])
  })
}

function checkArchive({ check }: Suite): void {
  check(
    'archiveEdgesOf takes edges and open pairs away; takeArchivedEdges gives them back once',
    async (store) => {
      await insertAll(store, ['a', 'b', 'c', 'd'])
      const [ab, ac] = [anEdge('a', 'b', { note: 'n' }), anEdge('a', 'c', { weight: 0.9 })]
      await store.write(async (tx) => {
        await saveEdges(tx, [ab, ac, anEdge('c', 'd')])
        await savePairs(tx, [aPair('a', 'd'), aPair('b', 'c', { resolved: true })])
        await stagePairs(tx, ends('ad', 'bd'), { mark: 's', threshold: 9, limit: 9, disconnectedSince: 0 })
        await savePendingConnections(tx, [aPending('a', 'd'), aPending('d', 'c')])
        await archiveEdgesOf(tx, [
          { id: 'a', previousStatus: 'active' },
          { id: 'b', previousStatus: 'inbox' },
        ])
        await addArchivedEdges(tx, [anEdge('b', 'd'), anEdge('c', 'd')])
      })
      expect(await linksOf(store, 'a', 'b', 'c', 'd')).toEqual({ edges: [anEdge('c', 'd')], pairs: [] })
      expect((await countsOf(store)).stagedPairs).toBe(0)
      expect(await store.read((tx) => tx.rows.scan(PENDING, { order: ['id'], limit: 9 }))).toEqual([
        aPending('d', 'c'),
      ])
      const take = (id: string) => store.write((tx) => takeArchivedEdges(tx, id))
      const a = { blockId: 'a', previousStatus: 'active', edges: [ac, ab], pairs: [aPair('a', 'd')] }
      expect(await take('a')).toEqual(a)
      expect(await take('a')).toBeUndefined()
      expect(await take('b')).toEqual({
        blockId: 'b',
        previousStatus: 'inbox',
        edges: [ab, anEdge('b', 'd')],
        pairs: [],
      })
      expect(await take('c')).toBeUndefined()
    },
  )
}
