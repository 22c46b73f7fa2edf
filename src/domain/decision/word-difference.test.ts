import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordDifference } from './word-difference.ts'

const others = (one: string, other: string) =>
  wordDifference(one, other).map((parts) =>
    parts.flatMap(({ text, isOther }) => (isOther ? [text.trim()] : [])),
  )

test('wordDifference marks the words that differ, on both sides', () => {
  expect(others('The ferry leaves at ten on weekdays.', 'The ferry leaves at eleven on weekdays.')).toEqual([
    ['ten'],
    ['eleven'],
  ])
  expect(others('Tea is at four', 'Tea is always at four')).toEqual([[], ['always']])
  expect(others('the same', 'the  same')).toEqual([[], []])
})

test('wordDifference gives parts that join to both texts', () => {
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

test('wordDifference compares 30,000 words', () => {
  const long = (word: string) => Array.from({ length: 30_000 }, (_, at) => `${word}${at}`).join(' ')
  const [left] = wordDifference(`same ${long('a')} end`, `same ${long('b')} end`)
  expect(left.map(({ isOther }) => isOther)).toEqual([false, true, false])
})
