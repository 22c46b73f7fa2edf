import { expect } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { readBlocks } from '../../src/store/blocks.ts'
import type { Fault } from './fake-endpoint.ts'
import { answerOf, judgingEndpoint } from './judging-endpoint.ts'
import { openTestMemory } from './memory.ts'

/** Every way in which a call of a model can go wrong. */
export const FAULTS: readonly Fault[] = [
  'rate-limit',
  'server-error',
  'silence',
  'truncated',
  'fenced',
  'wrong-schema',
  'empty',
  'huge',
  'drip',
  'reset',
  'wrong-type',
  { status: 401, body: { error: { message: 'no such key' } } },
]

/** Blocks of a dream: twelve questions about them, and some about their pairs. */
export const BLOCKS = 60

const SUBJECTS = ['harbour', 'kitchen', 'library', 'orchard', 'station', 'workshop']
const PARTS = ['roof', 'door', 'floor', 'lamp', 'wall']

/** What the blocks say. */
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
  const isSlow = fault === 'silence' || fault === 'drip'
  const { memory, store } = await openWaiting(endpoint.url, isSlow ? 0.5 : undefined)
  const first = await memory.dream({ maxSeconds: 30 })
  expect(first).toMatchObject({ processed: BLOCKS, promoted: BLOCKS, inboxRemaining: 0 })
  expect(await contentsOf(memory)).toEqual([...TEXTS].sort())
  const blocks = await store.read((tx) => readBlocks(tx, first.promotedIds))
  const unjudged = blocks.filter(({ scoredAt }) => scoredAt === undefined)
  expect(unjudged.map(({ id }) => id).sort()).toEqual([...first.pendingJudgement].sort())
  expect(
    unjudged.every(({ judgementPending, summary }) => judgementPending === true && summary === undefined),
  ).toBe(true)

  endpoint.play({ answer: (request) => answerOf(request) })
  const second = await memory.dream({ maxSeconds: 30 })
  expect(second.rescored).toBe(unjudged.length)
  expect(second).toMatchObject({ pairsUnlabelled: 0, promoted: 0 })
  const after = await store.read((tx) => readBlocks(tx, first.promotedIds))
  expect(
    after.every(({ judgementPending, scoredAt }) => judgementPending === undefined && scoredAt !== undefined),
  ).toBe(true)
  expect(await contentsOf(memory)).toEqual([...TEXTS].sort())
  await memory.close()
  await endpoint.close()
}

/** For a title. */
export function nameOf(fault: Fault): string {
  return typeof fault === 'string' ? fault : `status ${fault.status}`
}
