import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { openOn, openStore } from '../helpers/scoped.ts'

/** A week in which something of each kind happened, and a quiet one after it. */
async function week() {
  const clock = createTestClock('2026-03-02T09:00:00Z')
  const opened = await openTestMemory({ clock, settings: { session: { gapCapMinutes: 15 } } })
  const { memory, learn } = opened
  const [office = '', tea = '', pool = '', kettle = ''] = await learn(
    'The office is in Berlin',
    'Tea is at four o’clock',
    'The pool is open until 12 March 2026',
    'The kettle in the kitchen is blue',
  )
  await memory.forget({ blockId: kettle })
  clock.advance({ hours: 24 * 7 })
  const { blockId: bonn } = await memory.remember({ content: 'We moved to Bonn', supersedes: office })
  await memory.dream()
  await memory.connect({ source: bonn, target: tea, relation: 'supports' })
  await memory.outcome({ helped: [tea] })
  await memory.forget({ blockId: tea })
  await memory.restore({ blockId: kettle })
  clock.advance({ hours: 24 * 7 })
  return { ...opened, office, tea, pool, kettle, bonn }
}

const WEEK = { from: '2026-03-09', to: '2026-03-16' }

test('diff tells what was learned, superseded, ended, forgotten, reported and restored in between', async () => {
  const { memory, office, tea, pool, kettle, bonn } = await week()
  const changed = await memory.diff(WEEK)
  const at = '2026-03-09T09:00:00.000Z'
  expect(changed).toMatchObject({
    from: '2026-03-09T00:00:00.000Z',
    to: '2026-03-16T00:00:00.000Z',
    learned: [{ id: bonn, at, preview: 'We moved to Bonn' }],
    superseded: [{ id: office, by: bonn, at }],
    ended: [{ id: pool, at: '2026-03-12T00:00:00.000Z' }],
    forgotten: [{ id: tea, at, reason: 'forgotten' }],
    reported: [{ id: tea, at }],
    restored: [{ id: kettle, at }],
    connected: [],
    others: [],
  })
  expect(changed.summary).toContain('1 learned, 1 superseded, 1 ended, 1 forgotten or faded')
  expect(changed).not.toHaveProperty('logSince')
})

test('a block is superseded when that is said, with the newer one or when the two are resolved', async () => {
  const clock = createTestClock('2026-03-02T09:00:00Z')
  const { memory, learn } = await openTestMemory({ clock, settings: { session: { gapCapMinutes: 15 } } })
  const [six = ''] = await learn('The gym opens at 6.')
  clock.advance({ hours: 24 })
  const [seven = ''] = await learn('The gym now opens at 7.')
  clock.advance({ hours: 24 })
  await memory.resolve({ a: six, b: seven, keep: 'b' })
  clock.advance({ hours: 24 })
  const superseded = async (from: string, to: string) => (await memory.diff({ from, to })).superseded
  expect(await superseded('2026-03-03', '2026-03-04')).toEqual([])
  const then = [{ id: six, by: seven, at: '2026-03-04T09:00:00.000Z', preview: 'The gym opens at 6.' }]
  expect(await superseded('2026-03-02', '2026-03-05')).toEqual(then)
  expect(await superseded('2026-03-04', '2026-03-05')).toEqual(then)
})

test('edits are listed, each block once by its last, without what was undone and what only ends with it', async () => {
  const { memory, office, bonn, clock } = await week()
  await memory.edit({ blockId: bonn, tags: ['move'] })
  clock.advance({ hours: 1 })
  await memory.edit({ blockId: bonn, validFrom: '2026-03-08' })
  await memory.edit({ blockId: bonn, validFrom: '2026-03-08' })
  await memory.edit({ blockId: office, tags: ['move'] })
  await memory.undo()
  const { edited, summary } = await memory.diff({ from: '2026-03-16' })
  expect(edited).toMatchObject([{ id: bonn, at: '2026-03-16T10:00:00.000Z' }])
  expect(summary).toContain('1 edited')
})

test('what is joined still is listed as connected', async () => {
  const { memory, tea, bonn } = await week()
  await memory.restore({ blockId: tea })
  expect((await memory.diff(WEEK)).connected).toEqual([
    { from: [bonn, tea].sort()[0], to: [bonn, tea].sort()[1], relation: 'supports', at: expect.any(String) },
  ])
})

test('a stretch begins with its first moment and does not hold its end', async () => {
  const { memory } = await week()
  const learned = async (from: string, to: string) => (await memory.diff({ from, to })).learned.length
  expect(await learned('2026-03-02T09:00:00Z', '2026-03-09')).toBe(4)
  expect(await learned('2026-03-02T09:00:01Z', '2026-03-09T09:00:00Z')).toBe(0)
  expect(await learned('2026-03-09T09:00:00Z', '2026-03-09T09:00:01Z')).toBe(1)
})

test('without an end it goes up to now, and of nothing it says so', async () => {
  const { memory, clock } = await week()
  expect((await memory.diff({ from: '2026-03-02' })).learned).toHaveLength(5)
  clock.advance({ hours: 1 })
  expect((await memory.diff({ from: '2026-03-16T09:30:00Z' })).summary).toContain('nothing changed')
})

test('what was undone did not happen, and the undo is told', async () => {
  const { memory, learn } = await openTestMemory()
  const [tea = ''] = await learn('Tea is at four')
  await memory.outcome({ helped: [tea] })
  await memory.undo()
  await memory.forget({ blockId: tea })
  await memory.undo()
  const { reported, forgotten, others } = await memory.diff({ from: '2026-03-01' })
  expect([reported, forgotten]).toEqual([[], []])
  expect(others.map(({ operation }) => operation)).toEqual(['undo', 'undo'])
})

test('what a dream found to be there already was not learned', async () => {
  const { memory, learn } = await openTestMemory()
  const [tea = ''] = await learn('Tea is at four')
  await memory.forget({ blockId: tea })
  await memory.remember({ content: 'Tea is at four.' })
  await memory.restore({ blockId: tea })
  const { rejected = 1 } = ((await memory.dream()) ?? {}) as { readonly rejected?: number }
  expect(rejected).toBeGreaterThan(0)
  expect((await memory.diff({ from: '2026-03-01' })).learned.map(({ id }) => id)).toEqual([tea])
})

test('longer lists are cut, and it is said which', async () => {
  const { memory } = await week()
  const { learned, cut, summary } = await memory.diff({ from: '2026-03-02', limit: 2 })
  expect([learned.length, cut]).toEqual([2, ['learned']])
  expect(summary).toContain('raise limit')
})

test('where the log was trimmed it is said from when on it tells', async () => {
  const { memory, clock } = await openTestMemory({ settings: { memory: { keepOperations: 100 } } })
  for (let i = 0; i < 130; i++) {
    clock.advance({ minutes: 1 })
    await memory.remember({ content: `Fact number ${i}` })
  }
  await memory.curate()
  const { logSince, learned, summary } = await memory.diff({ from: '2026-03-01', limit: 500 })
  expect(learned).toHaveLength(130)
  expect(logSince !== undefined && logSince > '2026-03-02T09:20:00.000Z').toBe(true)
  expect(summary).toContain('is known from')
})

test('a scope is told of itself alone', async () => {
  const store = await openStore()
  const [whole, atlas] = [await openOn(store), await openOn(store, { scope: 'atlas' })]
  await whole.remember({ content: 'The office is in Berlin' })
  const { blockId } = await atlas.remember({ content: 'The office is in Bonn' })
  expect((await atlas.diff({ from: '2026-03-01' })).learned.map(({ id }) => id)).toEqual([blockId])
  expect((await whole.diff({ from: '2026-03-01' })).learned).toHaveLength(2)
})

test('an end before the beginning is refused', async () => {
  const { memory } = await openTestMemory()
  const { code, recovery } = await refusal(memory.diff({ from: '2026-03-02', to: '2026-03-01' }))
  expect([code, recovery]).toEqual(['INVALID_INPUT', expect.stringContaining('earlier')])
})

test('diff tells of a newer block that somebody decided against, and not of one that a dream found to be there', async () => {
  const clock = createTestClock('2026-03-02T09:00:00Z')
  const { memory, learn } = await openTestMemory({ clock })
  const [four = '', five = ''] = await learn('The gate opens at four', 'The gate opens at five')
  clock.advance({ hours: 24 })
  await memory.resolve({ a: four, b: five, keep: 'a' })
  await learn('The gate opens at four')
  const { superseded, learned } = await memory.diff({ from: '2026-03-03', to: '2026-03-04' })
  expect(superseded).toMatchObject([{ id: five, by: four }])
  expect(learned).toEqual([])
})
