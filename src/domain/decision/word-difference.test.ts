import { expect, test } from 'vitest'
import { wordDifference } from './word-difference.ts'

test('wordDifference compares 30,000 words', () => {
  const long = (word: string) => Array.from({ length: 30_000 }, (_, at) => `${word}${at}`).join(' ')
  const [left] = wordDifference(`same ${long('a')} end`, `same ${long('b')} end`)
  expect(left.map(({ isOther }) => isOther)).toEqual([false, true, false])
})
