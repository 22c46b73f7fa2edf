import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

/** Notes of one thing, a week apart, of which nobody says that one takes the place of another; and a way to ask what comes first. */
async function told(...notes: readonly string[]) {
  // Weeks of rest let nothing fade.
  const settings = { session: { gapCapMinutes: 15 } }
  const { memory, clock } = await openTestMemory({ embedder: miniLm(), settings })
  for (const [at, content] of notes.entries()) {
    await memory.remember({ content, session: `week ${at}` })
    await memory.dream()
    clock.advance({ hours: 7 * 24 })
  }
  return async (query: string, asOf?: string) => {
    const { blocks } = await memory.recall({ query, reinforce: false, ...(asOf && { asOf }) })
    return blocks[0]?.content
  }
}

test.each([
  [
    'The ferry is steered by Olga Brandt.',
    'The ferry is steered by Marten Voss.',
    'The ferry is steered by Ida Holm.',
    'Who steered the ferry before',
  ],
  [
    'The head of sales is Iva Torn.',
    'The head of sales is Rolf Beck.',
    'The head of sales is Petra Lind.',
    'Who was head of sales before',
  ],
  [
    'Rosa Quint leads the choir.',
    'Emil Tarn leads the choir.',
    'Ida Bloom leads the choir.',
    'Who led the choir before',
  ],
])('a question for the one before a name gets that one: %s', async (first, second, third, lead) => {
  const answer = await told(first, second, third)
  const nameOf = (note: string) => /\p{Lu}\p{L}+ \p{Lu}\p{L}+/u.exec(note.replace(/^The /, ''))?.[0] ?? ''
  expect(await answer(`${lead} ${nameOf(second)}?`)).toBe(first)
  expect(await answer(`${lead} ${nameOf(third)}?`)).toBe(second)
  expect(await answer(`${lead}?`)).toBe(second)
})

test('what a thing was before a change, before its newest value and at first comes first when that is asked', async () => {
  const tools = await told(
    'We use Jenkins for CI.',
    'We now use Buildkite for CI.',
    'CI moved to GitHub Actions.',
  )
  expect(await tools('What did we use for CI before Buildkite?')).toContain('Jenkins')
  expect(await tools('What did we use for CI before GitHub Actions?')).toContain('Buildkite')
  const door = await told('The barn door is red.', 'The barn door is white.', 'The barn door is green.')
  expect(await door('What colour was the barn door before?')).toContain('white')
  expect(await door('What colour was the barn door originally?')).toContain('red')
  expect(await door('What colour is the barn door?')).toContain('green')
})

test('what came back is shown as it was at first, and in between as it was then', async () => {
  const door = await told('The barn door is red.', 'The barn door is white.', 'The barn door is red again.')
  expect(await door('What colour was the barn door originally?')).toContain('red')
  expect(await door('What colour was the barn door before?')).toContain('white')
  expect(await door('What colour is the barn door?')).toContain('red')
})

test('what was said before to begin later holds from then on, whatever was said of now in between', async () => {
  const loaf = await told('A loaf costs 4.80 euros, effective 1 June 2026.', 'A loaf costs 4.20 euros.')
  expect(await loaf('What does a loaf cost?')).toContain('4.20')
  expect(await loaf('What does a loaf cost?', '2026-06-15')).toContain('4.80')
  const gate = await told('The gate opens at seven.', 'From 1 June 2026 the gate opens at six.')
  expect(await gate('When does the gate open?')).toContain('seven')
  expect(await gate('When does the gate open?', '2026-06-15')).toContain('six')
})

test.each([
  ['The landlord is Mr Quist.', 'From 20 March 2026 the landlord is Ms Rask.', 'Who is the landlord?'],
  [
    'Noor leads the design guild.',
    'Since 20 March 2026 Tariq leads the design guild.',
    'Who leads the design guild?',
  ],
  ['Jo works in Turin.', 'Starting 20 March 2026 Jo works in Oslo.', 'Where does Jo work?'],
])('what began on a day that its text names is the newer: %s', async (older, newer, question) => {
  const answer = await told(older, newer)
  expect(await answer(question, '2026-04-01')).toBe(newer)
  expect(await answer(question, '2026-03-18')).toBe(older)
  expect(
    await answer(
      question
        .replace(/^Who is/, 'Who was')
        .replace('does', 'did')
        .replace('?', ' before?'),
    ),
  ).toBe(older)
})

test('what was said before another number came is the answer for before and at first, though both contradict each other', async () => {
  const hens = await told(
    'Our hens lay 40 eggs a day.',
    'Our hens lay 52 eggs a day.',
    'Our hens lay 47 eggs a day.',
  )
  expect(await hens('How many eggs do our hens lay?')).toContain('47')
  expect(await hens('How many eggs did our hens lay before?')).toContain('52')
  expect(await hens('How many eggs did our hens lay at first?')).toContain('40')
  const runtime = await told(
    'The runtime is Python 3.10.',
    'The runtime is Python 3.11.',
    'The runtime is Python 3.12.',
  )
  expect(await runtime('What was the runtime before Python 3.11?')).toContain('3.10')
})

test('a question with "first" or "before" in another sense is one for now', async () => {
  const bus = await told('The first bus leaves at 5:10.', 'The first bus leaves at 5:40.')
  expect(await bus('When does the first bus leave?')).toContain('5:40')
  const dose = await told('The initial dose of Velpran is 5 mg.', 'The initial dose of Velpran is 10 mg.')
  expect(await dose('What is the initial dose of Velpran?')).toContain('10 mg')
  const blend = await told(
    'The original Lunar blend is roasted by Falk.',
    'The original Lunar blend is roasted by Iris.',
  )
  expect(await blend('Who roasts the original Lunar blend?')).toContain('Iris')
  const mill = await told('The old mill is guarded by Tor.', 'The old mill is guarded by Siv.')
  expect(await mill('Who guards the old mill?')).toContain('Siv')
  const station = await told(
    'The former station is heated with wood.',
    'The former station is heated with gas.',
  )
  expect(await station('How is the former station heated?')).toContain('gas')
  const hotline = await told('The hotline for outages is 555-100.', 'The hotline for outages is 555-200.')
  expect(await hotline('Which hotline did you want me to call before I restart?')).toContain('555-200')
})

test.each([
  [
    'Expenses above 50 euros need approval.',
    'Expenses above 100 euros need approval.',
    'From what amount did expenses need approval originally?',
  ],
  ['Leo wants window seats.', 'Leo wants aisle seats from now on.', 'Which seat did Leo want before?'],
])(
  'of two that a dream took to be nearly the same it is the older that was before: %s',
  async (older, newer, query) => {
    const answer = await told(older, newer)
    expect(await answer(query)).toBe(older)
  },
)
