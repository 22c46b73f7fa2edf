import type { Block } from '../domain/block/block.ts'
import type { Changes } from '../ports/store/transaction.ts'
import { AT, anEdge, anIndex, anOperation, insertAll, type Suite } from './harness.ts'

const idsOf = (changes: Changes): string[] => changes.blocks.map(({ block }) => block.id)

/** Promises about `changes` and the clock. */
export function checkChanges({ check, expect }: Suite): void {
  check('begins at hour 0 with nothing', async (store) => {
    const changes = await store.read((tx) => tx.changes(0))
    expect(changes).toEqual({ clock: { hours: 0 }, sequence: 0, generation: 0, blocks: [] })
    expect(await store.read((tx) => tx.clock())).toEqual({ hours: 0 })
  })

  check('reads the clock from the newest entry of the log', async (store) => {
    await store.write((tx) => tx.log(anOperation({ hours: 2.5, at: '2026-01-01T00:00:00.000Z' })))
    await store.write((tx) => tx.log(anOperation({ hours: 3.25, at: AT })))
    const expected = { hours: 3.25, wallMs: Date.parse(AT) }
    expect(await store.read((tx) => tx.clock())).toEqual(expected)
    expect((await store.read((tx) => tx.changes(0))).clock).toEqual(expected)
    expect((await store.read((tx) => tx.changes(5))).clock).toEqual(expected)
  })

  check('gives living blocks to a reader that begins, active ones with their index', async (store) => {
    const [first] = await insertAll(store, ['a'])
    const [waiting] = await insertAll(store, ['waiting'], { status: 'inbox' })
    await insertAll(store, ['gone'], { status: 'archived' })
    const index = anIndex('a', { asks: true, timed: true, vector: new Float32Array([0.6, 0.8]) })
    await store.write((tx) => tx.saveIndex([index, anIndex('waiting'), anIndex('gone')]))
    const { blocks } = await store.read((tx) => tx.changes(0))
    expect(blocks).toEqual([{ block: waiting }, { block: first, index }])
  })

  check('gives a later reader what changed since, in the order of change', async (store) => {
    const blocks = await insertAll(store, ['a', 'b', 'c'])
    const { sequence } = await store.read((tx) => tx.changes(0))
    await store.write((tx) => tx.saveIndex([anIndex('c')]))
    await store.write((tx) => tx.saveBlocks([{ ...(blocks[0] as Block), successes: 1 }]))
    const later = await store.read((tx) => tx.changes(sequence))
    expect(idsOf(later)).toEqual(['c', 'a'])
    expect(later.sequence > sequence).toBe(true)
    expect((await store.read((tx) => tx.changes(later.sequence))).blocks).toEqual([])
    expect(idsOf(await store.read((tx) => tx.changes(0)))).toEqual(['b', 'c', 'a'])
  })

  check('tells a later reader of blocks that left the active state, without index', async (store) => {
    const [block] = await insertAll(store, ['a', 'b'])
    await store.write((tx) => tx.saveIndex([anIndex('a'), anIndex('b')]))
    const { sequence } = await store.read((tx) => tx.changes(0))
    const archived: Block = { ...(block as Block), status: 'archived', archiveReason: 'forgotten' }
    await store.write((tx) => tx.saveBlocks([archived]))
    expect((await store.read((tx) => tx.changes(sequence))).blocks).toEqual([{ block: archived }])
    expect(idsOf(await store.read((tx) => tx.changes(0)))).toEqual(['b'])
    await store.write((tx) => tx.saveBlocks([block as Block]))
    expect((await store.read((tx) => tx.changes(sequence))).blocks).toEqual([{ block, index: anIndex('a') }])
  })

  check('tells of blocks that wait as they come, change, become active or go', async (store) => {
    await insertAll(store, ['a'])
    const since = async () => (await store.read((tx) => tx.changes(0))).sequence
    let before = await since()
    const [waiting] = (await insertAll(store, ['waiting'], { status: 'inbox' })) as [Block]
    const later = async () => (await store.read((tx) => tx.changes(before))).blocks
    expect(await later()).toEqual([{ block: waiting }])
    before = await since()
    const edited = { ...waiting, content: 'edited' }
    await store.write((tx) => tx.saveBlocks([edited]))
    expect(await later()).toEqual([{ block: edited }])
    before = await since()
    const index = anIndex('waiting')
    await store.write(async (tx) => {
      await tx.saveIndex([index])
      await tx.saveBlocks([{ ...edited, status: 'active' }])
    })
    expect(await later()).toEqual([{ block: { ...edited, status: 'active' }, index }])
    const [gone] = (await insertAll(store, ['gone'], { status: 'inbox' })) as [Block]
    before = await since()
    const archived: Block = { ...gone, status: 'archived', archiveReason: 'forgotten' }
    await store.write((tx) => tx.saveBlocks([archived]))
    expect(await later()).toEqual([{ block: archived }])
    expect(idsOf(await store.read((tx) => tx.changes(0)))).toEqual(['a', 'waiting'])
  })

  check('does not hand over an index again that the reader has got', async (store) => {
    const [a, b] = await insertAll(store, ['a', 'b'])
    await store.write((tx) => tx.saveIndex([anIndex('a')]))
    const { sequence } = await store.read((tx) => tx.changes(0))
    await store.write((tx) => tx.reinforceBlocks(['a', 'b'], 3))
    const used = { reinforcementCount: 1, lastReinforcedAt: 3 }
    expect((await store.read((tx) => tx.changes(sequence))).blocks).toEqual([
      { block: { ...(a as Block), ...used }, indexUnchanged: true },
      { block: { ...(b as Block), ...used } },
    ])
    const renewed = anIndex('a', { terms: 'other words' })
    await store.write((tx) => tx.saveIndex([renewed]))
    expect((await store.read((tx) => tx.changes(sequence))).blocks[1]).toEqual({
      block: { ...(a as Block), ...used },
      index: renewed,
    })
  })

  check(
    'counts reinforcement as a change, but neither edges, log nor saving what is there',
    async (store) => {
      const blocks = await insertAll(store, ['a', 'b'])
      await store.write((tx) => tx.saveIndex([anIndex('a', { vector: new Float32Array([1]) })]))
      const { sequence } = await store.read((tx) => tx.changes(0))
      await store.write(async (tx) => {
        await tx.saveEdges([anEdge('a', 'b')])
        await tx.reinforceEdgesAmong(['a', 'b'], 3)
        await tx.log(anOperation({ blockIds: ['a'] }))
        await tx.saveBlocks(blocks)
        await tx.saveIndex([anIndex('a', { vector: new Float32Array([1]) })])
      })
      expect((await store.read((tx) => tx.changes(0))).sequence).toBe(sequence)
      await store.write((tx) => tx.reinforceBlocks(['b'], 3))
      expect(idsOf(await store.read((tx) => tx.changes(sequence)))).toEqual(['b'])
    },
  )

  check('forgets changes of a failed write without reusing what a reader saw', async (store) => {
    await insertAll(store, ['a'])
    const { sequence } = await store.read((tx) => tx.changes(0))
    await store
      .write(async (tx) => {
        await tx.reinforceBlocks(['a'], 1)
        throw new Error('on purpose')
      })
      .catch(() => undefined)
    expect((await store.read((tx) => tx.changes(sequence))).blocks).toEqual([])
    await insertAll(store, ['b'])
    expect(idsOf(await store.read((tx) => tx.changes(sequence)))).toEqual(['b'])
  })
}
