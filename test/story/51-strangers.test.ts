import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { tracesIn } from '../helpers/traces.ts'

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
