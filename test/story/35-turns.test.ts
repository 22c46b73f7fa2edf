import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'

/** How often others in this process had their turn while something was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let done = false
  const next = () => {
    turns += 1
    if (!done) setImmediate(next)
  }
  setImmediate(next)
  await work()
  done = true
  return turns
}

const blocks = (many: number) => Array.from({ length: many }, (_, at) => ({ content: `Room ${at} is cold` }))

test('what takes long leaves others their turn again and again', async () => {
  const { memory } = await openTestMemory()
  expect(await turnsDuring(() => memory.rememberMany({ blocks: blocks(2_560) }))).toBeGreaterThanOrEqual(10)
  expect(await turnsDuring(() => memory.dream({ maxCount: 640 }))).toBeGreaterThanOrEqual(20)
  const text = blocks(1_300)
    .map(({ content }, at) => `# Part ${at}\n\n${content} and dark`)
    .join('\n\n')
  expect(await turnsDuring(() => memory.learnDocument({ text }))).toBeGreaterThanOrEqual(20)
})

test('while an import writes, others read and see nothing of it until all of it is there', async () => {
  const from = await openTestMemory({ kind: 'file' })
  await from.memory.rememberMany({ blocks: blocks(4_000) })
  const path = join(temporaryFolder(), 'all.jsonl')
  await from.memory.export({ path })
  const { memory } = await openTestMemory()
  const seen = new Set<number>()
  let done = false
  const look = async () => {
    while (!done) {
      seen.add((await memory.status()).inboxCount)
      await new Promise((resolve) => void setImmediate(resolve))
    }
  }
  const looking = look()
  await memory.import({ path })
  done = true
  await looking
  expect([...seen].filter((count) => count !== 0 && count !== 4_000)).toEqual([])
  expect(seen).toContain(0)
  expect(await memory.status()).toMatchObject({ inboxCount: 4_000 })
})
