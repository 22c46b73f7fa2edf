import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const KINDS = ['I answer in one sentence.', 'I name my sources.', 'I ask before I buy anything.']

/** An owner whose agent has proposed three values. */
async function asked() {
  const owner = await openTestMemory({ as: 'owner' })
  const { path, clock, embedder, memory } = owner
  const agent = await openTestMemory({ path, clock, embedder, as: 'agent' })
  for (const content of KINDS) await agent.memory.propose({ kind: 'value', content })
  const { decisions } = await memory.decisions({})
  const [first, ...others] = decisions.map(({ id, mark }) => ({ id, mark: mark! }))
  return { memory, first: first!, others }
}

const waiting = async (memory: Memory) => (await memory.decisions({})).total

test('several decided alike are one entry of the log with its parts', async () => {
  const { memory, first, others } = await asked()
  const done = await memory.decide({ ...first, choice: 'refuse', reason: 'not now', also: others })
  expect(done).toMatchObject({ also: { decided: 3, settled: 0 } })
  expect(done.summary).toContain('3 decisions made: refuse.')
  const { operations } = await memory.history({ runs: true })
  expect(operations.filter(({ operation }) => operation.startsWith('decide'))).toEqual([
    expect.objectContaining({
      ...{ operation: 'decide_many', id: done.operationId, summary: '3 decisions alike: refuse' },
      ...{ entries: 4, undoable: true },
    }),
  ])
  const parts = await memory.history({ run: operations.at(-1)!.run! })
  expect(parts.operations.map(({ operation }) => operation)).toEqual([
    ...['decide', 'decide', 'decide', 'decide_many'],
  ])
})

test('they are taken back together by the one number, and made again by undoing that', async () => {
  const { memory, first, others } = await asked()
  const { operationId } = await memory.decide({ ...first, choice: 'refuse', also: others })
  expect(await waiting(memory)).toBe(0)
  const back = await memory.undo({ operationId: operationId! })
  expect(await waiting(memory)).toBe(3)
  await memory.undo({ operationId: back.operationId! })
  expect(await waiting(memory)).toBe(0)
})

test('one of them is taken back by its own number, and the rest after it by that of all', async () => {
  const { memory, first, others } = await asked()
  const { operationId } = await memory.decide({ ...first, choice: 'refuse', also: others })
  const one = (await memory.history({ operation: 'decide' })).operations[1]!
  await memory.undo({ operationId: one.id })
  expect(await waiting(memory)).toBe(1)
  await memory.undo({ operationId: operationId! })
  expect(await waiting(memory)).toBe(3)
})

test('one that was settled meanwhile is counted, and one whose words changed stops the rest', async () => {
  const { memory, first, others } = await asked()
  const [second, third] = others as [(typeof others)[0], (typeof others)[0]]
  await memory.decide({ id: second.id, choice: 'refuse' })
  const done = await memory.decide({
    ...first,
    choice: 'refuse',
    also: [second, { ...third, mark: 'others' }],
  })
  expect(done.also).toMatchObject({ decided: 1, settled: 1, stopped: { id: third.id } })
  expect(await waiting(memory)).toBe(1)
})

test('if the first cannot be decided, nothing is', async () => {
  const { memory, first, others } = await asked()
  const wrong = memory.decide({ id: first.id, mark: 'others', choice: 'refuse', also: others })
  expect(await refusal(wrong)).toMatchObject({ code: 'CONFLICT' })
  expect(await waiting(memory)).toBe(3)
})
