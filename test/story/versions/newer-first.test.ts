import { expect, test } from 'vitest'
import { openTestMemory } from '../../helpers/memory.ts'
import { miniLm } from '../../helpers/minilm.ts'

type Row = readonly [older: string, newer: string, question: string]

/** Facts that changed; the score is sure of the first two. */
const CHANGES: readonly Row[] = [
  [
    'The staging database of the ledger lives at pg-stage-03, user ledger, port 5432.',
    'The staging database of the ledger lives at pg-stage-07, user ledger, port 5432.',
    'Where does the staging database of the ledger live?',
  ],
  ['The team standup is at 9:30', 'The team standup is at 10:15 now', 'When is the team standup?'],
  ['Lab parcels come with GLS', 'We switched the lab parcels from GLS to Hermes', 'Who brings lab parcels?'],
  ['The printer is on floor 2', 'The printer is on floor 5', 'Where is the printer?'],
  ['The head of sales is Iva Torn', 'The head of sales is Rolf Beck', 'Who is the head of sales?'],
  ['Das Backup läuft um 2 Uhr', 'Das Backup läuft um 4 Uhr', 'Wann läuft das Backup?'],
]
const SURE = 2

/** Facts that look alike and both hold, with a question for the first. */
const PAIRS: readonly Row[] = [
  ["Ana's desk is 4", "Ben's desk is 7", "Which desk is Ana's?"],
  ['The colour printer is on floor 2', 'The label printer is on floor 5', 'Where is the colour printer?'],
  ['Visitors park in bay C', 'Couriers park in bay F', 'Where do visitors park?'],
  [
    'The white bread bakes for 35 minutes',
    'The rye bread bakes for 55 minutes',
    'How long is white bread baked?',
  ],
  ['Mrs. Chen is in bed 7', 'Mr. Chen is in bed 11', 'Which bed is Mrs. Chen in?'],
  ['The staging port is 8080', 'The production port is 9090', 'What is the staging port?'],
  ['The connect timeout is 5 seconds', 'The read timeout is 30 seconds', 'How long is the connect timeout?'],
  ['Zimmer 3 hat zwei Betten', 'Zimmer 8 hat vier Betten', 'Wie viele Betten hat Zimmer 3?'],
]

/** A memory that took in two lists of notes, the second a day after the first; `dreams` says how many were dreamt. */
async function memoryOf(lists: readonly (readonly string[])[], dreams: number) {
  const settings = { recall: { waitingMilliseconds: 0 } }
  const { memory, clock } = await openTestMemory({ embedder: miniLm(), settings })
  for (const [day, contents] of lists.entries()) {
    for (const [number, content] of contents.entries())
      await memory.remember({ content, session: `day ${day}, ${number}`, at: `2026-01-1${day}` })
    if (day < dreams) await memory.dream({ maxCount: 500 })
    clock.advance({ minutes: 1 })
  }
  return (query: string) => memory.recall({ query, reinforce: false })
}

const column = (rows: readonly Row[], at: 0 | 1) => rows.map((row) => row[at])

test.each([2, 1])(
  'recall gives both of two values with their dates, the newer first where the score is sure and both were dreamt, after %i dreams',
  async (dreams) => {
    const ask = await memoryOf([column(CHANGES, 0), column(CHANGES, 1)], dreams)
    for (const [number, [older, newer, question]] of CHANGES.entries()) {
      const { text, blocks } = await ask(question)
      const places = [newer, older].map((content) => blocks.findIndex((block) => block.content === content))
      expect({ question, isThere: Math.min(...places) >= 0 }).toEqual({ question, isThere: true })
      expect(text).toContain(`${newer} (2026-01-11`)
      expect(text).toContain(`${older} (2026-01-10`)
      if (number < SURE && dreams === 2) expect({ question, places }).toEqual({ question, places: [0, 1] })
    }
  },
)

test('recall states a guess about versions on the newer entry, and the setting 100 makes none', async () => {
  for (const [newerFirst, marked] of [
    [0.4, true],
    [100, false],
  ] as const) {
    const { memory, clock } = await openTestMemory({
      embedder: miniLm(),
      settings: { recall: { newerFirst } },
    })
    const [old, now, query] = CHANGES[0] as Row
    const { blockId } = await memory.remember({ content: old, session: 'one' })
    clock.advance({ hours: 30 })
    await memory.remember({ content: now, session: 'two' })
    await memory.dream()
    const { blocks, text } = await memory.recall({ query, reinforce: false })
    const mark = blocks.find(({ content }) => content === now)?.perhapsNewerThan
    expect(mark).toEqual(marked ? [blockId] : undefined)
    expect(text.includes('perhaps newer than [')).toBe(marked)
  }
})

test('recall orders no two notes by a guess if a speaker of one is known', async () => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const [old, now, query] = CHANGES[0] as Row
  await memory.remember({ content: old, session: 'one', source: 'Ana' })
  clock.advance({ hours: 30 })
  await memory.remember({ content: now, session: 'two', source: 'Ana' })
  await memory.dream()
  const { blocks } = await memory.recall({ query, reinforce: false })
  expect(blocks.map(({ perhapsNewerThan }) => perhapsNewerThan)).toEqual(blocks.map(() => undefined))
})

test('recall with a limit shows no more entries than that for a guess', async () => {
  const { memory } = await openTestMemory({ embedder: miniLm() })
  for (const [old, now] of CHANGES)
    await memory.remember({ content: old }).then(() => memory.remember({ content: now }))
  await memory.dream()
  for (const limit of [1, 2, 3])
    expect((await memory.recall({ query: 'lab parcels', limit, reinforce: false })).blocks).toHaveLength(
      limit,
    )
})

test.each(['earlier', 'later'])(
  'recall gives the fact that is asked for first and hides none that looks alike, if it came %s',
  async (when) => {
    const lists = [column(PAIRS, 0), column(PAIRS, 1)]
    const ask = await memoryOf(when === 'earlier' ? lists : lists.toReversed(), 2)
    for (const [one, other, question] of PAIRS) {
      const { blocks } = await ask(question)
      expect({ question, first: blocks[0]?.content }).toEqual({ question, first: one })
      const under = blocks.flatMap(({ content, versions = [] }) =>
        content === one || content === other ? versions : [],
      )
      expect({ question, under }).toEqual({ question, under: [] })
    }
  },
)

test.each([
  ['first if it is trusted as much', 'user', undefined, 1],
  ['behind what is trusted more', 'tool', undefined, 0],
  ['as any other after resolve with both', 'user', 'both', 0],
] as const)('recall gives the later of two values %s', async (_, sourceClass, keep, first) => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const tell = async (content: string, by: 'user' | 'tool') => {
    const { blockId } = await memory.remember({ content, sourceClass: by, session: content })
    clock.advance({ minutes: 1 })
    await memory.dream()
    return blockId
  }
  const ids = [
    await tell(CHANGES[0]?.[0] as string, 'user'),
    await tell(CHANGES[0]?.[1] as string, sourceClass),
  ] as const
  if (keep) await memory.resolve({ a: ids[0], b: ids[1], keep })
  const { blocks } = await memory.recall({ query: CHANGES[0]?.[2] as string, reinforce: false })
  expect(blocks.map(({ id }) => id)).toEqual([ids[first], ids[1 - first]])
})
