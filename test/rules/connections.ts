import { anEdge, aPair, aPending, insertAll, type Suite } from '../../src/testing/harness.ts'

/** Promises about how well blocks are joined, what waits to be joined, and what is not to be joined. */
export function checkConnections({ check, expect }: Suite): void {
  check('keeps an edge without an anchor, and whose it was before', async (store) => {
    await insertAll(store, ['a', 'b'])
    const { lastActiveAt: _, ...timeless } = anEdge('a', 'b', {
      origin: 'agent',
      previousOrigin: 'similarity',
    })
    await store.write((tx) => tx.saveEdges([timeless]))
    expect((await store.read((tx) => tx.links(['a']))).edges).toEqual([timeless])
  })

  check('gives the edges around blocks with the decay of both ends, each once', async (store) => {
    await insertAll(store, ['a', 'c'], { decayLambda: 0.5 })
    await insertAll(store, ['b', 'd'], { decayLambda: 0.25 })
    await store.write((tx) =>
      tx.saveEdges([anEdge('b', 'd'), anEdge('a', 'c'), anEdge('a', 'b'), anEdge('c', 'd')]),
    )
    expect(await store.read((tx) => tx.edgesAround(['b', 'a', 'nobody']))).toEqual([
      { edge: anEdge('a', 'b'), fromLambda: 0.5, toLambda: 0.25 },
      { edge: anEdge('a', 'c'), fromLambda: 0.5, toLambda: 0.5 },
      { edge: anEdge('b', 'd'), fromLambda: 0.25, toLambda: 0.25 },
    ])
    expect(await store.read((tx) => tx.edgesAround([]))).toEqual([])
  })

  check('removes only edges that nobody used since they were read', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    const { lastActiveAt: _, ...timeless } = anEdge('c', 'd')
    const read = [anEdge('a', 'd'), anEdge('a', 'b'), anEdge('b', 'c', { weight: 0.1 }), timeless]
    await store.write((tx) => tx.saveEdges(read))
    await store.write((tx) => tx.reinforceEdgesAmong(['a', 'b'], 7))
    await store.write((tx) => tx.saveEdges([anEdge('b', 'c', { weight: 0.2 })]))
    expect(await store.write((tx) => tx.removeUnusedEdges(read))).toEqual([anEdge('a', 'd'), timeless])
    expect((await store.read((tx) => tx.counts())).edges).toBe(2)
  })

  check('puts an open contradiction in the place of an earlier pair', async (store) => {
    await insertAll(store, ['a', 'b'])
    await store.write((tx) => tx.savePairs([aPair('a', 'b', { resolved: true })]))
    const contradiction = aPair('b', 'a', { kind: 'contradiction', score: 0.6 })
    await store.write((tx) => tx.savePairs([contradiction]))
    expect(await store.read((tx) => tx.openPairs(9))).toEqual([contradiction])
    await store.write((tx) => tx.savePairs([aPair('a', 'b')]))
    expect(await store.read((tx) => tx.openPairs(9))).toEqual([contradiction])
  })

  check('keeps connections that wait for room in their order, two blocks once', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    const first = aPending('b', 'a', { note: 'why — 東京' })
    const second = aPending('a', 'c')
    await store.write((tx) =>
      tx.savePendingConnections([first, second, aPending('a', 'nobody'), aPending('c', 'c')]),
    )
    await store.write((tx) => tx.savePendingConnections([aPending('a', 'b', { attempts: 3 })]))
    const again = { ...aPending('b', 'a'), attempts: 3 }
    expect(await store.read((tx) => tx.pendingConnections(9))).toEqual([again, second])
    expect(await store.read((tx) => tx.pendingConnections(1))).toEqual([again])
    expect((await store.read((tx) => tx.counts())).pendingConnections).toBe(2)
    expect(
      await store.write((tx) =>
        tx.removePendingConnections([
          ['c', 'a'],
          ['a', 'b'],
          ['b', 'c'],
        ]),
      ),
    ).toEqual([again, second])
    expect(await store.read((tx) => tx.pendingConnections(9))).toEqual([])
  })

  check('keeps the direction that was asked for first, in one batch too', async (store) => {
    await insertAll(store, ['a', 'b'])
    const again = aPending('b', 'a', { attempts: 2 })
    await store.write((tx) => tx.savePendingConnections([aPending('a', 'b'), again]))
    expect(await store.read((tx) => tx.pendingConnections(9))).toEqual([aPending('a', 'b', { attempts: 2 })])
  })

  check('drops what waits for a block that is buried', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await store.write((tx) => tx.savePendingConnections([aPending('a', 'b'), aPending('c', 'b')]))
    await store.write((tx) => tx.archiveEdgesOf([{ id: 'a', previousStatus: 'active' }]))
    expect(await store.read((tx) => tx.pendingConnections(9))).toEqual([aPending('c', 'b')])
  })

  check('remembers what was disconnected, for as long as it is asked', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    const early = { from: 'a', to: 'b', at: 5, reason: 'not the same ferry' }
    const late = { from: 'a', to: 'c', at: 9 }
    await store.write((tx) =>
      tx.saveDisconnections([
        { ...late, from: 'c', to: 'a' },
        { ...early, at: 1 },
        early,
        { from: 'a', to: 'nobody', at: 9 },
      ]),
    )
    const among = (ids: readonly string[], since: number) => store.read((tx) => tx.disconnections(ids, since))
    expect(await among(['c', 'b', 'a'], 0)).toEqual([early, late])
    expect(await among(['a', 'b'], 0)).toEqual([early])
    expect(await among(['a', 'b', 'c'], 5)).toEqual([late])
    await store.write((tx) => tx.removeDisconnections([['c', 'a']]))
    expect(await among(['a', 'b', 'c'], 0)).toEqual([early])
    expect(await store.write((tx) => tx.trimDisconnections(4.5))).toBe(0)
    expect(await store.write((tx) => tx.trimDisconnections(5))).toBe(1)
    expect(await among(['a', 'b', 'c'], 0)).toEqual([])
  })
}
