import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordDifference } from './word-difference.ts'

const others = (one: string, other: string) =>
  wordDifference(one, other).map((parts) =>
    parts.flatMap(({ text, isOther }) => (isOther ? [text.trim()] : [])),
  )

test('only the words that differ are marked, on both sides', () => {
  expect(others('The ferry leaves at ten on weekdays.', 'The ferry leaves at eleven on weekdays.')).toEqual([
    ['ten'],
    ['eleven'],
  ])
  expect(others('Tea is at four', 'Tea is always at four')).toEqual([[], ['always']])
  expect(others('the same', 'the  same')).toEqual([[], []])
})

test('the parts of a text are the whole text, however the other reads', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ' ', '\n', 'ä'), { maxLength: 30 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [left, right] = wordDifference(one, other)
      expect([left, right].map((parts) => parts.map((part) => part.text).join(''))).toEqual([one, other])
    }),
  )
})

test('texts of tens of thousands of words are compared at once', () => {
  const long = (word: string) => Array.from({ length: 30_000 }, (_, at) => `${word}${at}`).join(' ')
  const [left] = wordDifference(`same ${long('a')} end`, `same ${long('b')} end`)
  expect(left.map(({ isOther }) => isOther)).toEqual([false, true, false])
})
