import { rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../../src/engine/memory.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, temporaryFolder } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

const FRAMES = ['attention', 'task', 'simulate', 'self'] as const
const QUESTIONS = ['red kettle', 'What boils?', 'number 7', 'zebra'] as const

/** Answers what recall says without the ids of sessions, which are random. The recall teaches nothing. */
async function answerOf(memory: Memory, frame: (typeof FRAMES)[number], query: string) {
  const { text, blocks, dropped } = await memory.recall({
    frame,
    query,
    topK: 12,
    explain: true,
    reinforce: false,
  })
  return { text, blocks: blocks.map(({ session: _session, ...block }) => block), dropped }
}

async function answersOf(memory: Memory) {
  const answers: unknown[] = []
  for (const frame of FRAMES)
    for (const query of QUESTIONS) answers.push(await answerOf(memory, frame, query))
  return answers
}

/** Many of these blocks have the same rank, so that the order of ties decides. */
const ALIKE = [
  ...Array.from({ length: 30 }, (_, n) => `The red kettle number ${n} boils.`),
  ...statements(30),
]

test('recall answers the same a hundred times, from a file, in memory and after reopening', async () => {
  const file = await openTestMemory()
  const twin = await openTestMemory({ kind: 'memory' })
  for (const { memory, learn } of [file, twin]) {
    await learn(...ALIKE)
    await memory.setup({ seed: true })
    await memory.dream()
  }
  const first = await answersOf(file.memory)
  expect(await answersOf(twin.memory)).toEqual(first)
  const again = await openTestMemory({ path: file.path, clock: file.clock })
  expect(await answersOf(again.memory)).toEqual(first)
  for (let i = 0; i < 100; i++) expect(await answerOf(file.memory, FRAMES[0], QUESTIONS[0])).toEqual(first[0])
})

test('recall answers the same from its packed index, without it and from a damaged one', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const clock = createTestClock()
  const open = () => openMemory(path, { embedder: createHashingEmbedder(), clock, config: {} })
  const answers = async () => {
    await using memory = await open()
    return await answersOf(memory)
  }
  {
    await using memory = await open()
    const said = (n: number) => ({ content: `The red kettle number ${n} boils.`, session: `${n % 70}` })
    await memory.rememberMany({ blocks: Array.from({ length: 1_030 }, (_, n) => said(n)) })
    await memory.dream({ maxSeconds: 60 })
  }
  const index = `${path}-index`
  const packed = await answers()
  truncateSync(index, Math.floor(statSync(index).size / 2))
  expect(await answers()).toEqual(packed)
  rmSync(index)
  expect(await answers()).toEqual(packed)
})
