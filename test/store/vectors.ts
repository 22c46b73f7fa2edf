import { expect } from 'vitest'
import type { Block } from '../../src/block/block.ts'
import { beginShadow, readVectors, saveIndex, saveShadow, swapVectors } from '../../src/store/blocks.ts'
import type { Store } from '../../src/store/transaction.ts'
import { anIndex, failingWrite, insertAll } from './harness.ts'
import type { Suite } from './suite.ts'

const vector = (...components: readonly number[]): Float32Array => new Float32Array(components)

/** Inserts blocks with a vector in use. */
async function embedAll(store: Store, ids: readonly string[]): Promise<Block[]> {
  const blocks = await insertAll(store, ids)
  await store.write((tx) =>
    saveIndex(
      tx,
      ids.map((id) => anIndex(id, { vectors: { vector: vector(1, 0) } })),
    ),
  )
  return blocks
}

const vectorOf = ({ id, content }: Block, ...components: readonly number[]) => ({
  id,
  content,
  vector: vector(...components),
})

/** Registers tests of the shadow set of vectors and of vectors of blocks that wait. */
export function checkVectors({ check }: Suite): void {
  check(
    'swapVectors exchanges both sets as a new generation, and back; a failed write does not',
    async (store, again) => {
      const blocks = await embedAll(store, ['a', 'b'])
      const before = await store.read((tx) => tx.queries.changes(0))
      await store.write((tx) => beginShadow(tx))
      await store.write((tx) =>
        saveShadow(
          tx,
          blocks.map((block) => vectorOf(block, 0, 0, 1)),
        ),
      )
      const inUse = async (of = store) => [...(await of.read((tx) => readVectors(tx, ['a', 'b']))).values()]
      await failingWrite(store, (tx) => swapVectors(tx))
      expect(await inUse()).toEqual([{ vector: vector(1, 0) }, { vector: vector(1, 0) }])
      expect(await store.write((tx) => swapVectors(tx))).toBe(true)
      const after = await store.read((tx) => tx.queries.changes(before.sequence))
      expect(after).toEqual({ ...before, generation: before.generation + 1, blocks: [] })
      expect(await inUse(await again())).toEqual([{ vector: vector(0, 0, 1) }, { vector: vector(0, 0, 1) }])
      expect(await store.write((tx) => swapVectors(tx))).toBe(true)
      expect(await inUse()).toEqual([{ vector: vector(1, 0) }, { vector: vector(1, 0) }])
    },
  )
}
