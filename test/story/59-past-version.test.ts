import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

/** A memory that begins in 2024; months of rest let nothing fade. */
function openIn2024() {
  return openTestMemory({
    clock: createTestClock('2024-01-10T09:00:00Z'),
    embedder: miniLm(),
    settings: { session: { gapCapMinutes: 15 } },
  })
}

const PLACES = ['Oslo', 'Bergen', 'Bodo', 'Molde', 'Narvik', 'Alta'] as const

/** A store of films that moved every hundred days; each move was told and accepted. */
async function moved() {
  const opened = await openIn2024()
  const { memory, clock } = opened
  const ids: string[] = []
  for (const place of PLACES) {
    const before = ids.at(-1)
    const content = `The film store is in ${place}.`
    ids.push((await memory.remember({ content, ...(before && { supersedes: before }) })).blockId)
    await memory.dream()
    if (before) await memory.resolve({ a: before, b: ids.at(-1) ?? '', keep: 'b' })
    clock.advance({ hours: 24 * 100 })
  }
  const ask = async (query: string) => {
    const answer = await memory.recall({ query, reinforce: false })
    const [first] = answer.blocks
    const under = (first?.versions ?? []).map(({ id, why }) => [ids.indexOf(id), why])
    return { ...answer, first, under, places: answer.blocks.map(({ id }) => ids.indexOf(id)) }
  }
  return { ...opened, ids, ask }
}

test('what was archived when another took its place answers a question about the past, marked with its end', async () => {
  const { ask } = await moved()
  const { places, first, under, text } = await ask('Where was the film store before?')
  expect(places).toEqual([4])
  expect(first).toMatchObject({ ended: true, validUntil: '2025-05-24T09:00:00.000Z' })
  expect(under).toEqual([[5, 'later'], ...[3, 2, 1, 0].map((place) => [place, 'superseded'])])
  expect(text).toContain('[1] The film store is in Narvik. (2025-02-13, until 2025-05-24 09:00)')
  expect(text).toContain('↳ later, from 2025-05-24: The film store is in Alta.')
  expect(text).toContain('↳ before, until 2025-02-13: The film store is in Molde.')
  const { memory, ids } = await moved()
  const [, id = ''] = /in Molde\. \([^)]*\) \(([0-9a-f]{8})\)/.exec(text) ?? []
  expect([id, (await memory.show({ blockId: id })).block.id]).toEqual([ids[3]?.slice(0, 8), ids[3]])
})

test.each([
  ['Where was the film store originally?', 0],
  ['Where was the film store in May 2024?', 1],
  ['Where was the film store on 3 September 2024?', 2],
  ['Where is the film store?', 5],
])('%s finds version %i of six, five of them archived', async (question, version) => {
  const { ask } = await moved()
  expect((await ask(question)).places).toEqual([version])
})

test('what was forgotten of a chain is passed over, and what was before it is still found', async () => {
  const { memory, ids, ask } = await moved()
  await memory.restore({ blockId: ids[4] ?? '' })
  await memory.forget({ blockId: ids[4] ?? '' })
  expect((await ask('Where was the film store before?')).places).toEqual([3])
})

test('an archived version is used by no answer, joined to nothing, and no copy of it is made from a paste', async () => {
  const { memory, ids } = await moved()
  const query = 'Where was the film store before?'
  const { text, recallId = '' } = await memory.recall({ query })
  expect(recallId).not.toBe('')
  const { block, edges } = await memory.show({ blockId: ids[4] ?? '' })
  expect([block.status, block.reinforcementCount, edges]).toEqual(['archived', 1, []])
  expect((await memory.remember({ content: text })).status).toBe('duplicate')
  const { skipped } = await memory.outcome({ recallId, helped: [ids[4] ?? ''] })
  expect(skipped).toMatchObject([{ id: ids[4], reason: 'archived' }])
})

test('another process knows such an answer as well', async () => {
  const { memory, path } = await moved()
  const { text } = await memory.recall({ query: 'Where was the film store before?' })
  const { memory: other } = await openTestMemory({ path, embedder: miniLm() })
  expect((await other.remember({ content: text })).status).toBe('duplicate')
  expect((await other.status()).inboxCount).toBe(0)
})

test('filters hold for what is archived, too', async () => {
  const { memory } = await openTestMemory()
  const { blockId: a } = await memory.remember({ content: 'The pump room code is 4410.', tags: ['site'] })
  await memory.dream()
  const newer = { content: 'The pump room code is 7781.', supersedes: a }
  const { blockId: b } = await memory.remember({ ...newer, tags: ['door'] })
  await memory.dream()
  await memory.resolve({ a, b, keep: 'b' })
  const query = 'What was the pump room code before?'
  expect((await memory.recall({ query })).blockIds).toEqual([a])
  expect((await memory.recall({ query, tags: ['door'] })).blockIds).toEqual([b])
})

/** Two nurses who followed each other, remembered at one moment in one list, with when each held. */
async function listed() {
  const opened = await openIn2024()
  const { memory, clock } = opened
  clock.advance({ hours: 24 * 800 })
  const { results } = await memory.rememberMany({
    blocks: [
      { content: 'The door code of ward 4 is 1881.', validFrom: '2024-02-01', validUntil: '2025-03-01' },
      { content: 'The door code of ward 4 is 2462.', validFrom: '2025-03-01' },
      { content: 'Lina is the head nurse of ward 4.', validFrom: '2023-02-01', validUntil: '2025-09-01' },
      { content: 'Omar is the head nurse of ward 4.', validFrom: '2025-09-01' },
    ],
  })
  await memory.dream()
  const ids = results.map(({ blockId }) => blockId)
  const first = async (query: string) =>
    ids.indexOf((await memory.recall({ query, reinforce: false })).blockIds[0] ?? '')
  return { ...opened, ids, first }
}

test.each([
  ['What was the door code of ward 4 in August 2024?', 0],
  ['What was the door code of ward 4 in August 2025?', 1],
  ['What is the door code of ward 4?', 1],
  ['What was the door code of ward 4 before?', 0],
  ['Who was the head nurse of ward 4 in 2024?', 2],
  ['Who was the head nurse of ward 4 in November 2025?', 3],
  ['Who is the head nurse of ward 4?', 3],
  ['Is Lina the head nurse of ward 4?', 2],
])('%s goes by when it held, not by when it was said', async (question, place) => {
  const { first } = await listed()
  expect(await first(question)).toBe(place)
})

test('what held at a time goes before what was said of it later', async () => {
  const { memory, clock } = await openIn2024()
  clock.advance({ hours: 24 * 800 })
  const now = { content: 'The choir meets in the crypt.', validFrom: '2025-06-01' }
  const { blockId: crypt } = await memory.remember(now)
  clock.advance({ hours: 48 })
  const past = { content: 'The choir met in the tower.', validFrom: '2024-06-01', validUntil: '2025-06-01' }
  const { blockId: tower } = await memory.remember(past)
  await memory.dream()
  const first = async (query: string) => (await memory.recall({ query, reinforce: false })).blockIds[0]
  expect(await first('Where did the choir meet in January 2025?')).toBe(tower)
  expect(await first('Where did the choir meet in August 2025?')).toBe(crypt)
  expect(await first('Where does the choir meet?')).toBe(crypt)
})

test('what has ended comes behind what holds of the same thing, however well its words fit, and before it if the past is asked', async () => {
  const { memory, clock } = await openIn2024()
  const { blockId: ten } = await memory.remember({ content: 'The museum opens at 10.' })
  clock.advance({ hours: 24 * 30 })
  const summer = { content: 'The museum opens at 11 in the morning.', validUntil: '2024-06-01' }
  const { blockId: eleven } = await memory.remember(summer)
  await memory.remember({ content: 'The museum has a garden.', validUntil: '2024-03-01' })
  await memory.dream()
  clock.advance({ hours: 24 * 300 })
  const asked = async (query: string) => (await memory.recall({ query, reinforce: false })).blockIds
  const [first, second] = await asked('When does the museum open, at 11 in the morning?')
  expect([first, second]).toEqual([ten, eleven])
  expect((await asked('When did the museum open in March 2024?'))[0]).toBe(eleven)
})

test.each([
  ['Who led the choir before Mara Vinn?', 0],
  ['Who led the choir before Jon Pell?', 1],
  ['Who led the choir before Ada Roth?', 2],
  ['Who led the choir before 10 April 2024?', 0],
  ['Who led the choir before 20 May 2024?', 1],
  ['Who leads the choir compared with June 2024?', 2],
  ['Who has led the choir since 2024?', 2],
])('%s finds version %i of three', async (question, version) => {
  const { memory, clock } = await openIn2024()
  const ids: string[] = []
  for (const name of ['Ada Roth', 'Mara Vinn', 'Jon Pell']) {
    const before = ids.at(-1)
    const content = `The choir is led by ${name}.`
    ids.push((await memory.remember({ content, ...(before && { supersedes: before }) })).blockId)
    await memory.dream()
    if (before) await memory.resolve({ a: before, b: ids.at(-1) ?? '', keep: 'b' })
    clock.advance({ hours: 24 * 100 })
  }
  clock.advance({ hours: 24 * 300 })
  const { blockIds } = await memory.recall({ query: question, reinforce: false })
  expect(ids.indexOf(blockIds[0] ?? '')).toBe(version)
})
