import { expect, test } from 'vitest'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

/** The office moved in May; nobody asks for the old tea any more; the pool closes in February. Now it is July. */
async function moved() {
  // Months of rest let nothing fade.
  const settings = { session: { gapCapMinutes: 15 } }
  const opened = await openTestMemory({ clock: createTestClock('2026-01-10T09:00:00Z'), settings })
  const { memory, learn, clock } = opened
  const [berlin = '', tea = '', rule = ''] = await learn(
    'The office is in Berlin',
    'Tea is at four in the office',
    'Guests ring the bell at the gate',
  )
  await memory.connect({ source: berlin, target: rule, relation: 'supports', note: 'same house rules' })
  clock.advance({ hours: 24 * 30 })
  const { blockId: bonn } = await memory.remember({
    content: 'From now on the office is in Bonn',
    supersedes: berlin,
    validFrom: '2026-05-01',
  })
  await memory.dream()
  await memory.forget({ blockId: tea })
  clock.advance({ hours: 24 * 150 })
  await memory.resolve({ a: berlin, b: bonn, keep: 'b' })
  return { ...opened, berlin, tea, rule, bonn }
}

const QUERY = 'where is the office, and where do guests ring the bell'

test('recall, ls, show and graph with asOf find what was true then', async () => {
  const { memory, berlin, tea, rule, bonn } = await moved()
  const asOf = '2026-03-01'
  const { blockIds, text, asOf: at } = await memory.recall({ query: QUERY, asOf, topK: 5 })
  expect(new Set(blockIds)).toEqual(new Set([berlin, rule]))
  expect(text).not.toContain('until')
  expect(at).toBe('2026-03-01T00:00:00.000Z')
  const listed = await memory.ls({ asOf })
  expect(new Set(listed.blocks.map(({ id }) => id))).toEqual(new Set([berlin, rule]))
  const shown = await memory.show({ blockId: berlin, asOf })
  expect(shown.block).toMatchObject({ status: 'active', validUntil: '2026-05-01T00:00:00.000Z' })
  expect(shown.edges).toMatchObject([{ other: rule, relation: 'supports' }])
  expect(shown.history.map(({ operation }) => operation)).toContain('resolve')
  expect((await memory.graph({ asOf })).edges).toMatchObject([{ relation: 'supports' }])
  expect((await memory.graph({ blockId: berlin, asOf })).nodes).toHaveLength(2)
  for (const gone of [tea, bonn]) {
    expect((await refusal(memory.show({ blockId: gone, asOf }))).code).toBe('NOT_FOUND')
  }
})

test('graph with asOf shows an edge only between its dates', async () => {
  const { memory, learn } = await openTestMemory()
  const [source = '', target = ''] = await learn('The kettle is blue', 'Roses need sun')
  const dates = { validFrom: '2026-04-01', validUntil: '2026-05-01' }
  await memory.connect({ source, target, relation: 'supports', ...dates })
  const edges = async (asOf: string) => (await memory.graph({ asOf })).edges.length
  expect(await edges('2026-03-31')).toBe(0)
  expect(await edges('2026-04-01')).toBe(1)
  expect(await edges('2026-05-01')).toBe(0)
})

test('recall with asOf counts a fact from when it was said', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'The office is in Berlin', at: '2025-01-01' })
  const found = async (asOf: string) => (await memory.recall({ query: 'the office', asOf })).blockIds
  expect(await found('2024-12-31')).toEqual([])
  expect(await found('2025-01-01')).toEqual([blockId])
})
