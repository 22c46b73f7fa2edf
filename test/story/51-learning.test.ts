import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { nextTurn } from '../helpers/timer.ts'
import { dumpOf } from '../undo/dump.ts'

const KETTLES = [
  'The red kettle boils slowly.',
  'The red kettle boils quickly.',
  'A red kettle whistles in the kitchen.',
]
const BOILS = 'which red kettle boils'
const BUYS = 'where may somebody buy a kettle for tea'

/** What a question finds, with every score and what it is made of; teaches nothing. */
async function look(memory: Memory, query: string) {
  const { blocks } = await memory.recall({ query, reinforce: false, explain: true, minStrength: 0 })
  return blocks.map(({ id, score, explanation }) => ({ id, score, terms: explanation?.terms }))
}

const order = async (memory: Memory, query: string) => (await look(memory, query)).map(({ id }) => id)

/** What reports on such questions say of a block when this is asked; undefined for nothing. */
async function askedTerm(memory: Memory, query: string, id: string): Promise<number | undefined> {
  const found = (await look(memory, query)).find((each) => each.id === id)
  expect(found).toBeDefined()
  return found?.terms?.find(({ name }) => name === 'asked')?.value
}

/** A memory with three kettles, and what a question about them found. */
async function asked(query = BOILS) {
  const opened = await openTestMemory()
  await opened.learn(...KETTLES)
  const { recallId = '', blockIds } = await opened.memory.recall({ query, topK: 3 })
  await nextTurn()
  const [first = '', second = '', third = ''] = blockIds
  return { ...opened, recallId, blockIds, first, second, third }
}

test('what was beside the point of one question changes neither decay nor confidence, nor the order for another', async () => {
  const { memory, recallId, first, second } = await asked()
  const [known, other] = [(await memory.show({ blockId: first })).block, await look(memory, BUYS)]
  await memory.outcome({ recallId, beside: [first] })
  expect((await memory.show({ blockId: first })).block).toEqual(known)
  expect(await look(memory, BUYS)).toEqual(other)
  expect((await order(memory, BOILS))[0]).toBe(second)
})

test('asking and reporting ten times moves other questions no further than once', async () => {
  const after = async (times: number) => {
    const { memory, second } = await asked()
    const before = await look(memory, BUYS)
    for (let i = 0; i < times; i++) {
      const { recallId } = await memory.recall({ query: BOILS, topK: 3 })
      await memory.outcome({ recallId, helped: [second] })
    }
    return { before, now: await look(memory, BUYS) }
  }
  const once = await after(1)
  expect(once.now).not.toEqual(once.before)
  expect((await after(10)).now).toEqual(once.now)
})

test('a report is known at once to whoever else has the file open, and after it is opened anew', async () => {
  const { memory, path, recallId, second } = await asked()
  const other = await openTestMemory({ path })
  const before = await look(other.memory, BOILS)
  await memory.outcome({ recallId, helped: [second] })
  const now = await look(memory, BOILS)
  expect(now).not.toEqual(before)
  expect(await look(other.memory, BOILS)).toEqual(now)
  await memory.close()
  await other.memory.close()
  expect(await look((await openTestMemory({ path })).memory, BOILS)).toEqual(now)
})

test('undoing an outcome takes back what it taught, here and in another memory that has the file open', async () => {
  const { memory, path, recallId, first, second, clock } = await asked()
  const other = await openTestMemory({ path, clock })
  const [before, rows] = [await look(memory, BOILS), dumpOf(path)]
  await memory.outcome({ recallId, helped: [second], misled: [first] })
  expect((await look(other.memory, BOILS))[0]?.id).toBe(second)
  await memory.undo()
  expect(await look(memory, BOILS)).toEqual(before)
  expect(await look(other.memory, BOILS)).toEqual(before)
  expect((await memory.show({ blockId: second })).questions).toEqual([])
  expect(dumpOf(path)).toEqual(rows)
})

test('undoing the second report on a question leaves what the first one taught', async () => {
  const { memory, path, recallId, first, second, clock } = await asked()
  await memory.outcome({ recallId, helped: [second] })
  clock.advance({ hours: 1 })
  const [once, rows] = [await look(memory, BOILS), dumpOf(path)]
  await memory.outcome({ recallId, misled: [first] })
  await memory.undo()
  expect(await look(memory, BOILS)).toEqual(once)
  expect(dumpOf(path)).toEqual(rows)
})

test('an answer credits what it cites, by the number that stands before it in the text or by id', async () => {
  const { memory, recallId, blockIds, second, third } = await asked()
  const { text } = await memory.recall({ query: BOILS, topK: 3, reinforce: false })
  const { content } = (await memory.show({ blockId: second })).block
  expect(text).toContain(`[2] ${content}`)
  await memory.recall({ query: 'kitchen', topK: 1 })
  const named = await memory.outcome({ recallId, answer: 'The quick one, it says [2].' })
  expect(named).toMatchObject({ recallId, credited: [blockIds[1]], guessed: [] })
  const byId = await memory.outcome({ recallId, answer: `See ${third.slice(0, 8)}.` })
  expect(byId.credited).toEqual([third])
  const { questions } = await memory.show({ blockId: second })
  expect(questions).toMatchObject([{ question: BOILS, helped: 1, misled: 0 }])
})

test('an answer without a recallId is about what this caller recalled last in its session', async () => {
  const { memory, path, clock } = await asked()
  const other = await openTestMemory({ path, clock, actor: 'somebody else' })
  const own = await memory.recall({ query: BUYS, topK: 2 })
  await other.memory.recall({ query: BOILS, topK: 3 })
  const { recallId, credited } = await memory.outcome({ answer: 'At the shop [2].' })
  expect([recallId, credited]).toEqual([own.recallId, [own.blockIds[1]]])
  await memory.beginSession()
  expect((await refusal(memory.outcome({ answer: 'At the shop [2].' }))).code).toBe('NOT_FOUND')
})

test('an answer that cites nothing moves the clocks of what it seems to have used, and says so', async () => {
  const { memory, recallId, second, third, clock } = await asked()
  const state = async (blockId: string) => (await memory.show({ blockId })).block
  const [used, left] = [await state(third), await state(second)]
  clock.advance({ hours: 5 })
  const result = await memory.outcome({ recallId, answer: used.content })
  expect(result).toMatchObject({ blocksUpdated: 0, credited: [], guessed: [third] })
  expect(result.summary).toContain('cites no block')
  expect(await state(second)).toEqual(left)
  const { lastReinforcedAt, reinforcementCount, ...rest } = await state(third)
  expect(lastReinforcedAt).toBeGreaterThan(used.lastReinforcedAt)
  expect({
    ...rest,
    lastReinforcedAt: used.lastReinforcedAt,
    reinforcementCount: used.reinforcementCount,
  }).toEqual(used)
  expect((await memory.show({ blockId: third })).questions).toEqual([])
})

test('a report about a recall that nobody knows is refused and nothing is written', async () => {
  const { memory, path, first } = await asked()
  const before = dumpOf(path)
  expect((await refusal(memory.outcome({ recallId: '999999', helped: [first] }))).code).toBe('NOT_FOUND')
  expect(dumpOf(path)).toEqual(before)
  expect((await memory.history({ operation: 'outcome' })).operations).toEqual([])
})

test('a note that alone holds the identifier of a question stays first for it, whatever was reported about others', async () => {
  const { memory, learn } = await openTestMemory()
  const [wanted = '', ...others] = await learn(
    'Code E18 of the dish washer means that the pump is dry.',
    'Code E19 of the dish washer means that the door of the washer is open.',
    'What a code of the dish washer means stands in the book of the dish washer.',
    'The dish washer means well and shows a code.',
  )
  for (const query of [
    'what a code of the dish washer means',
    'dish washer codes and what they mean',
    'the book',
  ]) {
    const { recallId } = await memory.recall({ query, topK: 4 })
    for (let i = 0; i < 5; i++) await memory.outcome({ recallId, helped: others, misled: [wanted] })
  }
  expect((await order(memory, 'what does the code E18 of the dish washer mean'))[0]).toBe(wanted)
})

test('questions that differ only by a name or a number do not teach each other, and those in other words do', async () => {
  const { memory, learn } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const [id = ''] = await learn('port numbers stand in the book', 'port wine is sweet')
  for (const [said, same, others] of [
    ['port of the server Anna', 'port of the machine Anna', ['port of the server Bea', 'port of the server']],
    ['port of machine 12', 'port of the host 12', ['port of machine 13', 'port of machine v12']],
  ] as const) {
    const { recallId } = await memory.recall({ query: said })
    await memory.outcome({ recallId, beside: [id] })
    expect(await askedTerm(memory, said, id)).toBeLessThan(0)
    expect(await askedTerm(memory, same, id)).toBeLessThan(0)
    for (const other of others) expect(await askedTerm(memory, other, id)).toBeUndefined()
  }
})
