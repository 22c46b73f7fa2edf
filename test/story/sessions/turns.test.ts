import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory, refusal, temporaryFolder } from '../../helpers/memory.ts'

/** Counts the turns that others in this process had during some work. */
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

test('rememberMany, dream, curate and learnDocument give others a turn again and again', async () => {
  const { memory } = await openTestMemory()
  expect(await turnsDuring(() => memory.rememberMany({ blocks: blocks(1_280) }))).toBeGreaterThanOrEqual(5)
  expect(await turnsDuring(() => memory.dream({ maxCount: 320 }))).toBeGreaterThanOrEqual(10)
  expect(await turnsDuring(() => memory.curate())).toBeGreaterThanOrEqual(4)
  const text = blocks(650)
    .map(({ content }, at) => `# Part ${at}\n\n${content} and dark`)
    .join('\n\n')
  expect(await turnsDuring(() => memory.learnDocument({ text }))).toBeGreaterThanOrEqual(10)
})

test('status during an import sees nothing of it until all of it is there', async () => {
  const from = await openTestMemory()
  await from.memory.rememberMany({ blocks: blocks(800) })
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
  await memory.import({ path, trusted: true })
  done = true
  await looking
  expect([...seen].filter((count) => count !== 0 && count !== 800)).toEqual([])
  expect(seen).toContain(0)
  expect(await memory.status()).toMatchObject({ inboxCount: 800 })
})

test('doctor of ten megabytes gives others a turn, and ends with backup when both are cancelled', async () => {
  const { memory, path } = await openTestMemory()
  const contents = Array.from({ length: 400 }, (_, at) => `${at} ${'lorem ipsum '.repeat(2_500)}`)
  await memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
  expect(await turnsDuring(() => memory.doctor())).toBeGreaterThanOrEqual(100)
  for (const work of [memory.doctor, memory.backup]) {
    const told = new AbortController()
    const call = refusal(work({}, { signal: told.signal }))
    setImmediate(() => told.abort())
    expect(await call).toMatchObject({ code: 'CANCELLED' })
  }
  expect(readdirSync(`${path}.backups`)).toEqual([])
})
