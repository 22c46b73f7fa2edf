import { expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

/** Notes about one ferry, each with its question and the word that its answer has; those of change tell of another property each. */
const OF_FERRY = `
  The Marigold carries 42 cars. | How many cars does the Marigold carry? | 42
  Crew cabins of the Marigold are on deck C. | Which deck are the crew cabins of the Marigold on? | deck C
  The Marigold is painted dark green. | What colour is the Marigold? | green
  Bunker fuel for the Marigold comes from Ostrand. | Where does the fuel of the Marigold come from? | Ostrand
  The Marigold's call sign is LQRT. | What is the call sign of the Marigold? | LQRT
  Life rafts of the Marigold are serviced in March. | When are the life rafts of the Marigold serviced? | March
  Dogs travel free on the Marigold. | What do dogs pay on the Marigold? | free
  The Marigold's timetable moved to the new website. | Where is the timetable of the Marigold? | website
  Night crossings of the Marigold have ended for this year. | Do night crossings of the Marigold still run? | ended
  The purser of the Marigold is now Berta Holt. | Who is the purser of the Marigold? | Berta
  The Marigold switched from paper tickets to wristbands. | What tickets does the Marigold have? | wristbands
  The canteen of the Marigold no longer takes cash. | Can I pay cash in the canteen of the Marigold? | no longer
  The Marigold is back in the dry dock at Vik. | Which dry dock is the Marigold in? | Vik
`
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((text) => text.trim()) as [note: string, question: string, word: string])

async function notedIn(
  notes: readonly string[],
): Promise<Pick<TestMemory, 'memory' | 'clock'> & { readonly ids: readonly string[] }> {
  const { memory, clock } = await openTestMemory({
    embedder: miniLm(),
    settings: { session: { gapCapMinutes: 15 } },
  })
  const ids: string[] = []
  for (const [at, content] of notes.entries()) {
    ids.push((await memory.remember({ content, session: `day ${at}` })).blockId)
    clock.advance({ hours: 30 })
    await memory.dream()
  }
  return { memory, clock, ids }
}

test('of many notes that share a name, one that tells of another change never comes before the answer', async () => {
  const { memory } = await notedIn(OF_FERRY.map(([note]) => note))
  const wrong: string[] = []
  for (const [, query, word] of OF_FERRY) {
    const [first] = (await memory.recall({ query, reinforce: false })).blocks
    if (!first?.content.includes(word)) wrong.push(`${query} ${first?.content}`)
  }
  expect(wrong).toEqual([])
})

test.each([
  ['The Marigold sails at 7:15.', 'Departure of the Marigold has gone from 7:15 to 7:40.', '7:40'],
  ['The Marigold sails to Brenna.', 'The Marigold sails to Holm in place of Brenna.', 'Holm'],
  [
    'The Marigold has a contract with Nord Line.',
    'The contract of the Marigold with Nord Line ran out in May.',
    'ran out',
  ],
  ['A seat on the Marigold costs 30 euros.', 'A seat on the Marigold is now 35 euros, not 30.', '35'],
  [
    'The Marigold sails every 6 hours.',
    "I switched the Marigold's sailing to hourly instead of every 6 hours.",
    'hourly',
  ],
])('among them, after “%s” comes first what became of it: “%s”', async (older, newer, word) => {
  const { memory } = await notedIn([...OF_FERRY.map(([note]) => note).slice(0, 8), older, newer])
  const { blocks } = await memory.recall({ query: older.replace('.', '?'), reinforce: false })
  expect(blocks[0]?.content).toContain(word)
})

test('a name that many notes have is no value that one of them lost: none rests on it', async () => {
  const { memory, ids, clock } = await notedIn([
    'Supper on the Marigold: 18:00 to 20:00 daily.',
    ...OF_FERRY.map(([note]) => note),
  ])
  await memory.remember({
    content: 'The cook puts out soup and bread from half past six.',
    supersedes: ids[0] as string,
  })
  clock.advance({ hours: 30 })
  await memory.dream()
  expect((await memory.inbox()).outdated ?? []).toEqual([])
})

async function answerOf(notes: readonly string[], query: string): Promise<string | undefined> {
  const { memory } = await notedIn(notes)
  return (await memory.recall({ query, reinforce: false })).blocks[0]?.content
}

test.each([
  ["Lisa's birthday is 4 May.", 'Lisa changed jobs to Bosch.', "When is Lisa's birthday?"],
  ["Kim's desk is by the window.", 'Kim no longer works on Fridays.', "Where is Kim's desk?"],
  ["Nora's blood type is A positive.", 'Nora no longer eats gluten.', "What is Nora's blood type?"],
  ['The Smiths have two children.', 'The Smiths moved to Dover.', 'How many children do the Smiths have?'],
  [
    'Chloe owns the reporting module.',
    'The reporting module no longer writes PDF.',
    'Who owns the reporting module?',
  ],
  ['The nginx config is in /etc/nginx.', 'We upgraded nginx to 1.27.', 'Where is the nginx config?'],
  ['The login page uses OAuth.', 'The login page now loads in 2 seconds.', 'What does the login page use?'],
  [
    'The cat Minka sleeps in the kitchen.',
    'The cat Minka now eats dry food.',
    'Where does the cat Minka sleep?',
  ],
  ['Our plumber is Mr. Fox.', 'Our electrician is Mr. Wolf.', 'Who is our plumber?'],
  [
    'The milk supplier of Corner Bakery is Dairy Post.',
    'The egg supplier of Corner Bakery is Farm Lüders.',
    'Who is our milk supplier?',
  ],
])('“%s” stays the answer after “%s”', async (older, newer, query) => {
  expect(await answerOf([older, newer], query)).toBe(older)
})

test.each([
  [
    "Lena's shoe size is 33.",
    "Max's shoe size is 40.",
    "Lena's shoe size is now 34.",
    "What was Lena's shoe size before?",
  ],
  [
    'Staging runs on port 8443.',
    'Production runs on port 443.',
    'Staging moved to port 9443.',
    'Which port did staging use before?',
  ],
  [
    'Mercy Hospital pays 4000 euros a month.',
    'Saint Luke Hospital pays 2500 euros a month.',
    'Mercy Hospital now pays 4400 euros a month.',
    'How much did Mercy Hospital pay originally?',
  ],
])('“%s” is what it was before, and not “%s”', async (then, other, now, query) => {
  expect(await answerOf([then, other, now], query)).toBe(then)
})

test.each([
  ['Ana leads the team.', 'Ben now leads the team.', 'Who leads the team?'],
  ['Marek tunes the organ.', 'Sina tunes the organ these days.', 'Who tunes the organ?'],
  ['Dr. Lang is our dentist.', 'From 1 July 2026 Dr. Roth is our dentist.', 'Who is our dentist?'],
  [
    'Children under 6 ride free.',
    'From 1 July 2026 children under 12 ride free.',
    'Which children ride free?',
  ],
  ['Office hours are 9 to 5.', 'Starting 1 July 2026 office hours are 8 to 4.', 'What are the office hours?'],
])('“%s” is said anew, of somebody else or with a date, by “%s”', async (older, newer, query) => {
  expect(await answerOf([older, newer], query)).toBe(newer)
})

test('what one session noted of one person stays the answer to its own question', async () => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  await memory.remember({ content: "Lisa's birthday is 4 May." })
  clock.advance({ hours: 0.1 })
  await memory.remember({ content: 'Lisa changed jobs to Bosch.' })
  await memory.dream()
  const { blocks } = await memory.recall({ query: "When is Lisa's birthday?", reinforce: false })
  expect(blocks[0]?.content).toContain('4 May')
})
