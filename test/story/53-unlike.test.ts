import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

type Said = (number: number) => { readonly session?: string; readonly at?: string; readonly source?: string }

const DEFAULTS: Said = () => ({})
const EACH: Said = (number) => ({ session: `s${number}`, at: `2026-0${number + 1}-03` })

/** What a memory of these notes answers; the notes came one minute after the other. */
async function memoryOf(notes: readonly string[], said: Said) {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const contents = new Map<string, string>()
  const named: (readonly [older: string, newer: string])[] = []
  for (const [number, content] of notes.entries()) {
    const { blockId, mayReplace = [] } = await memory.remember({ content, ...said(number) })
    contents.set(blockId, content)
    named.push(...mayReplace.map((older) => [older.content, content] as const))
    clock.advance({ minutes: 1 })
  }
  const dream = await memory.dream()
  const contentOf = (id: string) => contents.get(id) ?? id
  named.push(...dream.mayReplace.map(({ id, older }) => [contentOf(older), contentOf(id)] as const))
  const ask = async (query: string) => {
    const { blocks, text } = await memory.recall({ query, reinforce: false })
    const versions = blocks.flatMap((block) => (block.versions ?? []).map(({ content }) => content))
    return { blocks, text, entries: blocks.map(({ content }) => content), versions }
  }
  return { memory, clock, named, dream, ask }
}

const FIRST_NAMES = ['Ada', 'Bela', 'Cora', 'Dov', 'Esme', 'Finn', 'Gita', 'Hugo', 'Iris', 'Jory']
const ENDINGS = ['son', 'ley', 'ton', 'wick', 'ford', 'mond']

test.each<[string, Said]>([
  ['as an agent notes them', DEFAULTS],
  ['in sessions of their own', (number) => ({ session: `s${number}` })],
  ['of one source in one session', () => ({ source: 'Kim' })],
  ['of one source in many sessions', (number) => ({ source: 'Kim', session: `s${number}` })],
])('of sixty people in rooms, twenty of whom moved, none is shown for another, %s', async (_, said) => {
  const people = ENDINGS.flatMap((ending) => FIRST_NAMES.map((name) => name + ending))
  const moved = people.filter((_name, number) => number % 3 === 0)
  const roomOf = (name: string) => 100 + people.indexOf(name)
  const notes = [
    ...people.map((name) => `${name} sits in room ${roomOf(name)}.`),
    ...moved.map((name) => `${name} now sits in room ${200 + roomOf(name)}.`),
  ]
  const { ask, named } = await memoryOf(notes, said)
  const isOfOther = (one: string, other: string) => one.split(' ')[0] !== other.split(' ')[0]
  const [wrong, cross]: [string[], string[]] = [[], []]
  for (const name of people) {
    const { blocks } = await ask(`In which room does ${name} sit?`)
    const now = moved.includes(name)
      ? `${name} now sits in room ${200 + roomOf(name)}.`
      : `${name} sits in room ${roomOf(name)}.`
    if (blocks[0]?.content !== now) wrong.push(`${name}: ${blocks[0]?.content}`)
    for (const { content, versions = [] } of blocks)
      cross.push(
        ...versions.filter((version) => isOfOther(version.content, content)).map((each) => each.content),
      )
  }
  expect({ wrong, cross }).toEqual({ wrong: [], cross: [] })
  expect(named.filter(([older, newer]) => isOfOther(older, newer))).toEqual([])
})

test.each<[question: string, right: string, notes: readonly string[]]>([
  [
    'Is Thorne cursed?',
    'Thorne was cursed.',
    ['Elowen was cursed.', 'Thorne was cursed.', 'Elowen is no longer cursed.'],
  ],
  [
    'Which version does prod-us run?',
    'prod-us runs version 2.4.',
    ['prod-eu runs version 2.4.', 'prod-us runs version 2.4.', 'prod-eu now runs version 2.5.'],
  ],
  [
    'When is the biology exam?',
    'The exam in biology is on 6 May.',
    [
      'The exam in history is on 4 May.',
      'The exam in biology is on 6 May.',
      'The exam in history was moved to 9 May.',
    ],
  ],
  [
    'Does Ana play in the quartet?',
    'Ana no longer plays in the quartet.',
    ['Bo plays in the quartet.', 'Ana no longer plays in the quartet.', 'Bo no longer plays in the quartet.'],
  ],
  ['Is Gruk in the party?', 'Gruk left the party.', ['Gruk left the party.', 'The party is in Karr now.']],
  [
    'Bastien est-il malade ?',
    'Bastien est malade.',
    ['Camille est malade.', 'Bastien est malade.', 'Camille n’est plus malade.'],
  ],
  [
    'whom does Priya report to',
    'Priya now reports to Wen.',
    [
      'Priya now reports to Wen.',
      'Jonas now reports to Wen.',
      'Jonas is on holiday.',
      'Jonas is back from holiday.',
    ],
  ],
  [
    'who signs for Castor',
    'Mr. Oduya signs for Castor.',
    ['Mr. Oduya signs for Castor.', 'Ms. Farouk no longer signs for Castor.'],
  ],
  [
    'what does Leclerc teach',
    'Mr. Leclerc teaches chemistry.',
    ['Mr. Leclerc teaches chemistry.', 'Mr. Leclerc no longer teaches physics.'],
  ],
  [
    'which bed is Brandt in',
    'Patient Brandt was moved to bed 12.',
    [
      'Patient Lindqvist is in bed 14.',
      'Patient Brandt was moved to bed 12.',
      'Patient Brandt no longer gets apixaban.',
    ],
  ],
  [
    'where does 5a have maths',
    'Class 5a has maths in room 20 now.',
    [
      'Class 5a has maths in room 11.',
      'Class 5b has maths in room 12.',
      'Class 5a has maths in room 20 now.',
      'Clara switched to class 5a.',
    ],
  ],
  [
    'retention of traces',
    'The traces are kept for 3 days.',
    ['The traces are kept for 3 days.', 'The logs are now kept for 60 days.'],
  ],
  [
    'what are our timeouts',
    'The worker timeout is 90 seconds.',
    ['The worker timeout is 90 seconds.', 'The api timeout was raised to 45 seconds.'],
  ],
  [
    'which trips were cancelled',
    'The trip to Ghent has been cancelled.',
    ['The trip to Ghent has been cancelled.', 'The trip to Lille has been cancelled.'],
  ],
  [
    'Is Ivo allergic to nuts?',
    'Ivo is allergic to nuts.',
    ['Ivo is allergic to nuts.', 'Ivo is now also allergic to eggs.'],
  ],
  [
    'À quelle heure ferme la pharmacie ?',
    'La pharmacie ferme à 20 heures.',
    ['La pharmacie ferme à 20 heures.', 'Le magasin ferme maintenant à 19 heures.'],
  ],
  [
    'Le cours de yoga est-il annulé ?',
    'Le cours de yoga est annulé.',
    ['Le cours de yoga est annulé.', 'Le cours de poterie est annulé.'],
  ],
  [
    '¿Dónde está el mapa?',
    'El mapa está en el cajón.',
    ['El mapa está en el cajón.', 'La llave está otra vez en el cajón.'],
  ],
  [
    'Quem é o gerente da livraria?',
    'O gerente da livraria é o Simão.',
    ['O gerente da livraria é o Simão.', 'A gerente da padaria agora é a Inês.'],
  ],
  [
    "Dov'è la libreria?",
    'La libreria è in via Mazzini.',
    [
      'La libreria è in via Mazzini.',
      'Il forno è di nuovo in via Garibaldi.',
      'Il forno si è trasferito in via Dante.',
    ],
  ],
  ['小李住在哪里？', '小李住在上海。', ['小李住在上海。', '小李喜欢茶。', '小李喜欢咖啡。']],
  [
    '田中さんはどこに住んでいますか',
    '田中さんは大阪に住んでいます。',
    ['田中さんは大阪に住んでいます。', '田中さんは寿司が好きです。', '田中さんは天ぷらが好きです。'],
  ],
])(
  '%s is answered by “%s” as an entry, not under what is about another thing',
  async (question, right, notes) => {
    for (const said of [DEFAULTS, EACH]) {
      const { ask, dream, named } = await memoryOf(notes, said)
      const { entries, versions } = await ask(question)
      expect(entries).toContain(right)
      expect(versions).not.toContain(right)
      const ofOther = [...named, ...dream.conflicts.map(({ kind }) => kind)]
      if (notes.length === 2) expect(ofOther).toEqual([])
    }
  },
)
