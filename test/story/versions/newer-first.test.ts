import { expect, test } from 'vitest'
import { openTestMemory } from '../../helpers/memory.ts'
import { miniLm } from '../../helpers/minilm.ts'

type Row = readonly [older: string, newer: string, question: string]

/** Facts that changed, with no word of change. */
const CHANGES: readonly Row[] = [
  ['Standup is at 9:30', 'Standup is at 10:15', 'When is standup?'],
  ['The printer is on floor 2', 'The printer is on floor 5', 'Where is the printer?'],
  ['Expense claims go to Petra', 'Expense claims go to Milan', 'Who gets the expense claims?'],
  ['The head of sales is Iva Torn', 'The head of sales is Rolf Beck', 'Who is the head of sales?'],
  ['Our eggs come from the Brandl farm', 'Our eggs come from the Huber farm', 'Where do we get our eggs?'],
  ['CI runs on Jenkins', 'CI runs on Buildkite', 'What does CI run on?'],
  ['Logs are kept for 14 days', 'Logs are kept for 90 days', 'How long are logs kept?'],
  ['Das Backup läuft um 2 Uhr', 'Das Backup läuft um 4 Uhr', 'Wann läuft das Backup?'],
]

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
  'recall gives the newer of two values first and both with their dates, after %i dreams',
  async (dreams) => {
    const ask = await memoryOf([column(CHANGES, 0), column(CHANGES, 1)], dreams)
    for (const [older, newer, question] of CHANGES) {
      const { text } = await ask(question)
      const [at, before] = [text.indexOf(`${newer} (2026-01-11`), text.indexOf(`${older} (2026-01-10`)]
      expect({ question, found: at >= 0 && before > at }).toEqual({ question, found: true })
    }
  },
)

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
    await tell('Our eggs come from the Brandl farm', 'user'),
    await tell('Our eggs come from the Huber farm', sourceClass),
  ] as const
  if (keep) await memory.resolve({ a: ids[0], b: ids[1], keep })
  const { blocks } = await memory.recall({ query: 'Where do we get our eggs?', reinforce: false })
  expect(blocks.map(({ id }) => id)).toEqual([ids[first], ids[1 - first]])
})

const SERVERS = ['staging', 'production', 'preview', 'canary', 'sandbox'].map(
  (name, at) => [name, `The ${name} server of Atlas listens on port ${4210 + at}.`] as const,
)

test('recall gives the one of many look-alikes that the question names, or all of them', async () => {
  const { memory, learn } = await openTestMemory({ embedder: miniLm() })
  const ids = await learn(...SERVERS.map(([, content]) => content))
  for (const [at, [name]] of SERVERS.entries()) {
    const query = `Which port does the ${name} server listen on?`
    const { blockIds } = await memory.recall({ query, reinforce: false })
    expect([name, blockIds[0]]).toEqual([name, ids[at]])
  }
  const { text } = await memory.recall({ query: 'Where do the servers of Atlas listen?' })
  for (const [, content] of SERVERS) expect(text).toContain(content)
})
