import { AT, anEdge, insertAll, type Suite } from '../../src/testing/harness.ts'

const [BEFORE, AFTER] = ['2026-02-01T12:00:00.000Z', '2026-04-01T12:00:00.000Z']

/** Promises about looking back. */
export function checkPast({ check, expect }: Suite): void {
  check('has in a past what held then, as if it had not been superseded, and nothing else', async (store) => {
    const [a, b, c] = await insertAll(store, ['a', 'b', 'c', 'd', 'e'])
    if (!a || !b || !c) return
    await store.write(async (tx) => {
      await tx.saveEdges([anEdge('a', 'b'), anEdge('a', 'd')])
      await tx.saveIndex([
        { id: 'a', terms: 'word', asks: false, timed: false, vector: new Float32Array([1, 0]) },
      ])
      await tx.archiveEdgesOf([{ id: 'a', previousStatus: 'active' }])
      await tx.saveBlocks([
        { ...a, status: 'archived', archiveReason: 'superseded', supersededAt: AFTER },
        { ...b, status: 'archived', archiveReason: 'forgotten' },
        { ...c, validFrom: AFTER },
      ])
    })
    const { store: past } = await store.past({ asOf: AT, extent: 'all' })
    const there = await past.read(async (tx) => ({
      blocks: (await tx.blocks(['a', 'b', 'c', 'd', 'e'])).map(({ id, status }) => [id, status]),
      edges: (await tx.links(['a', 'd'])).edges.map(({ from, to }) => [from, to]),
      vectors: [...(await tx.vectors(['a'])).keys()],
    }))
    await past.close()
    expect(there).toEqual({
      blocks: [
        ['a', 'active'],
        ['d', 'active'],
        ['e', 'active'],
      ],
      edges: [['a', 'd']],
      vectors: ['a'],
    })
    const { store: earlier } = await store.past({ asOf: BEFORE, extent: 'all' })
    expect(await earlier.read((tx) => tx.blocks(['a', 'd']))).toEqual([])
    await earlier.close()
  })

  check('keeps what is written in a past out of the memory', async (store) => {
    await insertAll(store, ['a'])
    const { store: past } = await store.past({ asOf: AT, extent: 'all' })
    await insertAll(past, ['b'])
    expect((await past.read((tx) => tx.blocks(['a', 'b']))).map(({ id }) => id)).toEqual(['a', 'b'])
    await past.close()
    expect((await store.read((tx) => tx.blocks(['a', 'b']))).map(({ id }) => id)).toEqual(['a'])
  })
}
