import type { SourceClass } from '../../src/domain/block/source-class.ts'
import type { Store } from '../../src/ports/store/store.ts'
import type { OperationFilter } from '../../src/ports/store/transaction.ts'
import {
  aBlock,
  anEdge,
  anIndex,
  anOperation,
  aPair,
  aPending,
  codeOf,
  insertAll,
  type Suite,
  trimLog,
  undoably,
} from '../../src/testing/harness.ts'

const revert = (store: Store, kept: number) => store.write((tx) => tx.revert(kept), { undoable: true })

/** Promises about taking back what a write changed. */
export function checkUndo({ check, expect }: Suite): void {
  check('brings back rows that an undoable write changed, removed or made', async (store) => {
    await insertAll(store, ['a', 'b', 'c'], { status: 'active' })
    await store.write(async (tx) => {
      await tx.saveIndex([anIndex('a', { vector: new Float32Array([1, 0]) })])
      await tx.saveEdges([anEdge('a', 'b', { weight: 0.3 })])
      await tx.savePairs([aPair('a', 'c')])
      await tx.savePendingConnections([aPending('b', 'c')])
    })
    const look = () =>
      store.read(async (tx) => ({
        blocks: await tx.blocks(['a', 'b', 'c', 'd']),
        vectors: await tx.vectors(['a']),
        links: await tx.links(['a', 'b', 'c']),
        pending: await tx.pendingConnections(9),
        strengths: await tx.strengths(['a', 'b', 'c']),
        outcomes: await tx.outcomes('a', 9),
      }))
    const before = await look()
    const kept = await undoably(store, async (tx) => {
      const [a] = await tx.blocks(['a'])
      await tx.insertBlock(aBlock('d'))
      await tx.saveBlocks([{ ...a!, content: 'other', tags: ['t'] }])
      await tx.saveIndex([anIndex('a', { vector: new Float32Array([0, 1]) })])
      await tx.saveEdges([anEdge('b', 'c'), anEdge('a', 'b', { weight: 0.9 })])
      await tx.archiveEdgesOf([{ id: 'c', previousStatus: 'active' }])
    })
    expect((await look()).blocks.map(({ content }) => content)).toEqual([
      'other',
      'content of b',
      'content of c',
      'content of d',
    ])
    const reverted = await revert(store, kept)
    expect(await look()).toEqual(before)
    expect([...(reverted?.blockIds ?? [])].sort()).toEqual(['a', 'b', 'c', 'd'])
    expect(reverted?.vectorsBack).toBe(true)
    expect([reverted?.trustBack, reverted?.standingBack]).toEqual([false, true])
  })

  check('tells whether words that stay the same are trusted more again', async (store) => {
    await insertAll(store, ['a'], { status: 'active', sourceClass: 'tool' })
    const trustBack = async (sourceClass: SourceClass, content?: string) => {
      const kept = await undoably(store, async (tx) => {
        const [a] = await tx.blocks(['a'])
        await tx.saveBlocks([{ ...a!, sourceClass, ...(content === undefined ? {} : { content }) }])
      })
      const reverted = await revert(store, kept)
      expect(reverted?.standingBack ?? true).toBe(true)
      return reverted?.trustBack
    }
    expect(await trustBack('import')).toBe(true)
    expect(await trustBack('user')).toBe(false)
    expect(await trustBack('tool')).toBe(undefined)
    expect(await trustBack('import', 'other words')).toBe(false)
  })

  check('tells readers of changes what came back', async (store) => {
    await insertAll(store, ['a'], { status: 'active' })
    const kept = await undoably(store, async (tx) => {
      const [a] = await tx.blocks(['a'])
      await tx.saveBlocks([{ ...a!, status: 'archived' }])
    })
    const { sequence, generation } = await store.read((tx) => tx.changes(0))
    await revert(store, kept)
    const { blocks } = await store.read((tx) => tx.changes(sequence))
    expect(blocks.map(({ block }) => [block.id, block.status])).toEqual([['a', 'active']])
    const made = await undoably(store, (tx) => tx.insertBlock(aBlock('b', { status: 'active' })))
    await revert(store, made)
    expect((await store.read((tx) => tx.changes(sequence))).generation).toBe(generation + 1)
  })

  check(
    'tells a later reader which blocks were removed, and after which change to read again',
    async (store) => {
      await insertAll(store, ['a'], { status: 'active' })
      const head = () => store.read((tx) => tx.changes(Number.MAX_SAFE_INTEGER))
      const before = await head()
      for (const ids of [['b'], ['c', 'd']]) {
        const made = await undoably(store, async (tx) => {
          for (const id of ids) await tx.insertBlock(aBlock(id, { status: 'inbox' }))
        })
        await revert(store, made)
      }
      expect((await head()).generation).toBe(before.generation + 2)
      const removed = await store.read((tx) => tx.removedSince(before.generation))
      expect(removed).toEqual({ ids: ['b', 'c', 'd'], sequence: before.sequence })
      const last = await store.read((tx) => tx.removedSince(before.generation + 1))
      expect(last?.ids).toEqual(['c', 'd'])
      await insertAll(store, ['e'], { status: 'inbox' })
      const { blocks } = await store.read((tx) => tx.changes(before.sequence))
      expect(blocks.map(({ block }) => block.id)).toEqual(['e'])
    },
  )

  check('does not say what was removed when the vectors changed, too', async (store) => {
    const made = await undoably(store, (tx) => tx.insertBlock(aBlock('b', { status: 'inbox' })))
    const { generation } = await store.read((tx) => tx.changes(0))
    await revert(store, made)
    expect((await store.read((tx) => tx.removedSince(generation)))?.ids).toEqual(['b'])
    await store.write((tx) => tx.dropWaitingVectors())
    expect(await store.read((tx) => tx.removedSince(generation))).toBe(undefined)
  })

  check('refuses to overwrite what was changed since, and leaves everything as it is', async (store) => {
    await insertAll(store, ['a'])
    const edit = (content: string) =>
      undoably(store, async (tx) => {
        const [a] = await tx.blocks(['a'])
        await tx.saveBlocks([{ ...a!, content }])
      })
    const first = await edit('one')
    const second = await edit('two')
    expect(await codeOf(revert(store, first))).toBe('CONFLICT')
    expect((await store.read((tx) => tx.blocks(['a'])))[0]?.content).toBe('two')
    await revert(store, second)
    await revert(store, first)
    expect((await store.read((tx) => tx.blocks(['a'])))[0]?.content).toBe('content of a')
  })

  check('keeps what use added when it takes a change back', async (store) => {
    await insertAll(store, ['a'], { status: 'active', reinforcementCount: 1, lastReinforcedAt: 1 })
    const kept = await undoably(store, (tx) => tx.reinforceBlocks(['a'], 2))
    await store.write((tx) => tx.reinforceBlocks(['a'], 3))
    await revert(store, kept)
    const [a] = await store.read((tx) => tx.blocks(['a']))
    expect([a?.reinforcementCount, a?.lastReinforcedAt]).toEqual([2, 3])
  })

  check(
    'says under which entry the changes of each transaction are kept, as long as it is logged',
    async (store) => {
      await insertAll(store, ['a'])
      const keptOf = (filter: Omit<OperationFilter, 'limit'> = {}) =>
        store.read(async (tx) => (await tx.operations({ limit: 9, ...filter })).map(({ kept }) => kept))
      await store.write((tx) => tx.log(anOperation()))
      const kept = await undoably(store, async (tx) => {
        await tx.log(anOperation({ run: 'r' }))
        await tx.insertBlock(aBlock('b'))
      })
      await undoably(store, async () => undefined)
      expect(await keptOf()).toEqual([undefined, kept, kept, undefined])
      expect(await keptOf({ run: 'r' })).toEqual([kept])
      expect(await keptOf({ before: kept })).toEqual([kept, undefined])
      await undoably(store, (tx) => tx.insertBlock(aBlock('c')))
      await store.write((tx) => trimLog(tx, 1, 9))
      expect(await revert(store, kept)).toBe(undefined)
    },
  )

  check('lets entries without changes push out none whose changes are kept', async (store) => {
    const kept = await undoably(store, (tx) => tx.insertBlock(aBlock('a')))
    for (const hours of [1, 2, 3]) await store.write((tx) => tx.log(anOperation({ hours })))
    expect(await store.write((tx) => trimLog(tx, 2, 9))).toBe(1)
    const left = await store.read((tx) => tx.operations({ limit: 9 }))
    expect(left.map(({ id, hours }) => (id === kept ? 'kept' : hours))).toEqual([3, 2, 'kept'])
    expect((await revert(store, kept))?.blockIds).toEqual(['a'])
  })

  check('drops the oldest changes that do not fit into so many bytes', async (store) => {
    const kept: number[] = []
    for (const id of ['a', 'b', 'c']) kept.push(await undoably(store, (tx) => tx.insertBlock(aBlock(id))))
    const left = () =>
      store.read(async (tx) => (await tx.operations({ limit: 9 })).flatMap((entry) => entry.kept ?? []))
    const trim = (bytes: number) => store.write((tx) => tx.trimChanges(bytes))
    expect(await trim(1e9)).toBe(0)
    expect((await left()).length).toBe(3)
    let bytes = 4_000
    while ((await trim(bytes)) === 0) bytes -= 20
    expect(await left()).toEqual([kept[2], kept[1]])
    expect(await trim(0)).toBe(kept[2])
    expect(await left()).toEqual([])
    expect((await store.read((tx) => tx.operations({ limit: 9 }))).length).toBe(3)
  })

  check('lets a view take back only what was all its own', async (store) => {
    await insertAll(store, ['a'], { scope: 'one' })
    await insertAll(store, ['b'], { scope: 'two' })
    const kept = await store.write(
      async (tx) => {
        await tx.saveBlocks((await tx.blocks(['a', 'b'])).map((block) => ({ ...block, cue: 'c' })))
        await tx.log(anOperation({ blockIds: ['b'] }))
        return tx.log(anOperation({ blockIds: ['a'] }))
      },
      { undoable: true },
    )
    expect(await revert(store.within('one'), kept)).toBe(undefined)
    expect(await revert(store.within('two'), kept)).toBe(undefined)
    expect((await revert(store, kept))?.blockIds.length).toBe(2)
  })
}
