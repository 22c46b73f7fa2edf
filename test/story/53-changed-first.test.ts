import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

/** Remembers one note after the other, each on a day and in a session of its own, and tells in which order they are shown. */
async function shown(notes: readonly string[], query: string, said: { readonly source?: string } = {}) {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const ids: string[] = []
  for (const [at, content] of notes.entries()) {
    ids.push((await memory.remember({ content, session: `day ${at}`, ...said })).blockId)
    await memory.dream()
    clock.advance({ hours: 240 })
  }
  const { blocks } = await memory.recall({ query })
  const versions = blocks.flatMap(({ versions: under = [] }) => under.map(({ id }) => id))
  return { order: blocks.map(({ id }) => ids.indexOf(id)), under: versions.map((id) => ids.indexOf(id)) }
}

test.each([
  [
    'The hall is lit by halogen lamps, 14 of them.',
    'Electrician was here all day: halogen is gone from the hall, LED strips do it now.',
    'What lamps light the hall?',
  ],
  [
    'Choir rehearsal: Wednesdays in the crypt.',
    'The crypt floods too often. Rehearsal has moved up to the gallery, nobody minds the stairs.',
    'Where does the choir rehearse?',
  ],
  [
    'Nightly exports land in bucket ledger_raw.',
    'Exports: was ledger_raw, is ledger_curated since the audit.',
    'Which bucket gets the nightly exports?',
  ],
  [
    'Mr Ferrand gets 40 mg of furosemide.',
    'Ferrand: weight up 3 kg on 40 mg, went to 80 mg of furosemide, check potassium.',
    'How much furosemide does Mr Ferrand get?',
  ],
  [
    'Nous commandons le papier chez Lavigne.',
    'Lavigne a fermé, le papier vient désormais de chez Brun.',
    'Chez qui commandons-nous le papier ?',
  ],
  [
    'Den Schlüssel zum Boot hat Frau Aumann.',
    'Frau Aumann zieht weg, den Schlüssel zum Boot hat jetzt Herr Tilk.',
    'Wer hat den Schlüssel zum Boot?',
  ],
])('a note that tells a change stands before what it changed: %s', async (older, newer, question) => {
  const { order, under } = await shown([older, newer], question)
  expect([order[0], [...order, ...under].includes(0)]).toEqual([1, true])
})

test.each([
  [
    'The east gate opens at 7.',
    'The west gate now opens at 8, the guard has changed.',
    'When does the east gate open?',
  ],
  ['Pia parks on deck 3.', 'Kai now parks on deck 5 instead of deck 2.', 'Where does Pia park?'],
  [
    'The kiln fires at 1,040 degrees.',
    'From next year the kiln will probably fire at 1,100 degrees.',
    'How hot does the kiln fire?',
  ],
  [
    'Order 5521 goes to Malmö.',
    'Order 5530 was moved to Gdansk, it no longer goes to Malmö.',
    'Where does order 5521 go?',
  ],
  ['Invoices are kept for ten years.', 'Drafts are now kept for one year.', 'How long are invoices kept?'],
])('a change of something else stands behind: %s', async (asked, other, question) => {
  expect((await shown([asked, other], question)).order[0]).toBe(0)
})

test('in what somebody said in a talk words of change put nothing first', async () => {
  const notes = [
    'I keep my bike in the shed behind the house.',
    'Now the shed is full again, what a mess of bikes.',
  ]
  const query = 'Where is the bike kept?'
  expect((await shown(notes, query)).order[0]).toBe(1)
  expect((await shown(notes, query, { source: 'Mara' })).order[0]).toBe(0)
})

test('of two that differ in what is asked for, the one asked for is an entry', async () => {
  const notes = ['render pool: memory limit 8Gi', 'render pool: memory request 3Gi']
  const { order, under } = await shown(notes, 'What is the memory limit of the render pool?')
  expect([order[0], under]).toEqual([0, []])
})

test('a note whose change reads little like the old words is put to the host', async () => {
  const { memory } = await openTestMemory({ embedder: miniLm() })
  await memory.remember({ content: 'Guests sleep in the room over the garage.', session: 'one' })
  await memory.dream()
  await memory.remember({
    content: 'The garage loft is an office; visitors take the sofa bed.',
    session: 'two',
  })
  await memory.dream()
  const { pairs = [] } = await memory.inbox({ pairs: 5 })
  expect(pairs).toHaveLength(1)
})
