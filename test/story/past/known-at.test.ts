import { expect, test } from 'vitest'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

const NOTHING_FADES = { session: { gapCapMinutes: 15 } }

/** On Monday the office is said to be in Berlin; on Tuesday that is corrected, joined and reported on; on Wednesday it is forgotten. */
async function corrected() {
  const clock = createTestClock('2026-03-02T09:00:00Z')
  const opened = await openTestMemory({ clock, settings: NOTHING_FADES })
  const { memory, learn } = opened
  const [office = '', rule = ''] = await learn('The office is in Berlin', 'Guests ring the bell at the gate')
  clock.advance({ hours: 24 })
  await memory.edit({ blockId: office, content: 'The office is in Bonn', validUntil: '2026-06-01' })
  await memory.connect({ source: office, target: rule, relation: 'supports' })
  const { recallId } = await memory.recall({ query: 'where is the office' })
  await memory.outcome({ helped: [office], ...(recallId && { recallId }) })
  const { blockId: tea } = await memory.remember({ content: 'Tea is at four in the afternoon' })
  clock.advance({ hours: 24 })
  await memory.forget({ blockId: office })
  return { ...opened, office, rule, tea }
}

const [MONDAY, TUESDAY] = ['2026-03-02T12:00:00Z', '2026-03-03T12:00:00Z']

test('recall, ls, show and graph with knownAt answer as the memory knew it', async () => {
  const { memory, office, rule, tea } = await corrected()
  const monday = await memory.recall({ query: 'where is the office', knownAt: MONDAY })
  expect(monday.blocks[0]).toMatchObject({ id: office, content: 'The office is in Berlin' })
  expect(monday.blockIds).not.toContain(tea)
  expect(monday).toMatchObject({ knownAt: '2026-03-02T12:00:00.000Z' })
  expect(monday).not.toHaveProperty('knownSince')
  const before = await memory.show({ blockId: office, knownAt: MONDAY })
  expect(before).toMatchObject({ block: { status: 'active', confidence: 0.5 }, outcomes: [] })
  expect(before.edges.map(({ relation }) => relation)).toEqual(['similar'])
  expect(before.block).not.toHaveProperty('validUntil')
  expect(before.history.map(({ operation }) => operation)).not.toContain('edit')

  const after = await memory.show({ blockId: office, knownAt: TUESDAY })
  expect(after.block).toMatchObject({ status: 'active', content: 'The office is in Bonn', untilBy: 'given' })
  expect(after.block.confidence).toBeGreaterThan(0.5)
  expect(after.belief).toBeGreaterThan(0.5)
  expect(after.edges).toMatchObject([{ other: rule, relation: 'supports' }])
  expect(after.outcomes).toHaveLength(1)
  expect((await memory.graph({ knownAt: TUESDAY })).edges).toMatchObject([{ relation: 'supports' }])
  expect((await memory.graph({ knownAt: MONDAY })).edges).toMatchObject([{ relation: 'similar' }])
  const listed = async (knownAt: string) => (await memory.ls({ knownAt })).blocks.map(({ id }) => id).sort()
  expect(await listed(MONDAY)).toEqual([office, rule].sort())
  expect((await memory.ls({ status: 'inbox', knownAt: TUESDAY })).blocks.map(({ id }) => id)).toEqual([tea])
})

test('recall with asOf and knownAt answers what was held true', async () => {
  const { memory, office } = await corrected()
  const found = async (knownAt: string) =>
    (await memory.recall({ query: 'where is the office', asOf: '2026-07-01', knownAt })).blockIds.includes(
      office,
    )
  expect([await found(MONDAY), await found(TUESDAY)]).toEqual([true, false])
})

test('show with knownAt finds a block whose remember was undone since', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Tea is at four' })
  const then = new Date(clock.now()).toISOString()
  clock.advance({ hours: 1 })
  await memory.undo()
  expect((await memory.show({ blockId, knownAt: then })).block.content).toBe('Tea is at four')
  expect((await refusal(memory.show({ blockId }))).code).toBe('NOT_FOUND')
})

test('ls with knownAt before the log begins goes by dates and says since when it knows', async () => {
  const settings = { session: { gapCapMinutes: 15 }, memory: { keepOperations: 3 } }
  const { memory, clock, learn } = await openTestMemory({ settings })
  const [office = '', tea = ''] = await learn('The office is in Berlin', 'Tea is at four')
  const monday = new Date(clock.now()).toISOString()
  clock.advance({ hours: 24 })
  await memory.edit({ blockId: office, content: 'The office is in Bonn' })
  await memory.forget({ blockId: tea })
  await memory.remember({ content: 'Roses need sun' })
  clock.advance({ hours: 24 })
  for (const n of [1, 2, 3]) await memory.remember({ content: `Fact number ${n}` })
  await memory.curate()
  const { blocks, knownSince } = await memory.ls({ knownAt: monday })
  // Without the log, blocks that left since are not brought back.
  expect(blocks.map(({ id }) => id)).toEqual([office])
  expect(knownSince !== undefined && knownSince > monday).toBe(true)
})

test('recall refuses a knownAt ahead and takes an asOf ahead', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The pool is open', validUntil: '2099-01-01' })
  const ahead = memory.recall({ query: 'pool', knownAt: '2098-01-01' })
  expect((await refusal(ahead)).code).toBe('INVALID_INPUT')
  expect((await memory.recall({ query: 'is the pool open', asOf: '2098-01-01' })).blocks).toHaveLength(1)
})
