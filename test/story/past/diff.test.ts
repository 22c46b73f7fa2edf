import { expect, test } from 'vitest'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory } from '../../helpers/memory.ts'

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

test('diff lists what was learned, superseded, ended, forgotten, reported and restored in between', async () => {
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
  expect(changed).not.toHaveProperty('logSince')
})

test('diff lists each edited block once, without undone edits', async () => {
  const { memory, office, bonn, clock } = await week()
  await memory.edit({ blockId: bonn, tags: ['move'] })
  clock.advance({ hours: 1 })
  await memory.edit({ blockId: bonn, validFrom: '2026-03-08' })
  await memory.edit({ blockId: bonn, validFrom: '2026-03-08' })
  await memory.edit({ blockId: office, tags: ['move'] })
  await memory.undo()
  const { edited } = await memory.diff({ from: '2026-03-16' })
  expect(edited).toMatchObject([{ id: bonn, at: '2026-03-16T10:00:00.000Z' }])
})

test('diff lists no undone operation, and lists the undo', async () => {
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

test('diff cuts lists at its limit and names them', async () => {
  const { memory } = await week()
  const { learned, cut } = await memory.diff({ from: '2026-03-02', limit: 2 })
  expect([learned.length, cut]).toEqual([2, ['learned']])
})

test('diff says since when the log tells', async () => {
  const { memory, clock } = await openTestMemory({ settings: { memory: { keepOperations: 100 } } })
  for (let i = 0; i < 130; i++) {
    clock.advance({ minutes: 1 })
    await memory.remember({ content: `Fact number ${i}` })
  }
  await memory.curate()
  const { logSince, learned } = await memory.diff({ from: '2026-03-01', limit: 500 })
  expect(learned).toHaveLength(130)
  expect(logSince !== undefined && logSince > '2026-03-02T09:20:00.000Z').toBe(true)
})
