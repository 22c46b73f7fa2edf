import { expect } from 'vitest'
import type { Block } from '../../src/block/block.ts'
import { revert } from '../../src/history/revert.ts'
import {
  dropWaitingVectors,
  insertBlocks,
  reinforceBlocks,
  saveBlocks,
  saveIndex,
} from '../../src/store/blocks.ts'
import { readRemovedSince } from '../../src/store/log.ts'
import type { Store } from '../../src/store/transaction.ts'
import { aBlock, anIndex, blocksOf, insertAll, undoably } from './harness.ts'
import type { Suite } from './suite.ts'

const since = (store: Store, sequence = 0) => store.read((tx) => tx.queries.changes(sequence))
const idsSince = async (store: Store, sequence = 0) =>
  (await since(store, sequence)).blocks.map(({ block }) => block.id)

/** Registers tests of what a reader of changes is told. */
export function checkChanges({ check }: Suite): void {
  check('changes(0) has living blocks, active ones with their index', async (store) => {
    const [active] = await insertAll(store, ['a'])
    const [waiting] = await insertAll(store, ['waiting'], { status: 'inbox' })
    await insertAll(store, ['gone'], { status: 'archived' })
    const index = anIndex('a', { flags: '3', vectors: { vector: new Float32Array([0.6, 0.8]) } })
    await store.write((tx) => saveIndex(tx, [index, anIndex('waiting'), anIndex('gone')]))
    const living = [{ block: waiting }, { block: active, index }]
    expect((await since(store)).blocks).toEqual(living)
    const seen: unknown[] = []
    await store.read((tx) => tx.queries.livingBlocks((batch) => void seen.push(...batch)))
    expect(seen).toEqual(expect.arrayContaining(living))
    expect(seen).toHaveLength(2)
  })

  check('changes tells of inserted, indexed and saved blocks in the order of their change', async (store) => {
    const blocks = await insertAll(store, ['a', 'b', 'c'])
    const { sequence } = await since(store)
    await store.write((tx) => saveIndex(tx, [anIndex('c')]))
    await store.write((tx) => saveBlocks(tx, [{ ...(blocks[0] as Block), successes: 1 }]))
    const later = await since(store, sequence)
    expect(later.blocks.map(({ block }) => block.id)).toEqual(['c', 'a'])
    expect(await idsSince(store, later.sequence)).toEqual([])
    await store.write((tx) => insertBlocks(tx, [aBlock('e'), aBlock('d', { status: 'inbox' })]))
    expect(await idsSince(store, later.sequence)).toEqual(['e', 'd'])
    expect(await idsSince(store)).toEqual(['b', 'c', 'a', 'e', 'd'])
  })

  check('an index that the reader has is not handed over again', async (store) => {
    const [a, b] = (await insertAll(store, ['a', 'b'])) as [Block, Block]
    await store.write((tx) => saveIndex(tx, [anIndex('a')]))
    const { sequence } = await since(store)
    await store.write((tx) => reinforceBlocks(tx, ['a', 'b'], 3))
    const used = { reinforcementCount: 1, lastReinforcedAt: 3 }
    expect((await since(store, sequence)).blocks).toEqual([
      { block: { ...a, ...used }, indexUnchanged: true },
      { block: { ...b, ...used } },
    ])
    const index = anIndex('a', { terms: 'other words' })
    await store.write((tx) => saveIndex(tx, [index]))
    expect((await since(store, sequence)).blocks[1]).toEqual({ block: { ...a, ...used }, index })
  })

  check('removedSince names the blocks that an undo removed, as a new generation each', async (store) => {
    await insertAll(store, ['a'])
    const before = await since(store)
    for (const ids of [['b'], ['c', 'd']]) {
      const kept = await undoably(store, (tx) =>
        insertBlocks(
          tx,
          ids.map((id) => aBlock(id)),
        ),
      )
      await store.write((tx) => revert(tx, kept))
    }
    expect((await since(store)).generation).toBe(before.generation + 2)
    const removed = (generation: number) => store.read((tx) => readRemovedSince(tx, generation))
    expect(await removed(before.generation)).toEqual({ ids: ['b', 'c', 'd'], sequence: before.sequence })
    expect((await removed(before.generation + 1))?.ids).toEqual(['c', 'd'])
    await store.write((tx) => dropWaitingVectors(tx))
    expect(await removed(before.generation)).toBeUndefined()
    expect(await blocksOf(store, 'b', 'c', 'd')).toEqual([])
  })
}
