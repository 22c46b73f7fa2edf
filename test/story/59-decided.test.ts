import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

const NOW = '2026-03-01T09:00:00Z'

/** The owner names a gardener, an agent another one, and the owner agrees. */
async function agreed() {
  const clock = createTestClock(NOW)
  const opened = await openTestMemory({ clock, embedder: miniLm() })
  const { memory, path } = opened
  const ines = { content: 'The head gardener of Quinta Belmor is Inês Prado', at: '2025-01-01' }
  const { blockId: a } = await memory.remember({ ...ines, sourceClass: 'user' })
  await memory.dream()
  const { memory: agent } = await openTestMemory({ path, clock, embedder: opened.embedder, as: 'agent' })
  const paulo = { content: 'The head gardener of Quinta Belmor is Paulo Nunes', at: '2025-06-01' }
  const { blockId: b } = await agent.remember({ ...paulo, supersedes: a })
  await memory.dream()
  return { ...opened, a, b, agent }
}

test('what the owner gave up for the word of an agent is still what was before', async () => {
  const { memory, a, b } = await agreed()
  await memory.resolve({ a, b, keep: 'b' })
  const ask = async (query: string) => memory.recall({ query, reinforce: false })
  const now = await ask('Who is the head gardener of Quinta Belmor?')
  expect(now.blockIds).toEqual([b])
  expect(now.text).toContain('↳ before, until 2025-06-01: The head gardener of Quinta Belmor is Inês Prado')
  for (const question of [
    'Who was the head gardener before?',
    'Who was the head gardener in March 2025?',
    'Who was the head gardener originally?',
    'Who was the head gardener before Paulo Nunes?',
  ])
    expect((await ask(question)).blockIds).toEqual([a])
})

test('what an agent had said and the owner replaced is what was before, too', async () => {
  const { memory, clock } = await openTestMemory({
    embedder: miniLm(),
    settings: { session: { gapCapMinutes: 15 } },
  })
  const old = { content: 'The night porter of the Lisgar is Ugo', sourceClass: 'tool' } as const
  const { blockId: a } = await memory.remember(old)
  await memory.dream()
  clock.advance({ hours: 24 * 30 })
  const newer = { content: 'The night porter of the Lisgar is Vera', supersedes: a } as const
  const { blockId: b } = await memory.remember({ ...newer, sourceClass: 'user' })
  await memory.dream()
  const before = async () => (await memory.recall({ query: 'Who was the night porter before?' })).blockIds
  expect(await before()).toEqual([a])
  await memory.resolve({ a, b, keep: 'b' })
  expect(await before()).toEqual([a])
})

/** A fee that goes up next year, and with `isLong` one that had ended before it. */
async function announced({ isLong = false } = {}) {
  const opened = await openTestMemory({
    clock: createTestClock(NOW),
    embedder: miniLm(),
    settings: { session: { gapCapMinutes: 15 } },
  })
  const { memory } = opened
  const said = { content: 'The harbour fee is 300 euros', at: '2025-01-01' }
  const { blockId: now } = await memory.remember(said)
  const next = { content: 'The harbour fee is 350 euros', supersedes: now, validFrom: '2027-02-01' }
  const { blockId: future } = await memory.remember(next)
  await memory.dream()
  const old = { content: 'The harbour fee is 250 euros', at: '2024-01-01', validUntil: '2025-01-01' }
  const former = isLong ? (await memory.remember(old)).blockId : ''
  await memory.dream()
  const ask = async (query: string) => (await memory.recall({ query, reinforce: false })).blocks
  const order = async (query: string) =>
    (await ask(query)).map(({ id, versions = [] }) => [
      [former, now, future].indexOf(id),
      ...versions.map((each) => [former, now, future].indexOf(each.id)),
    ])
  return { ...opened, now, future, former, order }
}

const PAST = [
  'What was the harbour fee before?',
  'What was the harbour fee originally?',
  'What was the harbour fee previously?',
  'What did the harbour fee use to be?',
  'What used to be the harbour fee?',
  'What was the harbour fee in March 2025?',
]

test('what has not begun is no answer to a question about the past', async () => {
  const { order } = await announced()
  for (const question of [...PAST, 'What is the harbour fee?'])
    expect([question, (await order(question))[0]]).toEqual([question, [1]])
})

test('what has ended stands under what holds, not under what has not begun', async () => {
  const { order } = await announced({ isLong: true })
  expect(await order('What is the harbour fee?')).toEqual([[1, 0], [2]])
  for (const question of PAST.slice(0, 3))
    expect([question, (await order(question))[0]]).toEqual([question, [0, 1]])
})

test.each([
  [
    'Stage B of Halfmoon Studio has 12 cameras',
    'Stage B of Halfmoon Studio has 20 cameras',
    'How many cameras did stage B have',
  ],
  ['The tasting fee is 12 euros', 'The tasting fee is 15 euros', 'What was the tasting fee'],
  [
    'The pilot boat leaves from pier 3',
    'The pilot boat leaves from pier 8',
    'Where did the pilot boat leave from',
  ],
  [
    'The Kestrel demo ships on 4 May 2026',
    'The Kestrel demo ships on 18 August 2026',
    'What was the ship date of the Kestrel demo',
  ],
  [
    'The night pharmacist of Saint Brannoc hospital is Ilse Varga',
    'The night pharmacist of Saint Brannoc hospital is Tomas Reyl',
    'Who was the night pharmacist',
  ],
  [
    'Container storage costs 40 euros a day at Lisgar',
    'Container storage costs 55 euros a day at Lisgar',
    'What did container storage cost at Lisgar',
  ],
])(
  'of two that nobody decided about the one said by the day that is asked about comes first: %s',
  async (older, newer, question) => {
    const { memory } = await openTestMemory({
      clock: createTestClock(NOW),
      embedder: miniLm(),
      settings: { session: { gapCapMinutes: 15 } },
    })
    const { blockId: a } = await memory.remember({ content: older, at: '2025-01-10' })
    await memory.dream()
    const { blockId: b } = await memory.remember({ content: newer, at: '2025-09-10' })
    const first = async (query: string) => (await memory.recall({ query, reinforce: false })).blocks[0]
    await memory.dream()
    const then = await first(`${question} in March 2025?`)
    expect([then?.id, then?.versions?.[0]?.id ?? b]).toEqual([a, b])
    expect((await first(`${question} in October 2025?`))?.id).toBe(b)
  },
)

test('what was said later and tells of the time itself stays the answer', async () => {
  const { memory } = await openTestMemory({
    clock: createTestClock(NOW),
    embedder: miniLm(),
    settings: { session: { gapCapMinutes: 15 } },
  })
  const { blockId: a } = await memory.remember({ content: 'Stage B has 12 cameras', at: '2025-01-10' })
  await memory.dream()
  const told = { content: 'Stage B has 20 cameras in March 2025', at: '2025-09-10' }
  const { blockId: b } = await memory.remember(told)
  await memory.dream()
  await memory.connect({ source: b, target: a, relation: 'contradicts' })
  const query = 'How many cameras does stage B have in March 2025?'
  expect((await memory.recall({ query, reinforce: false })).blockIds[0]).toBe(b)
})
