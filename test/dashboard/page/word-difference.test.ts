import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordDifference } from '../../../dashboard/parts/word-difference.ts'

const others = (one: string, other: string) =>
  wordDifference(one, other).map((parts) => parts.flatMap(({ text, isOther }) => (isOther ? [text] : [])))

test('only the words that differ are marked, on both sides, and no white space around them', () => {
  expect(others('It leaves at ten on weekdays.', 'It leaves at eleven on weekdays.')).toEqual([
    ['ten'],
    ['eleven'],
  ])
  expect(others('Tea is at four', 'Tea is always served at four')).toEqual([[], ['always served']])
  expect(others('It is closed until further notice.', 'It is closed until further notice now.')).toEqual([
    [],
    ['now'],
  ])
  expect(others('It opens at 09:00.', 'It opens at 09:30.')).toEqual([['09:00'], ['09:30']])
  expect(others('the same', 'the  same')).toEqual([[], []])
  expect(others('', 'all of it')).toEqual([[], ['all of it']])
})

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'aa', ' ', '\n', 'ä'), { maxLength: 40 })
  .map((all) => all.join(''))

test('the parts of a text are the whole text, however the other reads', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [left, right] = wordDifference(one, other)
      expect([left, right].map((parts) => parts.map((part) => part.text).join(''))).toEqual([one, other])
    }),
  )
})

test('without what is marked, both texts have the same words in the same order', () => {
  const same = (parts: readonly { readonly text: string; readonly isOther: boolean }[]) =>
    parts.flatMap(({ text, isOther }) => (isOther ? [] : (text.match(/\S+/g) ?? [])))
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [left, right] = wordDifference(one, other).map(same)
      expect(left?.join('')).toEqual(right?.join(''))
    }),
  )
})

test('texts of tens of thousands of words are compared at once', () => {
  const long = (word: string) => Array.from({ length: 30_000 }, (_, at) => `${word}${at}`).join(' ')
  const [left] = wordDifference(`same ${long('a')} end`, `same ${long('b')} end`)
  expect(left.map(({ isOther }) => isOther)).toEqual([false, true, false])
})
