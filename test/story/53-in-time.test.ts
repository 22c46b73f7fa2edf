import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

/** A memory of notes, one a month from January 2025 on, in sessions of their own. */
async function monthly(...notes: readonly string[]) {
  const opened = await openTestMemory({ embedder: miniLm() })
  const { memory, clock } = opened
  for (const [month, content] of notes.entries()) {
    await memory.remember({ content, session: `s${month}`, at: `2025-0${month + 1}-03` })
    clock.advance({ minutes: 1 })
  }
  const dream = await memory.dream()
  const ask = async (query: string) => {
    const answer = await memory.recall({ query, reinforce: false })
    return {
      ...answer,
      places: answer.blocks.map(({ content }) => notes.indexOf(content)),
      under: underOf(answer),
    }
  }
  const underOf = ({ blocks: [first] }: Awaited<ReturnType<typeof memory.recall>>) =>
    (first?.versions ?? []).map(({ why, content }) => [why, notes.indexOf(content)])
  return { ...opened, dream, ask }
}

test.each([
  ['Who is on call on 24 December 2026?', 'Omar is on call.'],
  ['Who is on call on 3.2.2027?', 'Omar is on call.'],
  ['Who is on call on 12 October 2026?', 'Lina is on call.'],
  ['Who is on call?', 'Lina is on call.'],
  ['Who has been on call since 24 December 2026?', 'Lina is on call.'],
])('%s is answered with what holds then: %s', async (question, first) => {
  const { memory } = await openTestMemory({ embedder: miniLm() })
  await memory.remember({ content: 'Omar is on call.', session: 'a', validFrom: '2026-12-20' })
  await memory.remember({ content: 'Lina is on call.', session: 'b', validUntil: '2026-12-20' })
  await memory.dream()
  const { blocks, text } = await memory.recall({ query: question, reinforce: false })
  expect(blocks[0]?.content).toBe(first)
  expect(text).toContain('Omar is on call.')
  expect(text).toContain('Lina is on call.')
})

test.each([
  [
    'Wer war der Leiter ursprünglich?',
    ['Der Leiter ist Uwe.', 'Der Leiter ist jetzt Kai.', 'Der Leiter ist jetzt Ida.'],
  ],
  [
    'Who was the lighthouse keeper originally?',
    [
      'The lighthouse keeper is Uwe.',
      'The lighthouse keeper is now Kai.',
      'The lighthouse keeper is now Ida.',
    ],
  ],
])('%s: all that came after the first is later, by its date', async (question, notes) => {
  const { ask } = await monthly(...notes)
  const { places, under, text } = await ask(question)
  expect([places, under]).toEqual([
    [0],
    [
      ['later', 2],
      ['later', 1],
    ],
  ])
  expect(text).toContain('↳ later, from 2025-02-03')
})

test('what was superseded step by step is later than the first and before the newest, by its date', async () => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const ids: string[] = []
  for (const [month, place] of ['Malmö', 'Kiel', 'Gdynia'].entries()) {
    const supersedes = ids.at(-1)
    const at = `2025-0${month + 1}-10`
    ids.push(
      (await memory.remember({ content: `The depot is in ${place}.`, at, ...(supersedes && { supersedes }) }))
        .blockId,
    )
    clock.advance({ hours: 1 })
  }
  await memory.dream()
  const under = async (query: string) =>
    (await memory.recall({ query, reinforce: false })).blocks[0]?.versions?.map(({ id, why }) => [
      ids.indexOf(id),
      why,
    ])
  expect(await under('Where was the depot originally?')).toEqual([
    [2, 'later'],
    [1, 'later'],
  ])
  expect(await under('Where was the depot before?')).toEqual([
    [2, 'later'],
    [0, 'superseded'],
  ])
})

test.each([
  'Who guarded the moat before?',
  'Who was guarding the moat before?',
  'Who guarded the moat previously?',
])('%s brings who did before, and the one who does now as later', async (question) => {
  const { ask } = await monthly('The moat is guarded by Ansel.', 'The moat is now guarded by Cleo.')
  const { places, under } = await ask(question)
  expect([places, under]).toEqual([[0], [['later', 1]]])
})

test.each([
  [
    'Where is the party?',
    'Where was the party before?',
    [
      'The party is in Venn.',
      'The goblins are in Karr.',
      'The party is in Karr now.',
      'The party is back in Venn.',
    ],
    [3, 2, 0],
  ],
  [
    'Who has the spare key?',
    'Who had the spare key before?',
    [
      'The spare key is with Mrs. Halloran.',
      'The spare key is now with Olu.',
      'The spare key is back with Mrs. Halloran.',
    ],
    [2, 1, 0],
  ],
] as const)(
  '%s brings what is back as the newest of one chain, and the past what was in between',
  async (now, past, notes, chain) => {
    const { ask } = await monthly(...notes)
    const answer = await ask(now)
    expect([answer.places[0], ...answer.under.map(([, place]) => place)]).toEqual(chain)
    const before = await ask(past)
    expect(before.places[0]).toBe(chain[1])
    expect(before.under).toContainEqual(['later', chain[0]])
  },
)

test('blocks of two scopes are never versions of each other, whatever they share', async () => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const pairs = [
    ['The office is on Oak Street.', 'The office is on Fir Street.', 'Where is the office?'],
    ['Deploys go to eu-west.', 'Deploys now go to us-east.', 'Where do deploys go?'],
  ] as const
  const told = []
  for (const [older, newer] of pairs)
    for (const [content, scope] of [
      [older, 'south'],
      [newer, 'north'],
    ] as const) {
      told.push((await memory.remember({ content, scope, session: content })).mayReplace)
      clock.advance({ hours: 24 })
    }
  const { mayReplace, conflicts } = await memory.dream()
  expect([...told.flat(), ...mayReplace, ...conflicts].filter(Boolean)).toEqual([])
  for (const [older, newer, query] of pairs) {
    const { blocks } = await memory.recall({ query, reinforce: false })
    expect(blocks.map(({ content }) => content)).toEqual(expect.arrayContaining([older, newer]))
    expect(blocks.flatMap(({ versions = [] }) => versions)).toEqual([])
  }
})

test('what never holds together contradicts nothing, and what is ahead stands behind what holds', async () => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const today = new Date(clock.now())
  const day = (days: number) => new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10)
  for (const note of [
    { content: 'The depot is in Malmö.', at: day(-300), validUntil: day(-250) },
    { content: 'The depot is in Turku.', at: day(-80), validFrom: day(100) },
    { content: 'The depot is in Kiel.', at: day(-270), validFrom: day(-250), validUntil: day(100) },
  ]) {
    await memory.remember(note)
    clock.advance({ minutes: 1 })
  }
  await memory.dream()
  const { blocks, text, note } = await memory.recall({ query: 'Where is the depot?', reinforce: false })
  expect(blocks[0]?.content).toBe('The depot is in Kiel.')
  expect(text).not.toContain('contradict')
  expect(note ?? '').not.toContain('contradict')
})

test('what only reads like another is neither earlier nor later than it, whatever the question asks', async () => {
  const { ask } = await monthly('Hive 2 gave 18 kilos of honey.', 'Hive 6 gave 11 kilos of honey.')
  const { blocks } = await ask('How much honey did the hive give before?')
  const whys = blocks.flatMap(({ versions = [] }) => versions.map(({ why }) => why))
  expect(whys.filter((why) => why === 'earlier' || why === 'later')).toEqual([])
})
