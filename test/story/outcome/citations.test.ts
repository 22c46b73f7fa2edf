import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { asked, BOILS } from './helpers/kettles.ts'

test('outcome credits the blocks that an answer cites by number or id', async () => {
  const { memory, recallId, blockIds, second, third } = await asked()
  const { text } = await memory.recall({ query: BOILS, topK: 3, reinforce: false })
  const { content } = (await memory.show({ blockId: second })).block
  expect(text).toContain(`[2] ${content}`)
  await memory.recall({ query: 'kitchen', topK: 1 })
  const named = await memory.outcome({ recallId, answer: 'The quick one, it says [2].' })
  expect(named).toMatchObject({ recallId, credited: [blockIds[1]] })
  const byId = await memory.outcome({ recallId, answer: `See ${third.slice(0, 8)}.` })
  expect(byId.credited).toEqual([third])
  const { questions } = await memory.show({ blockId: second })
  expect(questions).toMatchObject([{ question: BOILS, helped: 1, misled: 0 }])
})

test('outcome of an answer without a recallId is about the last recall of its caller and session', async () => {
  const { memory, path, clock } = await asked()
  const other = await openTestMemory({ path, clock, actor: 'somebody else' })
  const own = await memory.recall({ query: 'where may somebody buy a kettle', topK: 2 })
  await other.memory.recall({ query: BOILS, topK: 3 })
  const { recallId, credited } = await memory.outcome({ answer: 'At the shop [2].' })
  expect([recallId, credited]).toEqual([own.recallId, [own.blockIds[1]]])
  await memory.beginSession()
  expect((await refusal(memory.outcome({ answer: 'At the shop [2].' }))).code).toBe('NOT_FOUND')
})

test('outcome of an answer says nothing of blocks that it does not cite', async () => {
  const { memory, recallId, first, second, third } = await asked()
  const states = async () => {
    const shown = [second, third].map((blockId) => memory.show({ blockId }))
    return (await Promise.all(shown)).map(({ block, questions }) => [block, questions])
  }
  const before = await states()
  expect(await memory.outcome({ recallId, answer: 'Both of them.' })).toMatchObject({ credited: [] })
  expect((await memory.outcome({ recallId, answer: 'As in [1].' })).credited).toEqual([first])
  expect(await states()).toEqual(before)
})

test('outcome of an answer credits what was shown last, also when nothing was asked', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('The wiki is moved on Friday.', 'Notes on staging lie in the wiki.', 'The crane was painted.')
  await memory.recall({ query: 'wiki' })
  const { blockIds, recallId = '' } = await memory.recall({ frame: 'attention' })
  expect(await memory.outcome({ answer: 'As in [2].' })).toMatchObject({ recallId, credited: [blockIds[1]] })
  expect(await memory.outcome({ recallId, helped: blockIds.slice(0, 1) })).toMatchObject({ blocksUpdated: 1 })
})

/** A recall of three blocks: one is active, one waits, and one was forgotten after the recall. */
async function askedAndForgot() {
  const opened = await openTestMemory()
  const { memory, learn } = opened
  await learn('The red kettle boils slowly.', 'The red kettle boils quickly.', 'A crane was painted.')
  const waiting = (await memory.remember({ content: 'The red kettle is new.' })).blockId
  const { recallId = '', blockIds } = await memory.recall({ query: 'red kettle', topK: 3, minStrength: 0 })
  const [first = '', gone = ''] = blockIds.filter((id) => id !== waiting)
  await memory.forget({ blockId: gone })
  return { ...opened, recallId, blockIds, first, gone, waiting }
}

type Asked = Awaited<ReturnType<typeof askedAndForgot>>

type Report = Parameters<Memory['outcome']>[0]

test.each<[string, (asked: Asked) => Report]>([
  ['names no block', () => ({ helped: [] })],
  ['names unknown and forgotten ones', ({ gone }) => ({ helped: ['ffffffff'], misled: [gone] })],
  ['cites nothing', ({ recallId }) => ({ recallId, answer: 'Nobody knows.' })],
  ['says badly of a set', ({ first }) => ({ blockIds: [first], signal: 0.1, about: 'set' })],
])('outcome that %s changes nothing and answers no operationId', async (_, report) => {
  const asked = await askedAndForgot()
  const { operationId, blocksUpdated } = await asked.memory.outcome(report(asked))
  expect([operationId, blocksUpdated]).toEqual([undefined, 0])
  expect((await asked.memory.undo({ dryRun: true })).undone).toMatchObject([{ operation: 'forget' }])
})

test('outcome of an answer credits nothing that was forgotten since', async () => {
  const { memory, recallId, blockIds, first, gone } = await askedAndForgot()
  const number = (id: string) => `[${blockIds.indexOf(id) + 1}]`
  const both = await memory.outcome({ recallId, answer: `As in ${number(first)} and ${number(gone)}.` })
  expect(both).toMatchObject({ credited: [first], skipped: [{ id: gone, reason: 'archived' }] })
  const one = await memory.outcome({ recallId, answer: `As in ${number(gone)}.` })
  expect(one).toMatchObject({ credited: [], skipped: [{ id: gone }], blocksUpdated: 0 })
})

test('outcome counts what was beside the point apart, and queues none of it', async () => {
  const { memory, recallId, first, waiting } = await askedAndForgot()
  const result = await memory.outcome({ recallId, beside: [first, waiting] })
  expect(result).toMatchObject({ blocksUpdated: 0, blocksBeside: 2, queued: [], meanConfidenceDelta: 0 })
})
