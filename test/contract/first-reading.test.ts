import { expect, test } from 'vitest'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { openTestMemory } from '../helpers/memory.ts'

test('while all of a memory is read, everybody else has a turn between two batches', async () => {
  const { memory, path } = await openTestMemory()
  const blocks = Array.from({ length: 350 }, (_, at) => ({ content: `Crate ${at} holds rope.` }))
  await memory.rememberMany({ blocks })
  const store = await openSqliteStore(path)
  let turns = 0
  let timer = setImmediate(function turn() {
    turns += 1
    timer = setImmediate(turn)
  })
  const seen: { readonly turns: number; readonly blocks: number }[] = []
  await store.read((tx) => tx.livingBlocks((batch) => void seen.push({ turns, blocks: batch.length })))
  clearImmediate(timer)
  await store.close()
  expect(seen.reduce((sum, each) => sum + each.blocks, 0)).toBe(350)
  expect(seen.length).toBeGreaterThan(2)
  expect(new Set(seen.map((each) => each.turns)).size).toBe(seen.length)
})
