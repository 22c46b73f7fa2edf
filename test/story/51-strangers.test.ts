import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { tracesIn } from '../helpers/traces.ts'
import { elfmem } from '../surfaces/helpers/cli.ts'
import { cliRoad, libraryRoad, mcpRoad } from '../surfaces/helpers/roads.ts'

// What somebody found who had read the pages and nothing else.

test('an answer cites what was shown last, also when nothing was asked', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('The wiki is moved on Friday.', 'Notes on staging lie in the wiki.', 'The crane was painted.')
  await memory.recall({ query: 'wiki' })
  const { blockIds, recallId = '' } = await memory.recall({ frame: 'attention' })
  expect(await memory.outcome({ answer: 'As in [2].' })).toMatchObject({ recallId, credited: [blockIds[1]] })
  expect(await memory.outcome({ recallId, helped: blockIds.slice(0, 1) })).toMatchObject({ blocksUpdated: 1 })
})

test.each([
  ['who may enter the lab', 'who may not enter the lab'],
  ['how long do C++ builds take', 'how long do C builds take'],
  ['how much does Anna owe Ben', 'how much does Ben owe Anna'],
  ['is the left valve open', 'is the right valve open'],
])('what was reported on "%s" lowers nothing for "%s"', async (one, other) => {
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

test('erasing takes words out of kept questions however they were written', async () => {
  const { memory, path, learn } = await openTestMemory({ as: 'owner' })
  const [secret = ''] = await learn(
    'the zorbulan contract pays twice.',
    'The blue folder holds the tax papers.',
  )
  const { blockIds } = await memory.recall({ query: 'ZORBULAN CONTRACT and the blue folder' })
  await memory.outcome({ helped: blockIds.filter((id) => id !== secret) })
  await memory.recall({ query: 'does Zorbulan pay, and where is the folder' })
  await memory.erase({ blockIds: [secret], yes: true })
  await memory.close()
  expect(tracesIn(dirname(path), ['zorbulan', 'Zorbulan', 'ZORBULAN'])).toEqual([])
})

test('a report that is to count for a thousand is taken back by a few', async () => {
  const { memory, learn } = await openTestMemory()
  const [first = ''] = await learn('The red kettle boils.', 'The red kettle is new.')
  const query = 'which red kettle boils'
  const say = async (word: 'helped' | 'misled', weight: number) => {
    const { recallId } = await memory.recall({ query, minStrength: 0 })
    await memory.outcome({ recallId, [word]: [first], weight })
  }
  await say('misled', 1_000)
  for (let i = 0; i < 4; i++) await say('helped', 1)
  const { blocks } = await memory.recall({ query, explain: true, minStrength: 0, reinforce: false })
  const terms = blocks.find(({ id }) => id === first)?.explanation?.terms
  expect(terms?.find(({ name }) => name === 'asked')?.value).toBeGreaterThan(0)
})

test.each([
  ['which port has it', true],
  ['which port has Staging', true],
  ['which port has Production', false],
])('of what misled for "%s" a newer block near it says: replaced %s', async (query, isReplaced) => {
  const embedder = createPlacedEmbedder()
  const first = await openTestMemory({ embedder })
  const older = 'port @0 of staging is 4100.'
  const newer = isReplaced ? 'port @30 of staging is 4210.' : 'port @30 of production is 4210.'
  const { blockId } = await first.memory.remember({ content: older, at: '2026-01-01' })
  await first.memory.remember({ content: newer, at: '2026-02-01' })
  await first.memory.dream()
  const { recallId } = await first.memory.recall({ query, minStrength: 0 })
  // As a command does, which has recalled nothing itself.
  const { memory } = await openTestMemory({ path: first.path, embedder })
  await memory.outcome({ recallId, misled: [blockId] })
  const { questions } = await memory.show({ blockId })
  const failures = questions.filter(({ question, misled }) => question === undefined && misled > 0)
  expect(failures).toHaveLength(isReplaced ? 1 : 0)
})

/** A memory of which a question found three blocks of four, and then one of these was forgotten and one waits. */
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
])('a report that %s says that there is nothing of it to undo', async (_, report) => {
  const asked = await askedAndForgot()
  const { operationId, summary, blocksUpdated } = await asked.memory.outcome(report(asked))
  expect([operationId, blocksUpdated]).toEqual([undefined, 0])
  expect(summary).toContain('Nothing changed: undo() would take back what was done before.')
  expect((await asked.memory.undo({ dryRun: true })).undone).toMatchObject([{ operation: 'forget' }])
})

test.each<[string, (asked: Asked) => Report]>([
  ['of what helped', ({ first }) => ({ helped: [first] })],
  ['of what waits', ({ waiting }) => ({ beside: [waiting] })],
  ['of what was beside the point', ({ first, recallId }) => ({ recallId, beside: [first] })],
  ['of a set', ({ first }) => ({ blockIds: [first], signal: 0.9, about: 'set' })],
  ['of what was only guessed', ({ recallId }) => ({ recallId, answer: 'The red kettle boils slowly.' })],
])('a report %s answers the number that undoes it', async (_, report) => {
  const asked = await askedAndForgot()
  const { operationId, summary } = await asked.memory.outcome(report(asked))
  expect(summary).not.toContain('Nothing changed')
  expect((await asked.memory.undo({ operationId: operationId as number })).undone).toMatchObject([
    { id: operationId, operation: 'outcome' },
  ])
})

test('an answer that cites what was forgotten since is not credited for that', async () => {
  const { memory, recallId, blockIds, first, gone } = await askedAndForgot()
  const number = (id: string) => `[${blockIds.indexOf(id) + 1}]`
  const both = await memory.outcome({ recallId, answer: `As in ${number(first)} and ${number(gone)}.` })
  expect(both).toMatchObject({ credited: [first], skipped: [{ id: gone, reason: 'archived' }] })
  const one = await memory.outcome({ recallId, answer: `As in ${number(gone)}.` })
  expect(one).toMatchObject({ credited: [], skipped: [{ id: gone }], blocksUpdated: 0 })
  expect(one.summary).toContain('No block that the answer cites was credited.')
  // What nobody named is not worth a word.
  const other = await memory.outcome({ recallId, answer: `As in ${number(first)}.`, beside: [] })
  expect(other).toMatchObject({ credited: [first], skipped: [], queued: [] })
})

test('what was beside the point is counted apart from what was updated, and does not wait for a dream', async () => {
  const { memory, recallId, first, waiting } = await askedAndForgot()
  const result = await memory.outcome({ recallId, beside: [first, waiting] })
  expect(result).toMatchObject({ blocksUpdated: 0, blocksBeside: 2, queued: [], meanConfidenceDelta: 0 })
  const { operations } = await memory.history({ operation: 'outcome' })
  expect(operations[0]?.summary).toBe('0 blocks updated, 0 queued, 2 beside the point')
})

test('status and show say how far reports are trusted, and less when they foretell nothing', async () => {
  const { memory, path, learn } = await openTestMemory()
  const [one = '', two = ''] = await learn('The red kettle boils.', 'The red kettle is new.')
  const first = (await memory.status()).trust
  expect(first).toBeCloseTo(2 / 3, 9)
  for (const [i, query] of [
    'which red kettle',
    'what about the kettle',
    'is it red',
    'a new one',
  ].entries()) {
    const { recallId } = await memory.recall({ query, topK: 2, minStrength: 0 })
    await memory.outcome({ recallId, helped: [i % 2 === 0 ? one : two], misled: [i % 2 === 0 ? two : one] })
  }
  const { trust } = await memory.status()
  expect(trust).toBeLessThan(first)
  expect((await memory.show({ blockId: one })).trust).toBe(trust)
  const words = `trust in reports ${trust.toFixed(2).slice(1)}`
  for (const command of [['status'], ['show', one]])
    expect((await elfmem([...command, '--db', path], { home: dirname(path) })).out).toContain(words)
})

test.each(['abc', '', '-1', '1.5', 42])(
  '%j is no recallId, and the refusal says what is one',
  async (given) => {
    const { memory, first } = await askedAndForgot()
    const { code, message } = await refusal(memory.outcome({ recallId: given as string, helped: [first] }))
    expect(code).toBe('INVALID_INPUT')
    expect(message).toContain('recallId must be a text of digits as recall answers it, such as "42"')
    const unknown = await refusal(memory.outcome({ recallId: '999999', helped: [first] }))
    expect([unknown.code, unknown.message]).toEqual(['NOT_FOUND', 'No recall 999999 is known any more.'])
  },
)

test('the guide has a short page on learning, and names it', async () => {
  const roads = await Promise.all([libraryRoad(), cliRoad(), mcpRoad()])
  const answers = await Promise.all(roads.map((road) => road('guide', { method: 'learning' })))
  const [text = '', ...others] = answers.map(({ result }) => String(result?.text))
  for (const word of ['helped:', 'misled:', 'beside:', '[n]', 'question', 'Silence costs nothing'])
    for (const each of [text, ...others]) expect(each).toContain(word)
  expect(text.split('\n').length).toBeLessThanOrEqual(12)
  expect(String((await roads[0]?.('guide', {}))?.result?.text)).toContain('guide learning')
})

test('blocks that similarity had joined keep their edge when they help together, and it gains weight', async () => {
  const { memory, learn } = await openTestMemory()
  const [one = '', two = ''] = await learn('The red kettle boils slowly.', 'The red kettle boils quickly.')
  const before = (await memory.show({ blockId: one })).edges
  expect(before).toMatchObject([{ other: two, origin: 'similarity' }])
  expect(await memory.outcome({ helped: [one, two] })).toMatchObject({
    edgesReinforced: 1,
    outcomeEdgesCreated: 0,
  })
  const { edges } = await memory.show({ blockId: one })
  expect(edges).toMatchObject([{ other: two, origin: 'similarity', relation: 'similar' }])
  expect(edges[0]?.weight).toBeCloseTo((before[0]?.weight ?? 0) + 0.1, 9)
})
