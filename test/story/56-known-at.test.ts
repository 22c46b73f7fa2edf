import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'

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

test('recall, ls, show and graph answer as the memory knew it: blocks, words, status, dates, beliefs, edges', async () => {
  const { memory, office, rule, tea } = await corrected()
  const monday = await memory.recall({ query: 'where is the office', knownAt: MONDAY })
  expect(monday.blocks[0]).toMatchObject({ id: office, content: 'The office is in Berlin' })
  expect(monday.blockIds).not.toContain(tea)
  expect(monday).toMatchObject({ knownAt: '2026-03-02T12:00:00.000Z' })
  expect(monday).not.toHaveProperty('knownSince')
  expect(monday.note).toContain(
    'what was known on 2026-03-02 12:00; freshness, uses and what use joined are as now',
  )
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

test('what was known is found by the vector of the words of then', async () => {
  const { memory, office } = await corrected()
  const cosine = async (knownAt: string) => {
    const { blocks } = await memory.recall({ query: 'Berlin', knownAt, explain: true })
    return blocks.find(({ id }) => id === office)?.explanation?.match?.cosine ?? 0
  }
  expect(await cosine(MONDAY)).toBeGreaterThan((await cosine(TUESDAY)) + 0.1)
})

test('both times together: what was held on a day to be true on another', async () => {
  const { memory, office } = await corrected()
  const found = async (knownAt: string) =>
    (await memory.recall({ query: 'where is the office', asOf: '2026-07-01', knownAt })).blockIds.includes(
      office,
    )
  expect([await found(MONDAY), await found(TUESDAY)]).toEqual([true, false])
})

test('what nobody knew yet is refused by its reason', async () => {
  const { memory, tea } = await corrected()
  const { code, message } = await refusal(memory.show({ blockId: tea, knownAt: MONDAY }))
  expect([code, message]).toEqual(['NOT_FOUND', expect.stringContaining('not known on 2026-03-02 12:00')])
})

test('a block whose remembering was undone is known as long as it was there', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Tea is at four' })
  const then = new Date(clock.now()).toISOString()
  clock.advance({ hours: 1 })
  await memory.undo()
  expect((await memory.show({ blockId, knownAt: then })).block.content).toBe('Tea is at four')
  expect((await refusal(memory.show({ blockId }))).code).toBe('NOT_FOUND')
})

test('where the log does not reach, which blocks there were is known by their dates, and the answer says so', async () => {
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
  const { blocks, knownSince, summary } = await memory.ls({ knownAt: monday })
  expect(blocks.map(({ id }) => id).sort()).toEqual([office, tea].sort())
  expect(knownSince !== undefined && knownSince > monday).toBe(true)
  expect(summary).toContain('Words and beliefs are known back to')
})

test('recalls push out no entry by which the past is known', async () => {
  const settings = { session: { gapCapMinutes: 15 }, memory: { keepOperations: 5 } }
  const { memory, clock, learn } = await openTestMemory({ settings })
  const [office = ''] = await learn('The office is in Berlin')
  const monday = new Date(clock.now()).toISOString()
  clock.advance({ hours: 1 })
  await memory.edit({ blockId: office, content: 'The office is in Bonn' })
  for (let n = 0; n < 20; n++) await memory.recall({ query: 'where is the office' })
  await memory.curate()
  const { block, knownSince } = await memory.show({ blockId: office, knownAt: monday })
  expect([block.content, knownSince]).toEqual(['The office is in Berlin', undefined])
})

test('what was erased is not known at any time', async () => {
  const { memory, office } = await corrected()
  await memory.erase({ blockIds: [office], yes: true })
  for (const knownAt of [MONDAY, TUESDAY]) {
    expect(JSON.stringify(await memory.recall({ query: 'where is the office', knownAt }))).not.toMatch(
      /Berlin|Bonn/,
    )
    expect((await refusal(memory.show({ blockId: office, knownAt }))).code).toBe('NOT_FOUND')
  }
})

test('what an import brought is known from the import on', async () => {
  const { memory, path } = await openTestMemory()
  await memory.remember({ content: 'Tea is at four' })
  await memory.export({ path: `${path}.jsonl` })
  const clock = createTestClock('2026-05-01T09:00:00Z')
  const { memory: other } = await openTestMemory({ clock })
  await other.remember({ content: 'Roses need sun' })
  await other.import({ path: `${path}.jsonl`, trusted: true })
  const { knownSince } = await other.ls({ knownAt: '2026-04-01' })
  expect(knownSince?.slice(0, 10)).toBe('2026-05-01')
})

test('what will be known at a time ahead is refused, what will be true then is answered', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The pool is open', validUntil: '2099-01-01' })
  const { code, recovery } = await refusal(memory.recall({ query: 'pool', knownAt: '2098-01-01' }))
  expect([code, recovery]).toEqual(['INVALID_INPUT', expect.stringContaining('Leave knownAt out')])
  expect((await memory.recall({ query: 'is the pool open', asOf: '2098-01-01' })).blocks).toHaveLength(1)
})
