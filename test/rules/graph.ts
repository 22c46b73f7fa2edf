import type { Edge } from '../../src/domain/graph/edge.ts'
import { anEdge, aPair, insertAll, type Suite } from '../../src/testing/harness.ts'

/** Promises about edges, pairs, archiving and curation's walks. */
export function checkGraph({ check, expect }: Suite): void {
  check('gives back an edge exactly as it was saved, and overwrites it by pair', async (store) => {
    await insertAll(store, ['a', 'b'])
    const full = anEdge('a', 'b', {
      relation: 'élabore',
      origin: 'agent',
      weight: 0.1 + 0.2,
      reinforcementCount: 3,
      lastActiveAt: 1 / 3,
      note: 'because "it" — 東京',
      declaredBy: 'b',
    })
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b'), full]))
    expect(await store.read((tx) => tx.links(['a']))).toEqual({ edges: [full], pairs: [] })
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b', { weight: 1 })]))
    const { edges } = await store.read((tx) => tx.links(['b']))
    expect(edges).toEqual([anEdge('a', 'b', { weight: 1 })])
    expect('note' in (edges[0] as Edge)).toBe(false)
  })

  check('does not join blocks it does not know, nor a block to itself', async (store) => {
    await insertAll(store, ['a', 'b'])
    await store.write(async (tx) => {
      await tx.saveEdges([anEdge('a', 'nobody'), anEdge('a', 'b'), anEdge('a', 'a')])
      await tx.savePairs([aPair('a', 'nobody'), aPair('b', 'b')])
      await tx.archiveEdgesOf([{ id: 'nobody', previousStatus: 'active' }])
      await tx.queueOutcomes([{ blockId: 'nobody', signal: 1, weight: 1, source: 'x' }], 9)
    })
    expect(await store.read((tx) => tx.links(['a', 'b', 'nobody']))).toEqual({
      edges: [anEdge('a', 'b')],
      pairs: [],
    })
    expect((await store.read((tx) => tx.counts())).queuedOutcomes).toBe(0)
  })

  check('gives links strongest first, each once, with open pairs only', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    const edges = [
      anEdge('a', 'b', { weight: 0.2 }),
      anEdge('c', 'd', { weight: 0.9 }),
      anEdge('a', 'd', { weight: 0.7 }),
      anEdge('a', 'c', { weight: 0.7 }),
    ]
    await store.write(async (tx) => {
      await tx.saveEdges(edges)
      await tx.savePairs([
        aPair('a', 'b'),
        aPair('b', 'c', { resolved: true }),
        aPair('b', 'd', { score: 1 }),
      ])
    })
    const links = await store.read((tx) => tx.links(['b', 'a']))
    expect(links.edges).toEqual([edges[3], edges[2], edges[0]])
    expect(links.pairs).toEqual([aPair('b', 'd', { score: 1 }), aPair('a', 'b')])
    expect(await store.read((tx) => tx.links([]))).toEqual({ edges: [], pairs: [] })
  })

  check('counts edges at each known id', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'lone'])
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b'), anEdge('a', 'c')]))
    const degrees = await store.read((tx) => tx.degrees(['c', 'a', 'lone', 'nobody', 'b']))
    expect([...degrees].sort()).toEqual([
      ['a', 2],
      ['b', 1],
      ['c', 1],
      ['lone', 0],
    ])
  })

  check('removes edges and says which were there, in the order asked', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b'), anEdge('a', 'c'), anEdge('b', 'c')]))
    const removed = await store.write((tx) =>
      tx.removeEdges([
        ['b', 'c'],
        ['c', 'nobody'],
        ['a', 'b'],
      ]),
    )
    expect(removed).toEqual([anEdge('b', 'c'), anEdge('a', 'b')])
    expect((await store.read((tx) => tx.counts())).edges).toBe(1)
  })

  check('reinforces the edges inside a set and no others', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b'), anEdge('b', 'c'), anEdge('c', 'd')]))
    expect(await store.write((tx) => tx.reinforceEdgesAmong(['a', 'c', 'b', 'nobody'], 7))).toBe(2)
    expect(await store.write((tx) => tx.reinforceEdgesAmong(['d'], 9))).toBe(0)
    const { edges } = await store.read((tx) => tx.links(['c']))
    expect(edges.map((edge) => [edge.to, edge.reinforcementCount, edge.lastActiveAt])).toEqual([
      ['c', 1, 7],
      ['d', 0, 0],
    ])
  })

  check('keeps the first pair of two blocks, open until it is resolved', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await store.write((tx) => tx.savePairs([aPair('b', 'c'), aPair('a', 'b')]))
    await store.write((tx) => tx.savePairs([aPair('a', 'b', { score: 0.1 })]))
    expect(await store.read((tx) => tx.openPairs(9))).toEqual([aPair('b', 'c'), aPair('a', 'b')])
    expect((await store.read((tx) => tx.openPairs(1))).length).toBe(1)
    expect(await store.read((tx) => tx.openPairs(9, ['b', 'c']))).toEqual([aPair('a', 'b')])
    expect(await store.read((tx) => tx.openPairs(9, ['a', 'c']))).toBe(undefined)
    expect(await store.write((tx) => tx.resolvePair('b', 'a'))).toBe(true)
    expect(await store.write((tx) => tx.resolvePair('a', 'b'))).toBe(false)
    expect(await store.write((tx) => tx.resolvePair('a', 'c'))).toBe(false)
    await store.write((tx) => tx.savePairs([aPair('a', 'b')]))
    expect(await store.read((tx) => tx.openPairs(9))).toEqual([aPair('b', 'c')])
    await store.write((tx) => tx.savePairs([aPair('a', 'b', { score: 0.2 })], { reopens: true }))
    await store.write((tx) => tx.savePairs([aPair('b', 'c', { score: 0.2 })], { reopens: true }))
    expect(await store.read((tx) => tx.openPairs(9))).toEqual([
      aPair('b', 'c'),
      aPair('a', 'b', { score: 0.2 }),
    ])
  })

  check('buries edges, open pairs and staging, and gives edges and pairs back once', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'], { tags: ['kept'] })
    await store.write(async (tx) => {
      await tx.saveEdges([
        anEdge('a', 'b', { note: 'n' }),
        anEdge('a', 'c', { weight: 0.9 }),
        anEdge('c', 'd'),
      ])
      await tx.savePairs([aPair('a', 'd'), aPair('b', 'c', { resolved: true })])
      await tx.stagePairs(
        [
          ['a', 'd'],
          ['b', 'd'],
        ],
        { mark: 's', threshold: 9, limit: 9, disconnectedSince: 0 },
      )
      await tx.archiveEdgesOf([
        { id: 'a', previousStatus: 'active' },
        { id: 'b', previousStatus: 'inbox' },
      ])
    })
    const left = await store.read((tx) => tx.links(['a', 'b', 'c', 'd']))
    expect(left).toEqual({ edges: [anEdge('c', 'd')], pairs: [] })
    expect((await store.read((tx) => tx.counts())).stagedPairs).toBe(0)
    expect((await store.read((tx) => tx.blocks(['a'])))[0]?.tags).toEqual(['kept'])
    const edges = [anEdge('a', 'c', { weight: 0.9 }), anEdge('a', 'b', { note: 'n' })]
    const taken = await store.write((tx) => tx.takeArchivedEdges('a'))
    expect(taken).toEqual({ blockId: 'a', previousStatus: 'active', edges, pairs: [aPair('a', 'd')] })
    expect(await store.write((tx) => tx.takeArchivedEdges('a'))).toBe(undefined)
    expect(await store.write((tx) => tx.takeArchivedEdges('b'))).toEqual({
      blockId: 'b',
      previousStatus: 'inbox',
      edges: [anEdge('a', 'b', { note: 'n' })],
      pairs: [],
    })
  })

  check('adds edges to those archived with their ends', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await store.write(async (tx) => {
      await tx.saveEdges([anEdge('a', 'b', { note: 'first — 東京' })])
      await tx.archiveEdgesOf([{ id: 'a', previousStatus: 'active' }])
      await tx.addArchivedEdges([anEdge('a', 'c', { note: '"second"' }), anEdge('b', 'c')])
      await tx.addArchivedEdges([])
    })
    const kept = await store.write(async (tx) => [
      await tx.takeArchivedEdges('a'),
      await tx.takeArchivedEdges('c'),
    ])
    const edges = [anEdge('a', 'b', { note: 'first — 東京' }), anEdge('a', 'c', { note: '"second"' })]
    expect(kept).toEqual([{ blockId: 'a', previousStatus: 'active', edges, pairs: [] }, undefined])
  })

  check('walks active blocks in the order of arrival with what fades them', async (store) => {
    await insertAll(store, ['c', 'a', 'b'], { decayLambda: 0.05, lastReinforcedAt: 2 })
    await insertAll(store, ['aa'], { status: 'archived' })
    await store.write((tx) => tx.saveEdges([anEdge('a', 'b')]))
    const page = (after: number) => store.read((tx) => tx.vitalityPage(after, 2))
    const vital = { decayLambda: 0.05, lastReinforcedAt: 2 }
    expect(await page(0)).toEqual([
      { arrival: 1, id: 'c', ...vital, degree: 0 },
      { arrival: 2, id: 'a', ...vital, degree: 1 },
    ])
    expect(await page(2)).toEqual([{ arrival: 3, id: 'b', ...vital, degree: 1 }])
    expect(await page(3)).toEqual([])
  })

  check('gives the notes of the newest edges that have one', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    const noted = (from: string, to: string, day: number, note?: string) => ({
      ...anEdge(from, to),
      createdAt: `2026-01-0${day}T00:00:00.000Z`,
      ...(note === undefined ? {} : { note }),
    })
    await store.write((tx) =>
      tx.saveEdges([
        noted('a', 'b', 1, 'old'),
        noted('a', 'c', 3, 'new'),
        noted('b', 'c', 4),
        noted('c', 'd', 2, ''),
      ]),
    )
    const notes = (limit: number) => store.read((tx) => tx.edgeNotes(limit))
    expect(await notes(9)).toEqual([
      { from: 'a', to: 'c', note: 'new' },
      { from: 'c', to: 'd', note: '' },
      { from: 'a', to: 'b', note: 'old' },
    ])
    expect(await notes(1)).toEqual([{ from: 'a', to: 'c', note: 'new' }])
  })

  check('walks edges in the order of their ends', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await store.write((tx) => tx.saveEdges([anEdge('b', 'c'), anEdge('a', 'c'), anEdge('a', 'b')]))
    const page = (after: readonly [string, string]) => store.read((tx) => tx.edgePage(after, 2))
    expect(await page(['', ''])).toEqual([anEdge('a', 'b'), anEdge('a', 'c')])
    expect(await page(['a', 'c'])).toEqual([anEdge('b', 'c')])
  })
}
