import { expect, test } from 'vitest'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { openOn, openStore } from '../../helpers/scoped.ts'

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

test('recall without asOf and as of today finds what is true now', async () => {
  const { memory, bonn, rule } = await moved()
  for (const asOf of [undefined, '2026-07-01']) {
    const { blockIds } = await memory.recall({
      query: QUERY,
      topK: 5,
      reinforce: false,
      ...(asOf && { asOf }),
    })
    expect(new Set(blockIds)).toEqual(new Set([bonn, rule]))
    expect((await memory.graph({ ...(asOf && { asOf }) })).edges).toEqual([])
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

test('recall with asOf in a scope finds that scope alone', async () => {
  const store = await openStore()
  const [whole, atlas] = [await openOn(store), await openOn(store, { scope: 'atlas' })]
  await whole.remember({ content: 'The office is in Berlin', at: '2025-01-01' })
  const { blockId } = await atlas.remember({ content: 'The office is in Bonn', at: '2025-01-01' })
  expect((await atlas.recall({ query: 'the office', asOf: '2025-06-01' })).blockIds).toEqual([blockId])
  expect((await atlas.ls({ status: 'inbox', asOf: '2025-06-01' })).blocks).toHaveLength(1)
  expect((await whole.ls({ status: 'inbox', asOf: '2025-06-01' })).blocks).toHaveLength(2)
  const scoped = await whole.ls({ status: 'inbox', asOf: '2025-06-01', scope: 'atlas' })
  expect(scoped.blocks.map(({ id }) => id)).toEqual([blockId])
})
