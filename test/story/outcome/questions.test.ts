import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { LEARNING } from '../../../src/outcome/experience.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'
import { openOn, openStore } from '../../helpers/scoped.ts'
import { tracesIn } from '../../helpers/traces.ts'
import { asked, BOILS, KETTLES } from './helpers/kettles.ts'

const BUYS = 'where may somebody buy a kettle for tea'

/** The ids, scores and terms that a question finds. The recall teaches nothing. */
async function look(memory: Memory, query: string) {
  const { blocks } = await memory.recall({ query, reinforce: false, explain: true, minStrength: 0 })
  return blocks.map(({ id, score, explanation }) => ({ id, score, terms: explanation?.terms }))
}

const order = async (memory: Memory, query: string) => (await look(memory, query)).map(({ id }) => id)

/** The term that reports on like questions add to the score of a block. */
async function askedTerm(memory: Memory, query: string, id: string): Promise<number | undefined> {
  const found = (await look(memory, query)).find((each) => each.id === id)
  expect(found).toBeDefined()
  return found?.terms?.find(({ name }) => name === 'asked')?.value
}

const questionsOn = async (memory: Memory, blockId: string) => (await memory.show({ blockId })).questions

/** Asks a question and reports that a block helped. */
async function teach(memory: Memory, query: string, helped: string): Promise<string> {
  const { recallId = '' } = await memory.recall({ query, topK: 5 })
  await memory.outcome({ recallId, helped: [helped] })
  return recallId
}

/** The words of the questions in a file: those with reports, and those of the newest recalls. */
function keptIn(path: string): { readonly reported: unknown[]; readonly recent: unknown[] } {
  const raw = new DatabaseSync(path, { readOnly: true })
  try {
    const of = (table: string) =>
      raw
        .prepare(`SELECT text FROM ${table}`)
        .all()
        .map(({ text }) => text)
    return { reported: of('questions'), recent: of('recent_questions') }
  } finally {
    raw.close()
  }
}

test('outcome with beside lowers a block for its question alone', async () => {
  const { memory, recallId, first, second } = await asked()
  const [known, other] = [(await memory.show({ blockId: first })).block, await look(memory, BUYS)]
  await memory.outcome({ recallId, beside: [first] })
  expect((await memory.show({ blockId: first })).block).toEqual(known)
  expect(await look(memory, BUYS)).toEqual(other)
  expect((await order(memory, BOILS))[0]).toBe(second)
})

test('ten reports on a question move other questions no further than one', async () => {
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

test('a report counts at once in another process, and after reopening', async () => {
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

test('a report on a question counts for other words of it, and not for another name or number', async () => {
  const { memory, learn } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const [, id = ''] = await learn('port wine is sweet', 'port numbers stand in the book')
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

test.each([
  ['who may enter the lab', 'who may not enter the lab'],
  ['how long do C++ builds take', 'how long do C builds take'],
  ['how much does Anna owe Ben', 'how much does Ben owe Anna'],
  ['is the left valve open', 'is the right valve open'],
])('reports on "%s" lower nothing for "%s"', async (one, other) => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn(
    'Visitors may enter the lab, trainees may not.',
    'C++ builds take an hour, C builds a minute.',
    'Anna owes Ben forty, Ben owes Anna ten.',
    'The left valve is open.',
    'The right valve is shut.',
  )
  for (let round = 0; round < 3; round++) {
    const { recallId } = await memory.recall({ query: one, topK: 5, minStrength: 0 })
    await memory.outcome({ recallId, beside: ids })
  }
  const { blocks } = await memory.recall({ query: other, explain: true, minStrength: 0, reinforce: false })
  for (const { explanation } of blocks)
    expect(explanation?.terms.find(({ name }) => name === 'asked')?.amount ?? 0).toBeGreaterThanOrEqual(0)
})

test('outcome over two recalls files each block under its own question, joins them, and undo takes it back', async () => {
  const { memory, learn } = await openTestMemory()
  const [allergy = '', port = ''] = await learn(
    'Tomasz is allergic to penicillin.',
    'Redis runs on port 6380 in the lab.',
    'The bakery closes at noon.',
  )
  const questions = ['What is Tomasz allergic to?', 'Which port does Redis use?']
  for (const query of questions) await memory.recall({ query, topK: 1, minStrength: 0 })
  const { operationId = 0, ...report } = await memory.outcome({ helped: [allergy, port] })
  expect(report).toMatchObject({ blocksUpdated: 2, outcomeEdgesCreated: 1 })
  const asked = async () => [...(await questionsOn(memory, allergy)), ...(await questionsOn(memory, port))]
  expect((await asked()).map(({ question }) => question)).toEqual(questions)
  await memory.undo({ operationId })
  expect(await asked()).toEqual([])
  expect((await memory.show({ blockId: port })).edges).toEqual([])
})

test('reports on more questions than are kept go to the question of no words, those of the oldest first', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [id = ''] = await learn('The red kettle boils slowly.')
  const { questionsMost } = LEARNING
  LEARNING.questionsMost = 2
  try {
    for (const query of ['one red kettle', 'two red kettles', 'three red', 'four kettles']) {
      clock.advance({ minutes: 10 })
      await teach(memory, query, id)
    }
    expect(await questionsOn(memory, id)).toEqual([
      { question: 'four kettles', helped: 1, misled: 0, beside: 0 },
      { question: 'three red', helped: 1, misled: 0, beside: 0 },
      { helped: 2, misled: 0, beside: 0 },
    ])
  } finally {
    LEARNING.questionsMost = questionsMost
  }
})

test('questions are kept without the secrets in them', async () => {
  const { memory, path, learn } = await openTestMemory()
  const [id = ''] = await learn('The red kettle opens with a key.')
  const key = ['AKIA', 'Z7Q2M4X9K1P8R3T6'].join('')
  await teach(memory, `which kettle does ${key} open`, id)
  const { reported, recent } = keptIn(path)
  for (const text of [...reported, ...recent])
    expect(text).toMatch(/^which kettle does \[redacted: .*\] open$/)
  expect([reported.length, recent.length]).toEqual([1, 1])
  expect(tracesIn(dirname(path), [key])).toEqual([])
})

test('with keepQuestions off no word of a question is kept, and reports on it count all the same', async () => {
  const settings = { learning: { keepQuestions: false } }
  const { memory, path, learn } = await openTestMemory({ settings })
  const [, second = ''] = await learn(...KETTLES)
  await teach(memory, `${BOILS} flibbertigibbet`, second)
  await memory.dream()
  expect(keptIn(path)).toEqual({ reported: [null], recent: [null] })
  expect(tracesIn(dirname(path), ['flibbertigibbet'])).toEqual([])
  expect(await askedTerm(memory, `${BOILS} flibbertigibbet`, second)).toBeGreaterThan(0)
})

test('erase takes the words of a block out of kept questions', async () => {
  const { memory, path, learn } = await openTestMemory()
  const [id = '', kettle = ''] = await learn('Evangeline stowed away in the bilge', ...KETTLES)
  await teach(memory, 'where was Evangeline in the bilge', id)
  await teach(memory, 'who was with Evangeline', kettle)
  await teach(memory, BOILS, kettle)
  await memory.erase({ blockIds: [id], yes: true })
  expect(tracesIn(dirname(path), ['Evangeline', 'evangelin', 'bilge'])).toEqual([])
  const { reported } = keptIn(path)
  expect(reported).toContain(BOILS)
  expect((await questionsOn(memory, kettle)).map(({ question }) => question).sort()).toEqual([
    BOILS,
    undefined,
  ])
})

test('a scope sees only what was asked in it and reported about its own blocks', async () => {
  const store = await openStore()
  const [one, two, whole] = [
    await openOn(store, { scope: 'one' }),
    await openOn(store, { scope: 'two' }),
    await openOn(store),
  ]
  const ids: string[] = []
  for (const memory of [one, two]) {
    ids.push((await memory.remember({ content: KETTLES[0] ?? '' })).blockId)
    await memory.remember({ content: KETTLES[1] ?? '' })
    await memory.dream()
  }
  const [mine = '', theirs = ''] = ids
  const recallId = await teach(one, BOILS, mine)
  expect(await questionsOn(one, mine)).toEqual([{ question: BOILS, helped: 1, misled: 0, beside: 0 }])
  expect(await questionsOn(two, theirs)).toEqual([])
  expect(await askedTerm(two, BOILS, theirs)).toBeUndefined()
  expect((await refusal(two.outcome({ recallId, helped: [theirs] }))).code).toBe('NOT_FOUND')
  await teach(whole, 'what the whole memory was asked', mine)
  expect(await questionsOn(one, mine)).toEqual([
    { question: BOILS, helped: 1, misled: 0, beside: 0 },
    { helped: 1, misled: 0, beside: 0 },
  ])
  expect(await questionsOn(two, theirs)).toEqual([])
})
