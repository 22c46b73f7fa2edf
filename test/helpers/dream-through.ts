import { expect } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { readBlocks } from '../../src/store/blocks.ts'
import type { Fault } from './fake-endpoint.ts'
import { answerOf, judgingEndpoint } from './judging-endpoint.ts'
import { openTestMemory } from './memory.ts'

/** A fault of each kind: of the service, of the line, of the answer, and of the key. */
export const FAULTS: readonly Fault[] = [
  ...(['server-error', 'silence', 'truncated', 'wrong-schema', 'reset'] as const),
  { status: 401, body: { error: { message: 'no such key' } } },
]

/** Blocks of a dream: twelve questions about them, and some about their pairs. */
export const BLOCKS = 60

const SUBJECTS = ['harbour', 'kitchen', 'library', 'orchard', 'station', 'workshop']
const PARTS = ['roof', 'door', 'floor', 'lamp', 'wall']

/** The texts of the blocks. */
export const TEXTS = Array.from(
  { length: BLOCKS },
  (_, i) =>
    `The ${SUBJECTS[i % SUBJECTS.length]} keeps record number ${1000 + i} about its ${PARTS[i % PARTS.length]}`,
)

/** A memory with all of them waiting, whose model is at the address. */
export async function openWaiting(url: string, timeoutSeconds = 10) {
  const opened = await openTestMemory({
    settings: {
      llm: { model: 'fake', baseUrl: url, timeoutSeconds, maxRetries: 0 },
      memory: { similarityEdgesPerBlock: 2 },
    },
  })
  await opened.memory.rememberMany({ blocks: TEXTS.map((content) => ({ content })) })
  return opened
}

async function contentsOf(memory: Memory): Promise<string[]> {
  const { blocks } = await memory.ls({ limit: 500, status: 'active' })
  return blocks.map(({ content }) => content).sort()
}

/** Lets the n-th call of a dream end in the fault, and checks that nothing is lost and that the next dream finishes it. */
export async function dreamThrough(fault: Fault, call: number): Promise<void> {
  const endpoint = await judgingEndpoint({}, { faults: (each) => (each === call ? fault : undefined) })
  const { memory, store } = await openWaiting(endpoint.url, fault === 'silence' ? 0.5 : undefined)
  const first = await memory.dream({ maxSeconds: 30 })
  expect(first).toMatchObject({ processed: BLOCKS, promoted: BLOCKS, inboxRemaining: 0 })
  expect(await contentsOf(memory)).toEqual([...TEXTS].sort())
  const blocks = await store.read((tx) => readBlocks(tx, first.promotedIds))
  const unjudged = blocks.filter(({ scoredAt }) => scoredAt === undefined)
  expect(unjudged.map(({ id }) => id).sort()).toEqual([...first.pendingJudgement].sort())

  endpoint.play({ answer: (request) => answerOf(request) })
  const second = await memory.dream({ maxSeconds: 30 })
  expect(second.rescored).toBe(unjudged.length)
  expect(second).toMatchObject({ pairsUnlabelled: 0, promoted: 0 })
  const after = await store.read((tx) => readBlocks(tx, first.promotedIds))
  expect(after.filter(({ scoredAt }) => scoredAt === undefined)).toEqual([])
  expect(await contentsOf(memory)).toEqual([...TEXTS].sort())
  await memory.close()
  await endpoint.close()
}
