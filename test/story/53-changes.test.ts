import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

type Note =
  | string
  | { readonly content: string; readonly source?: string; readonly sourceClass?: 'user' | 'tool' }

/** A memory that took in one note a week, each in a session of its own, from 5 January 2026 on. */
async function weekly(...notes: readonly Note[]) {
  const opened = await openTestMemory({ embedder: miniLm() })
  const ids: string[] = []
  for (const [week, note] of notes.entries()) {
    const given = typeof note === 'string' ? { content: note } : note
    const at = new Date(Date.UTC(2026, 0, 5 + 7 * week, 9)).toISOString()
    ids.push((await opened.memory.remember({ ...given, session: `week-${week}`, at })).blockId)
    await opened.memory.dream()
  }
  const ask = async (query: string) => {
    const answer = await opened.memory.recall({ query, reinforce: false })
    return { ...answer, places: answer.blocks.map(({ id }) => ids.indexOf(id)), first: answer.blocks[0] }
  }
  return { ...opened, ids, ask }
}

const CITIES = [
  'Ruben lives in Madrid.',
  'Ruben moved to Valencia.',
  'Ruben moved again, to Bilbao.',
] as const

test('of a fact that changed the newest is the entry, and the earlier stand under it with their dates', async () => {
  const { ask, ids } = await weekly(...CITIES)
  const { places, first, text } = await ask('Where does Ruben live?')
  expect(places).toEqual([2])
  expect(first?.versions).toMatchObject([
    { id: ids[1], why: 'earlier' },
    { id: ids[0], why: 'earlier' },
  ])
  expect(text).toContain('↳ earlier: Ruben moved to Valencia. (2026-01-12')
})

test.each([
  [
    'ended',
    ['The beta programme is running.', 'The beta programme is over.'],
    'Is the beta programme running?',
  ],
  [
    'back again',
    ['Ines drinks coffee.', 'Ines drinks only tea.', 'Ines drinks coffee again.'],
    'Does Ines drink coffee?',
  ],
  [
    'another value',
    ['Backups are hosted in Frankfurt.', 'Backups are hosted in Dublin.'],
    'Where are the backups hosted?',
  ],
  [
    'replaced',
    ['Events go through RabbitMQ.', 'We replaced RabbitMQ with NATS for all events.'],
    'Which message broker carries the events?',
  ],
  ['German', ['Das Team sitzt in Bremen.', 'Das Team ist nach Hamburg umgezogen.'], 'Wo sitzt das Team?'],
] as const)('the newest comes first where something is %s', async (_, notes, question) => {
  const { ask } = await weekly(...notes, 'The kitchen is painted green.')
  expect((await ask(question)).places[0]).toBe(notes.length - 1)
})

test.each([
  ['Where did Ruben live before?', 1],
  ['Where did Ruben live originally?', 0],
  ['Where did Ruben live on 14 January 2026?', 1],
  ['Where does Ruben live?', 2],
])('%s brings version %i of three, with the others under it', async (question, version) => {
  const { ask, clock, ids } = await weekly(...CITIES)
  clock.advance({ hours: 60 * 24 })
  const { places, first } = await ask(question)
  expect(places).toEqual([version])
  const others = [2, 1, 0].filter((other) => other !== version)
  expect(first?.versions?.map(({ id, why }) => [ids.indexOf(id), why])).toEqual(
    others.map((other) => [other, other > version ? 'later' : 'earlier']),
  )
})

test('what the question tells apart stays apart, though the newer tells of change', async () => {
  const { ask } = await weekly(
    'The staging server listens on port 4210.',
    'The production server now listens on port 4211.',
    'Marta lives in Turin.',
    'Nils has moved to Genoa.',
    'Ask Nadia first about any invoice.',
    'Ask Nadia at six in Berlin.',
  )
  expect((await ask('Which port does the staging server listen on?')).places[0]).toBe(0)
  expect((await ask('Where does Marta live?')).places[0]).toBe(2)
  expect((await ask('Ask Nadia')).places).toEqual(expect.arrayContaining([4, 5]))
})

test('notes that an agent made in one session are versions of each other, too', async () => {
  // A busy machine is given the time to embed what waits.
  const settings = { recall: { waitingMilliseconds: 10_000 } }
  const { memory, clock } = await openTestMemory({ embedder: miniLm(), settings })
  for (const content of ['The office is in Mill Lane 4.', 'The office has moved to Harbour Street 12.']) {
    await memory.remember({ content })
    clock.advance({ minutes: 1 })
  }
  const { blocks } = await memory.recall({ query: 'Where is the office?' })
  expect(blocks.map(({ content }) => content)).toEqual(['The office has moved to Harbour Street 12.'])
  expect(blocks[0]?.versions).toMatchObject([{ content: 'The office is in Mill Lane 4.' }])
})

test('a list wants every one of them as an entry', async () => {
  const { ask } = await weekly('Dana visited Lisbon.', 'Dana visited Porto.')
  expect((await ask('Which cities has Dana visited?')).places.toSorted()).toEqual([0, 1])
})

test('what is trusted less never stands over what is trusted more, and both are entries', async () => {
  const { ask } = await weekly(
    { content: 'Events go through RabbitMQ.', sourceClass: 'user' },
    { content: 'Events no longer go through RabbitMQ but through NATS.', sourceClass: 'tool' },
  )
  const { places } = await ask('Which broker do events go through?')
  expect(places.toSorted()).toEqual([0, 1])
})

test('two speakers, and turns of one conversation, do not outdate each other by words of change alone', async () => {
  const { ask } = await weekly(
    { content: 'I play the violin in the orchestra.', source: 'Ana' },
    { content: 'I now play the cello in the orchestra.', source: 'Ben' },
  )
  expect((await ask('Who plays in the orchestra?')).places.toSorted()).toEqual([0, 1])
  const { memory } = await openTestMemory({ embedder: miniLm() })
  const turns = ['The picnic by the lake was lovely.', 'Now we want a picnic by the lake each month.']
  for (const [i, content] of turns.entries())
    await memory.remember({ content, source: 'Ana', session: 'talk', at: `2026-01-05T09:0${i}:00Z` })
  await memory.dream()
  expect((await memory.recall({ query: 'How was the picnic by the lake?' })).blocks).toHaveLength(2)
})

test('that both hold can be said of what recall set apart by rule, is heeded from then on, and can be undone', async () => {
  const { memory, ask, ids } = await weekly(
    'Backups are hosted in Frankfurt.',
    'Backups are hosted in Dublin.',
  )
  const question = 'Where are the backups hosted?'
  expect((await ask(question)).places).toEqual([1])
  await memory.resolve({ a: ids[0]!, b: ids[1]!, keep: 'both' })
  expect((await ask(question)).places.toSorted()).toEqual([0, 1])
  await memory.undo({})
  expect((await ask(question)).places).toEqual([1])
})

test('what was replaced by word and decision stands as before under what replaced it, also step by step', async () => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const ids: string[] = []
  for (const content of [
    'Releases go out on Mondays.',
    'Releases go out on Tuesdays.',
    'Releases go out on Fridays.',
  ]) {
    const before = ids.at(-1)
    ids.push((await memory.remember({ content, ...(before && { supersedes: before }) })).blockId)
    await memory.dream()
    if (before) await memory.resolve({ a: before, b: ids.at(-1)!, keep: 'b' })
    clock.advance({ hours: 7 * 24 })
  }
  const { blocks, text } = await memory.recall({ query: 'When do releases go out?' })
  expect(blocks.map(({ id }) => id)).toEqual([ids[2]])
  expect(blocks[0]?.versions?.map(({ id, why }) => [id, why])).toEqual([
    [ids[1], 'superseded'],
    [ids[0], 'superseded'],
  ])
  expect(text).toContain('↳ before, until')
})

test('switched off, versions that nobody noted are entries as they match', async () => {
  const { memory } = await openTestMemory({
    embedder: miniLm(),
    settings: { recall: { groupVersions: false } },
  })
  for (const [week, content] of CITIES.entries())
    await memory.remember({ content, session: `week-${week}`, at: `2026-01-0${week + 1}` })
  await memory.dream()
  expect((await memory.recall({ query: 'Where does Ruben live?' })).blocks).toHaveLength(3)
})

test('a pasted answer with earlier versions is no copy of them', async () => {
  const { memory, ask } = await weekly(...CITIES)
  const { text } = await ask('Where does Ruben live?')
  expect((await memory.remember({ content: text })).status).toBe('duplicate')
})

test('remember names what a note may replace, by words alone and before any dream, and the call that says so', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: old } = await memory.remember({ content: 'The head office is in Mill Lane 4.' })
  await memory.remember({ content: 'The choir meets at six.' })
  await memory.recall({ query: 'office' })
  clock.advance({ hours: 1 })
  const told = await memory.remember({ content: 'The head office has moved to Harbour Street 12.' })
  expect(told.mayReplace).toMatchObject([
    { id: old, content: 'The head office is in Mill Lane 4.', why: 'changed' },
  ])
  expect(told.summary).toContain(`resolve() ${old.slice(0, 8)} ${told.blockId.slice(0, 8)} b`)
  await memory.resolve({ a: old, b: told.blockId, keep: 'b' })
  const { blocks } = await memory.recall({ query: 'where is the head office' })
  const shown = blocks.find(({ id }) => id === told.blockId)
  expect(shown?.versions).toMatchObject([{ id: old, why: 'superseded' }])
  await memory.undo({})
  expect((await memory.show({ blockId: old })).block.status).toBe('inbox')
})

test('a dream names what a new note seems to replace, and nothing of what was told already', async () => {
  const { memory, clock, learn } = await openTestMemory({ embedder: miniLm() })
  const [old = ''] = await learn('Backups are hosted in the Frankfurt region.')
  clock.advance({ hours: 1 })
  const { blockId } = await memory.remember({ content: 'Backups are hosted in the Dublin region.' })
  expect((await memory.dream()).mayReplace).toMatchObject([{ id: blockId, older: old }])
  clock.advance({ hours: 1 })
  await memory.remember({ content: 'Backups are hosted in the Oslo region.', supersedes: blockId })
  expect((await memory.dream()).mayReplace.map(({ older }) => older)).not.toContain(blockId)
})

test('what is about another thing, trusted more or said by another may not be replaced', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The staging server listens on port 4210.', sourceClass: 'user' })
  await memory.remember({ content: 'The lamp is in the hall.', source: 'Ana' })
  await memory.recall({ query: 'lamp' })
  const told = [
    await memory.remember({ content: 'The staging server has moved to port 4300.', sourceClass: 'tool' }),
    await memory.remember({ content: 'The lamp has moved to the attic.', source: 'Ben' }),
    await memory.remember({ content: 'The choir now meets on Fridays.' }),
  ]
  expect(told.map(({ mayReplace }) => mayReplace)).toEqual([undefined, undefined, undefined])
})
