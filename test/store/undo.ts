import { expect } from 'vitest'
import type { Block } from '../../src/block/block.ts'
import { revert as revertRows } from '../../src/history/revert.ts'
import { readBlocks, saveBlocks } from '../../src/store/blocks.ts'
import { removeEdges, saveEdges } from '../../src/store/graph.ts'
import { logOperations } from '../../src/store/log.ts'
import type { Store } from '../../src/store/transaction.ts'
import { anEdge, anOperation, blocksOf, codeOf, ends, insertAll, undoably } from './harness.ts'
import type { Suite } from './suite.ts'

const revert = (store: Store, kept: number) => store.write((tx) => revertRows(tx, kept), { undoable: true })

/** Changes a block as an undoable write. */
const change = (store: Store, id: string, fields: Partial<Block>) =>
  undoably(store, async (tx) => {
    const [block] = await readBlocks(tx, [id])
    if (block) await saveBlocks(tx, [{ ...block, ...fields }])
  })

/** Registers tests of taking a write back. */
export function checkUndo({ check }: Suite): void {
  check(
    'revert refuses with CONFLICT where a later write changed a row, and changes nothing',
    async (store) => {
      await insertAll(store, ['a', 'b', 'c'])
      const first = await change(store, 'a', { content: 'one' })
      const second = await change(store, 'a', { content: 'two' })
      const failure = await revert(store, first).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'CONFLICT', details: { blockIds: ['a'], changedBy: second } })
      expect((await blocksOf(store, 'a'))[0]?.content).toBe('two')
      await revert(store, second)
      await revert(store, first)
      expect((await blocksOf(store, 'a'))[0]?.content).toBe('content of a')
      const joined = await undoably(store, (tx) => saveEdges(tx, [anEdge('a', 'b')]))
      await undoably(store, (tx) => removeEdges(tx, ends('ab')))
      expect(await codeOf(revert(store, joined))).toBe('CONFLICT')
    },
  )

  check('a view takes back only what was all its own', async (store) => {
    await insertAll(store, ['a'], { scope: 'one' })
    await insertAll(store, ['b'], { scope: 'two' })
    const kept = await undoably(store, async (tx) => {
      await saveBlocks(
        tx,
        (await readBlocks(tx, ['a', 'b'])).map((block) => ({ ...block, cue: 'c' })),
      )
      await logOperations(tx, [anOperation({ blockIds: ['a'] }), anOperation({ blockIds: ['b'] })])
    })
    expect(await revert(store.within('one'), kept)).toBeUndefined()
    expect(await revert(store.within('two'), kept)).toBeUndefined()
    expect((await revert(store, kept))?.blockIds).toHaveLength(2)
  })
}
