import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../../src/memory.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, temporaryFolder } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

const FRAMES = ['attention', 'task', 'simulate', 'self'] as const

const QUESTIONS = ['red kettle', 'What boils?', 'number 7', 'zebra'] as const

/** What recall says, without leaving a trace; session ids are by chance. */
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

/** Many blocks of equal rank, so that only the order of ties decides. */
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

test('recall answers the same from its packed index, without it and beside an index of another state', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const clock = createTestClock()
  const open = (at = path) =>
    openMemory(at, { as: 'owner', embedder: createHashingEmbedder(), clock, config: {} })
  const answers = async (at = path) => {
    await using memory = await open(at)
    return await answersOf(memory)
  }
  {
    await using memory = await open()
    const said = (n: number) => ({ content: `The red kettle number ${n} boils.`, session: `${n % 70}` })
    await memory.rememberMany({ blocks: Array.from({ length: 1_030 }, (_, n) => said(n)) })
    await memory.dream({ maxSeconds: 60 })
  }
  expect(existsSync(`${path}-index`)).toBe(true)
  const packed = await answers()
  copyFileSync(`${path}-index`, join(folder, 'old-index'))
  copyFileSync(path, join(folder, 'old.db'))
  rmSync(`${path}-index`)
  expect(await answers()).toEqual(packed)
  {
    await using memory = await open()
    const said = (n: number) => ({ content: `A blue kettle number ${n} is red inside.` })
    await memory.rememberMany({ blocks: Array.from({ length: 600 }, (_, n) => said(n)) })
    await memory.dream({ maxSeconds: 60 })
  }
  const grown = await answers()
  expect(grown).not.toEqual(packed)
  // A backup beside an index of later, and a later memory beside an index of before.
  copyFileSync(`${path}-index`, join(folder, 'old.db-index'))
  expect(await answers(join(folder, 'old.db'))).toEqual(packed)
  copyFileSync(join(folder, 'old-index'), `${path}-index`)
  expect(await answers()).toEqual(grown)
})
