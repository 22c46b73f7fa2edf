import type { Store } from '../../src/ports/store/store.ts'
import type { StoreWriter } from '../../src/ports/store/transaction.ts'
import { anEdge, codeOf, insertAll, type Suite, undoably } from '../../src/testing/harness.ts'

const ofUse = (one: string, other: string) =>
  anEdge(one, other, { origin: 'co_retrieval', relation: 'co_occurs', weight: 0.7 })

/** Promises about taking back where use has joined blocks or evicted an edge. */
export function checkUndoUse({ check, expect }: Suite): void {
  const revert = (store: Store, kept: number, except: readonly number[] = []) =>
    store.write((tx) => tx.revert(kept, except), { undoable: true })
  const use = (store: Store, work: (tx: StoreWriter) => Promise<unknown>) => store.write(work)
  const edgesOf = (store: Store) =>
    store.read(async (tx) => (await tx.links(['a', 'b', 'c'])).edges.map(({ from, to }) => `${from}${to}`))

  check('puts an edge back in the place of one that use has made since', async (store) => {
    await insertAll(store, ['a', 'b'], { status: 'active' })
    const edge = anEdge('a', 'b', { origin: 'agent', note: 'said' })
    await store.write((tx) => tx.saveEdges([edge]))
    const kept = await undoably(store, (tx) => tx.removeEdges([['a', 'b']]))
    await use(store, (tx) => tx.saveEdges([ofUse('a', 'b')]))
    const reverted = await revert(store, kept)
    expect(reverted?.edgesBack).toEqual([['a', 'b']])
    expect(reverted?.edgesDropped).toEqual([['a', 'b']])
    expect((await store.read((tx) => tx.links(['a']))).edges).toEqual([edge])
  })

  check('leaves away what gave way to use, and leaves what use made of the same blocks', async (store) => {
    await insertAll(store, ['a', 'b', 'c'], { status: 'active' })
    await store.write((tx) => tx.saveEdges([anEdge('b', 'c', { weight: 0.2 })]))
    const kept = await undoably(store, (tx) =>
      tx.saveEdges([anEdge('a', 'b'), anEdge('a', 'c'), anEdge('b', 'c', { weight: 0.4 })]),
    )
    await use(store, (tx) =>
      tx.removeEdges([
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'c'],
      ]),
    )
    await use(store, (tx) => tx.saveEdges([ofUse('a', 'b')]))
    const reverted = await revert(store, kept)
    expect(reverted?.edgesBack).toEqual([])
    expect(reverted?.edgesDropped).toEqual([])
    expect((await store.read((tx) => tx.links(['a', 'b', 'c']))).edges).toEqual([ofUse('a', 'b')])
  })

  check('brings back waiting pairs although others have their places by now', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'], { status: 'active' })
    const once = { mark: 's', threshold: 9, limit: 9, disconnectedSince: 0 }
    const stage = (pairs: readonly (readonly [string, string])[]) =>
      use(store, (tx) => tx.stagePairs(pairs, once))
    await stage([
      ['a', 'b'],
      ['a', 'c'],
      ['a', 'd'],
    ])
    const kept = await undoably(store, (tx) => tx.saveEdges([ofUse('a', 'c'), ofUse('a', 'd')]))
    await stage([['b', 'c']])
    await revert(store, kept)
    const staged = await store.read((tx) => tx.stagedPairs({ atLeast: 1, limit: 9 }))
    expect(staged.map(({ from, to }) => `${from}${to}`).sort()).toEqual(['ab', 'ac', 'ad', 'bc'])
  })

  check('refuses where a later write changed the edge, unless that one does not count', async (store) => {
    await insertAll(store, ['a', 'b', 'c'], { status: 'active' })
    const made = await undoably(store, (tx) => tx.saveEdges([anEdge('a', 'b'), anEdge('b', 'c')]))
    const removed = await undoably(store, (tx) => tx.removeEdges([['a', 'b']]))
    expect(await codeOf(revert(store, made))).toBe('CONFLICT')
    await use(store, (tx) => tx.saveEdges([ofUse('a', 'b')]))
    expect(await codeOf(revert(store, made))).toBe('CONFLICT')
    expect(await edgesOf(store)).toEqual(['ab', 'bc'])
    await revert(store, made, [removed])
    expect(await edgesOf(store)).toEqual(['ab'])
  })

  check('says which later write changed an edge last', async (store) => {
    await insertAll(store, ['a', 'b', 'c'], { status: 'active' })
    const first = await undoably(store, (tx) => tx.saveEdges([anEdge('a', 'b'), anEdge('a', 'c')]))
    const second = await undoably(store, (tx) => tx.saveEdges([anEdge('a', 'b', { weight: 0.9 })]))
    await use(store, (tx) => tx.saveEdges([anEdge('a', 'c', { weight: 0.9 })]))
    const third = await undoably(store, (tx) => tx.removeEdges([['a', 'b']]))
    const touched = (after: number, except: readonly number[] = []) =>
      store.write((tx) =>
        tx.touchedEdges(
          [
            ['a', 'b'],
            ['a', 'c'],
          ],
          { after, except },
        ),
      )
    expect(await touched(first)).toEqual([{ from: 'a', to: 'b', by: third }])
    expect(await touched(first, [third])).toEqual([{ from: 'a', to: 'b', by: second }])
    expect(await touched(first, [second, third])).toEqual([])
    expect((await touched(0)).map(({ by }) => by)).toEqual([third, first])
    expect(await touched(third)).toEqual([])
  })
}
