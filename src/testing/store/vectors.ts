import type { Block } from '../../domain/block/block.ts'
import type { Store } from '../../ports/store/store.ts'
import { anIndex, insertAll, type Suite } from '../harness.ts'

const vector = (...components: readonly number[]): Float32Array => new Float32Array(components)

/** Blocks with a vector in use, one for each id. */
async function embedAll(store: Store, ids: readonly string[]): Promise<Block[]> {
  const blocks = await insertAll(store, ids)
  await store.write((tx) => tx.saveIndex(ids.map((id) => anIndex(id, { vector: vector(1, 0) }))))
  return blocks
}

const shadowOf = ({ id, content }: Block, ...components: readonly number[]) => ({
  id,
  content,
  vector: vector(...components),
})

const missingOf = (store: Store): Promise<string[]> =>
  store.read(async (tx) => (await tx.missingShadow(9)).map(({ id }) => id))

/** Promises about the shadow set of vectors and its change with the one in use. */
export function checkVectors({ check, expect }: Suite): void {
  check('has no shadow set until one is begun', async (store) => {
    const [block] = await embedAll(store, ['a', 'b'])
    await insertAll(store, ['without'])
    const characters = 'content of a'.length + 'content of b'.length
    expect(await store.read((tx) => tx.vectorTotals())).toEqual({ blocks: 2, characters })
    expect(await missingOf(store)).toEqual([])
    await store.write((tx) => tx.saveShadow([shadowOf(block as Block, 1)]))
    expect(await store.write((tx) => tx.swapVectors())).toBe(false)
    expect(await store.read((tx) => tx.vectorTotals())).toEqual({ blocks: 2, characters })
  })

  check('lists what the shadow set lacks, by arrival, with what came since', async (store) => {
    const [, b] = await embedAll(store, ['a', 'b', 'c'])
    await store.write((tx) => tx.beginShadow())
    await store.write((tx) => tx.saveShadow([shadowOf(b as Block, 0, 1), shadowOf(b as Block, 1, 0)]))
    await embedAll(store, ['d'])
    await insertAll(store, ['without'])
    expect(await missingOf(store)).toEqual(['a', 'c', 'd'])
    expect((await store.read((tx) => tx.missingShadow(2))).map(({ id }) => id)).toEqual(['a', 'c'])
    expect((await store.read((tx) => tx.vectorTotals())).missing).toBe(3)
    expect(await store.write((tx) => tx.swapVectors())).toBe(false)
  })

  check('takes no shadow vector of words that changed, or of a block without one in use', async (store) => {
    const [a] = await embedAll(store, ['a', 'b'])
    const [waiting] = await insertAll(store, ['waiting'], { status: 'inbox' })
    await store.write(async (tx) => {
      await tx.beginShadow()
      await tx.saveBlocks([{ ...(a as Block), content: 'other words' }])
      await tx.saveShadow([shadowOf(a as Block, 1), shadowOf(waiting as Block, 1)])
    })
    expect(await missingOf(store)).toEqual(['a', 'b'])
  })

  check('loses the shadow vector of a block whose vector changes or goes', async (store) => {
    const [a, b, c] = (await embedAll(store, ['a', 'b', 'c'])) as [Block, Block, Block]
    await store.write((tx) => tx.beginShadow())
    await store.write((tx) => tx.saveShadow([shadowOf(a, 3), shadowOf(b, 4), shadowOf(c, 5)]))
    await store.write((tx) =>
      tx.saveIndex([
        anIndex('a', { vector: vector(1, 0), terms: 'other words' }),
        anIndex('b', { vector: vector(0, 1) }),
        anIndex('c'),
      ]),
    )
    expect(await missingOf(store)).toEqual(['b'])
    await store.write((tx) => tx.saveShadow([shadowOf(b, 4), shadowOf(c, 5)]))
    expect(await store.write((tx) => tx.swapVectors())).toBe(true)
    const inUse = await store.read((tx) => tx.vectors(['a', 'b', 'c']))
    expect([...inUse]).toEqual([
      ['a', vector(3)],
      ['b', vector(4)],
    ])
  })

  check('lists a block once whose vector changes again while its spare one is missing', async (store) => {
    await embedAll(store, ['a'])
    await store.write((tx) => tx.beginShadow())
    for (const second of [1, 2])
      await store.write((tx) => tx.saveIndex([anIndex('a', { vector: vector(0, second) })]))
    expect(await missingOf(store)).toEqual(['a'])
  })

  check('changes the places of the sets at once, and back, as a new generation', async (store, reopen) => {
    const blocks = await embedAll(store, ['a', 'b'])
    const before = await store.read((tx) => tx.changes(0))
    await store.write((tx) => tx.beginShadow())
    await store.write((tx) => tx.saveShadow(blocks.map((block) => shadowOf(block, 0, 0, 1))))
    expect(await store.write((tx) => tx.swapVectors())).toBe(true)
    const after = await store.read((tx) => tx.changes(before.sequence))
    expect(after).toEqual({ ...before, generation: before.generation + 1, blocks: [] })
    const vectors = (each: Store) => each.read(async (tx) => [...(await tx.vectors(['a', 'b'])).values()])
    expect(await vectors(store)).toEqual([vector(0, 0, 1), vector(0, 0, 1)])
    await embedAll(store, ['c'])
    expect(await missingOf(store)).toEqual(['c'])
    await store.write((tx) =>
      tx.saveShadow([shadowOf({ ...(blocks[0] as Block), id: 'c', content: 'content of c' }, 1, 0)]),
    )
    expect(await store.write((tx) => tx.swapVectors())).toBe(true)
    expect(await vectors(store)).toEqual([vector(1, 0), vector(1, 0)])
    expect((await store.read((tx) => tx.changes(0))).generation).toBe(before.generation + 2)
    if (reopen === undefined) return
    const again = await reopen()
    expect(await vectors(again)).toEqual([vector(1, 0), vector(1, 0)])
    await again.close()
  })

  check('drops the shadow set, and begins another one empty', async (store) => {
    const blocks = await embedAll(store, ['a'])
    await store.write((tx) => tx.beginShadow())
    await store.write((tx) => tx.saveShadow(blocks.map((block) => shadowOf(block, 2))))
    await store.write((tx) => tx.dropShadow())
    expect((await store.read((tx) => tx.vectorTotals())).missing).toBe(undefined)
    expect(await store.write((tx) => tx.swapVectors())).toBe(false)
    await store.write((tx) => tx.beginShadow())
    expect(await missingOf(store)).toEqual(['a'])
  })

  check('leaves both sets as they were when a write that swapped them fails', async (store) => {
    const blocks = await embedAll(store, ['a'])
    await store.write((tx) => tx.beginShadow())
    await store.write((tx) => tx.saveShadow(blocks.map((block) => shadowOf(block, 2))))
    await store
      .write(async (tx) => {
        await tx.swapVectors()
        throw new Error('on purpose')
      })
      .catch(() => undefined)
    expect((await store.read((tx) => tx.changes(0))).generation).toBe(0)
    expect((await store.read((tx) => tx.vectors(['a']))).get('a')).toEqual(vector(1, 0))
    expect(await store.write((tx) => tx.swapVectors())).toBe(true)
  })
}
