import { expect } from 'vitest'
import type { Block } from '../../src/block/block.ts'
import { readVectors, saveBlocks, saveIndex } from '../../src/store/blocks.ts'
import { archiveEdgesOf, readLinks, saveEdges } from '../../src/store/graph.ts'
import { AT, anEdge, anIndex, blocksOf, idsIn, insertAll } from './harness.ts'
import type { Suite } from './suite.ts'

const [BEFORE, AFTER] = ['2026-02-01T12:00:00.000Z', '2026-04-01T12:00:00.000Z']

/** Registers tests of looking back. */
export function checkPast({ check }: Suite): void {
  check('past with asOf has what held then, and what is written in it is lost', async (store) => {
    const [a, b, c] = (await insertAll(store, ['a', 'b', 'c', 'd'])) as [Block, Block, Block]
    await store.write(async (tx) => {
      await saveEdges(tx, [anEdge('a', 'b'), anEdge('a', 'd')])
      await saveIndex(tx, [anIndex('a', { vectors: { vector: new Float32Array([1, 0]) } })])
      await archiveEdgesOf(tx, [{ id: 'a', previousStatus: 'active' }])
      await saveBlocks(tx, [
        { ...a, status: 'archived', archiveReason: 'superseded', supersededAt: AFTER },
        { ...b, status: 'archived', archiveReason: 'forgotten' },
        { ...c, validFrom: AFTER },
      ])
    })
    const { store: past } = await store.past({ asOf: AT })
    await insertAll(past, ['late'])
    const blocks = await blocksOf(past, 'a', 'b', 'c', 'd', 'late')
    expect(blocks.map(({ id, status }) => `${id} ${status}`)).toEqual(['a active', 'd active', 'late active'])
    const { edges } = await past.read((tx) => readLinks(tx, ['a']))
    expect(edges.map(({ from, to }) => from + to)).toEqual(['ad'])
    expect([...(await past.read((tx) => readVectors(tx, ['a']))).keys()]).toEqual(['a'])
    await past.close()
    expect(await blocksOf(store, 'late')).toEqual([])
    const { store: earlier } = await store.past({ asOf: BEFORE })
    expect(idsIn(await blocksOf(earlier, 'a', 'd'))).toEqual([])
    await earlier.close()
  })
}
