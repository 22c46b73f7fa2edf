import { expect } from 'vitest'
import type { Block } from '../../src/block/block.ts'
import { revert } from '../../src/history/revert.ts'
import {
  beginShadow,
  dropShadow,
  dropWaitingVectors,
  readVectors,
  saveBlocks,
  saveIndex,
  saveShadow,
  saveWaitingVectors,
  swapVectors,
} from '../../src/store/blocks.ts'
import type { Store } from '../../src/store/transaction.ts'
import { anIndex, failingWrite, idsIn, insertAll, undoably } from './harness.ts'
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

const missingIn = async (store: Store, limit = 9) =>
  idsIn(await store.read((tx) => tx.queries.missingShadow(limit)))
const withVector = (store: Store, ...ids: readonly string[]) =>
  store.read(async (tx) => [...(await readVectors(tx, ids)).keys()].sort())

/** Registers tests of the shadow set of vectors and of vectors of blocks that wait. */
export function checkVectors({ check }: Suite): void {
  check('missingShadow lists by arrival what the shadow set lacks', async (store) => {
    const [, b] = (await embedAll(store, ['a', 'b', 'c'])) as [Block, Block]
    await store.write((tx) => beginShadow(tx))
    await store.write((tx) => saveShadow(tx, [vectorOf(b, 0, 1)]))
    await embedAll(store, ['d'])
    await insertAll(store, ['without'])
    expect(await missingIn(store)).toEqual(['a', 'c', 'd'])
    expect(await missingIn(store, 2)).toEqual(['a', 'c'])
    expect((await store.read((tx) => tx.queries.vectorTotals())).missing).toBe(3)
    expect(await store.write((tx) => swapVectors(tx))).toBe(false)
    await store.write((tx) => dropShadow(tx))
    expect(await missingIn(store)).toEqual([])
  })

  check('a shadow vector goes when its words or the vector in use change', async (store) => {
    const [a, b, c] = (await embedAll(store, ['a', 'b', 'c'])) as [Block, Block, Block]
    await store.write((tx) => beginShadow(tx))
    await store.write((tx) => saveShadow(tx, [vectorOf(a, 3), vectorOf(b, 4), vectorOf(c, 5)]))
    await store.write(async (tx) => {
      await saveIndex(tx, [anIndex('a', { vectors: { vector: vector(1, 0) }, terms: 'other words' })])
      await saveIndex(tx, [anIndex('b', { vectors: { vector: vector(0, 1) } }), anIndex('c')])
    })
    expect(await missingIn(store)).toEqual(['b'])
    await store.write(async (tx) => {
      await saveBlocks(tx, [{ ...b, content: 'other words' }])
      await saveShadow(tx, [vectorOf(b, 4)])
    })
    expect(await missingIn(store)).toEqual(['b'])
  })

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

  check('saveWaitingVectors keeps vectors of waiting blocks that still have the words', async (store) => {
    const [active] = (await insertAll(store, ['active'])) as [Block]
    const [waiting, edited] = (await insertAll(store, ['waiting', 'edited'], { status: 'inbox' })) as Block[]
    const { sequence } = await store.read((tx) => tx.queries.changes(0))
    const given = [active, waiting, { ...edited, content: 'older words' }] as Block[]
    await store.write((tx) =>
      saveWaitingVectors(
        tx,
        given.map((block) => vectorOf(block, 1, 0)),
      ),
    )
    expect(await withVector(store, 'active', 'waiting', 'edited')).toEqual(['waiting'])
    const { blocks } = await store.read((tx) => tx.queries.changes(sequence))
    expect(blocks).toEqual([{ block: waiting, vectors: { vector: vector(1, 0) } }])
  })

  check('the vector of a waiting block goes with its words and stays for its active life', async (store) => {
    const ids = ['active', 'edited', 'gone']
    const blocks = (await insertAll(store, ids, { status: 'inbox' })) as [Block, Block, Block]
    const [active, edited, gone] = blocks
    const keepAll = () =>
      store.write((tx) =>
        saveWaitingVectors(
          tx,
          blocks.map((each) => vectorOf(each, 1)),
        ),
      )
    await keepAll()
    const kept = await undoably(store, (tx) =>
      saveBlocks(tx, [
        { ...active, status: 'active' },
        { ...edited, content: 'other words' },
        { ...gone, status: 'archived', archiveReason: 'forgotten' },
      ]),
    )
    expect(await withVector(store, ...ids)).toEqual(['active'])
    await store.write((tx) => revert(tx, kept))
    expect(await withVector(store, ...ids)).toEqual(['active', 'edited', 'gone'])
  })

  check('dropWaitingVectors drops them as a new generation while no other block has one', async (store) => {
    const [waiting] = (await insertAll(store, ['waiting'], { status: 'inbox' })) as [Block]
    const keep = () => store.write((tx) => saveWaitingVectors(tx, [vectorOf(waiting, 1)]))
    const { generation } = await store.read((tx) => tx.queries.changes(0))
    await keep()
    expect(await store.write((tx) => dropWaitingVectors(tx))).toBe(true)
    const after = await store.read((tx) => tx.queries.changes(0))
    expect([after.generation, after.blocks]).toEqual([generation + 1, [{ block: waiting }]])
    await keep()
    await embedAll(store, ['active'])
    expect(await store.write((tx) => dropWaitingVectors(tx))).toBe(false)
    expect(await withVector(store, 'waiting', 'active')).toEqual(['active', 'waiting'])
  })
}
