import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/engine/memory.ts'
import { readBlocks } from '../../../src/store/blocks.ts'
import type { Store } from '../../../src/store/transaction.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, temporaryFolder } from '../../helpers/memory.ts'
import { nextTurn } from '../../helpers/timer.ts'

const KETTLES = ['The red kettle boils.', 'A red kettle whistles.']

const usesOf = async (store: Store, id: string) =>
  (await store.read((tx) => readBlocks(tx, [id])))[0]?.reinforcementCount

test('recall answers before its use is written, and after its entry of the log is', async () => {
  const { memory, store, learn } = await openTestMemory()
  const [id = ''] = await learn(...KETTLES)
  const before = (await usesOf(store, id)) ?? 0
  const { recallId, blockIds } = await memory.recall({ query: 'red kettle' })
  const [entry] = await store.read((tx) => tx.queries.operations({ limit: 1 }))
  expect(entry).toMatchObject({ id: Number(recallId), operation: 'recall', blockIds })
  expect(await usesOf(store, id)).toBe(before)
  await nextTurn()
  expect(await usesOf(store, id)).toBe(before + 1)
})

test('close waits for the use of the last recall', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const open = () =>
    openMemory(path, { embedder: createHashingEmbedder(), clock: createTestClock(), config: {} })
  const memory = await open()
  const { blockId } = await memory.remember({ content: 'The red kettle boils.' })
  await memory.dream()
  const before = (await memory.show({ blockId })).block.reinforcementCount
  await memory.recall({ query: 'red kettle' })
  await memory.close()
  await using again = await open()
  expect((await again.show({ blockId })).block.reinforcementCount).toBe(before + 1)
})
