import { expect, test } from 'vitest'
import { datesIn } from '../../../dashboard/format.ts'
import { changedThings } from '../../../dashboard/screens/journal/change-words.ts'
import { beginning, byDay, dayAfter, mondayOf } from '../../../dashboard/screens/journal/days.ts'
import { verdictMark, verdictOf, verdictWords } from '../../../dashboard/screens/journal/verdict.ts'

test('entries stand under the day of the reader’s zone', () => {
  const entries = [
    { at: '2026-11-21T10:00:00Z' },
    { at: '2026-11-20T23:30:00Z' },
    { at: '2026-11-20T01:00:00Z' },
  ]
  const days = (zone: string) =>
    byDay(entries, datesIn(zone)).map(({ key, entries: all }) => [key, all.length])
  expect(days('UTC')).toEqual([
    ['2026-11-21', 1],
    ['2026-11-20', 2],
  ])
  expect(days('Europe/Berlin')).toEqual([
    ['2026-11-21', 2],
    ['2026-11-20', 1],
  ])
})

test('days are counted over the ends of months and years, and weeks begin on Monday', () => {
  expect(dayAfter('2026-12-31', 1)).toBe('2027-01-01')
  expect(dayAfter('2026-03-01', -1)).toBe('2026-02-28')
  expect(['2026-11-23', '2026-11-26', '2026-11-29'].map(mondayOf)).toEqual(new Array(3).fill('2026-11-23'))
})

test('what is no day has no beginning', () => {
  expect(beginning(undefined)).toBeUndefined()
  expect(beginning('soon')).toBeUndefined()
  expect(new Date(beginning('2026-11-21') ?? '').getHours()).toBe(0)
})

test('what changed of one thing stands together, in words and numbers of people', () => {
  const things = changedThings([
    { block: 'b1', words: ['Port 4211.'], field: 'words', before: 'Port 4210.', after: 'Port 4211.' },
    { edge: ['b1', 'b2'], words: ['Port 4211.', ''], field: 'joined by', after: 'co_occurs' },
    { block: 'b1', words: ['Port 4211.'], field: 'belief', before: 0.5, after: 2 / 3 },
    { block: 'b1', words: ['Port 4211.'], field: 'tags', before: ['a'], after: ['a', 'b'] },
    { block: 'b2', words: [''], field: 'status', before: 'inbox', after: 'active' },
    { pair: ['b1', 'b2'], field: 'to be decided', before: 'near_duplicate' },
    { item: { space: 's', namespace: ['n'], key: 'k' }, field: 'value', after: { deep: 1 } },
  ])
  expect(
    things.map(({ kind, ids, values }) => [kind, ids, values.map(({ before, after }) => [before, after])]),
  ).toEqual([
    [
      'block',
      ['b1'],
      [
        ['Port 4210.', 'Port 4211.'],
        ['50 %', '67 %'],
        ['a', 'a, b'],
      ],
    ],
    ['edge', ['b1', 'b2'], [[undefined, 'comes up with']]],
    ['block', ['b2'], [['waiting', 'active']]],
    ['pair', ['b1', 'b2'], [['near duplicate', undefined]]],
    ['item', ['s/n/k'], [[undefined, '{"deep":1}']]],
  ])
  expect(things[0]?.values.map(({ areWords }) => areWords)).toEqual([true, false, false])
})

test('a report is told by what it says of each block, and marked by more than a colour', () => {
  const helped = [
    { block: 'b1', field: 'evidence for', before: 1, after: 2 },
    { block: 'b1', field: 'belief', before: 0.5, after: 0.6 },
  ]
  const misled = [{ block: 'b2', field: 'evidence against', before: 0, after: 1 }]
  const beside = [{ block: 'b3', field: 'belief', before: 0.5, after: 0.5 }]
  const waiting = [{ block: 'b4', field: 'a report that waits', after: 0 }]
  const told = (...changes: Parameters<typeof verdictOf>[0][]) => {
    const verdict = verdictOf(changes.flat())
    return [verdictWords(verdict), ...verdictMark(verdict)]
  }
  expect(told(helped)).toEqual(['1 block helped', 'up', 'good'])
  expect(told(misled)).toEqual(['1 block misled', 'down', 'bad'])
  expect(told(misled, waiting)).toEqual(['2 blocks misled', 'down', 'bad'])
  expect(told(helped, misled)).toEqual(['1 block helped, 1 misled', 'alert', 'warn'])
  expect(told(beside)).toEqual(['1 block was beside the point', 'check'])
  expect(told([{ block: 'b1', field: 'tags', after: ['a'] }])).toEqual(['', 'check'])
})
