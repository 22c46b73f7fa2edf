import type { Block } from '../../src/domain/block/block.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { anIndex, insertAll, type Suite, undoably } from '../../src/testing/harness.ts'

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

  checkWaiting({ check, expect })
}

/** Promises about the vectors of blocks that wait. */
function checkWaiting({ check, expect }: Pick<Suite, 'check' | 'expect'>): void {
  const idsWithVector = (store: Store) =>
    store.read(async (tx) => [...(await tx.vectors(['active', 'edited', 'gone', 'waiting'])).keys()].sort())
  const keepAll = (store: Store, blocks: readonly Block[]) =>
    store.write((tx) => tx.saveWaitingVectors(blocks.map((block) => shadowOf(block, 1, 0))))

  check(
    'keeps vectors of blocks that wait and still say what they were made of, as a change',
    async (store) => {
      const [active] = await insertAll(store, ['active'])
      const [waiting, edited] = await insertAll(store, ['waiting', 'edited'], { status: 'inbox' })
      const [gone] = await insertAll(store, ['gone'], { status: 'archived' })
      const all = [active, waiting, gone] as Block[]
      const { sequence } = await store.read((tx) => tx.changes(0))
      await keepAll(store, [...all, { ...(edited as Block), content: 'older words' }])
      expect(await idsWithVector(store)).toEqual(['waiting'])
      const expected = [{ block: waiting, vector: vector(1, 0) }]
      const changes = await store.read((tx) => tx.changes(sequence))
      expect(changes.blocks).toEqual(expected)
      await keepAll(store, all)
      expect((await store.read((tx) => tx.changes(changes.sequence))).blocks).toEqual([])
      const seen: unknown[] = []
      await store.read((tx) =>
        tx.livingBlocks((batch) => seen.push(...batch.filter(({ vector: own }) => own))),
      )
      expect(seen).toEqual(expected)
    },
  )

  check(
    'lets the vector of a waiting block go with its words, and keeps it for its active life',
    async (store) => {
      const blocks = await insertAll(store, ['active', 'edited', 'gone', 'waiting'], { status: 'inbox' })
      const [active, edited, gone, waiting] = blocks as [Block, Block, Block, Block]
      await keepAll(store, blocks)
      await store.write((tx) =>
        tx.saveBlocks([
          { ...active, status: 'active' },
          { ...edited, content: 'other words' },
          { ...gone, status: 'archived', archiveReason: 'forgotten' },
          { ...waiting, cue: 'when it matters' },
        ]),
      )
      expect(await idsWithVector(store)).toEqual(['active', 'waiting'])
    },
  )

  check('counts vectors of waiting blocks among those to be made anew', async (store) => {
    await embedAll(store, ['active'])
    await store.write((tx) => tx.beginShadow())
    await keepAll(store, await insertAll(store, ['waiting'], { status: 'inbox' }))
    expect(await missingOf(store)).toEqual(['active', 'waiting'])
  })

  check(
    'drops vectors of waiting blocks only while no other block has one, as a new generation',
    async (store) => {
      const [waiting] = (await insertAll(store, ['waiting'], { status: 'inbox' })) as [Block]
      await keepAll(store, [waiting])
      const { generation } = await store.read((tx) => tx.changes(0))
      expect(await store.write((tx) => tx.dropWaitingVectors())).toBe(true)
      expect(await idsWithVector(store)).toEqual([])
      const after = await store.read((tx) => tx.changes(0))
      expect(after.generation).toBe(generation + 1)
      expect(after.blocks).toEqual([{ block: waiting }])
      await keepAll(store, [waiting])
      await embedAll(store, ['active'])
      expect(await store.write((tx) => tx.dropWaitingVectors())).toBe(false)
      expect(await idsWithVector(store)).toEqual(['active', 'waiting'])
    },
  )

  check('sets a waiting block back to other words without the vector of its later ones', async (store) => {
    const [waiting] = (await insertAll(store, ['waiting'], { status: 'inbox' })) as [Block]
    const edited = { ...waiting, content: 'other words' }
    const kept = await undoably(store, (tx) => tx.saveBlocks([edited]))
    await keepAll(store, [edited])
    await store.write((tx) => tx.revert(kept))
    expect(await idsWithVector(store)).toEqual([])
    await keepAll(store, [waiting])
    const forgotten = await undoably(store, (tx) => tx.saveBlocks([{ ...waiting, status: 'archived' }]))
    expect(await idsWithVector(store)).toEqual([])
    await store.write((tx) => tx.revert(forgotten))
    expect(await idsWithVector(store)).toEqual(['waiting'])
  })
}
