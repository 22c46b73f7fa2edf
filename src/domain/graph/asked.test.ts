import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { markOfQuestion } from './asked.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const markOf = (question: string, minutes = 0, sameMinutes = 10) =>
  markOfQuestion(question, { hours: minutes / 60, sameMinutes }, sha256)

/** True if the later question is the earlier one, asked again too soon. */
const isSame = (earlier: string, later: string, minutes: number, sameMinutes?: number) =>
  markOf(later, 100 + minutes, sameMinutes).sameAs.includes(markOf(earlier, 100, sameMinutes).mark)

test('markOfQuestion takes a question as the same for ten minutes', () => {
  expect([0, 1, 9, 10, 60].map((minutes) => isSame('when is tea', 'when is tea', minutes))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

test('markOfQuestion ignores case, signs and spaces beside words', () => {
  expect(isSame('when is tea', '  When is —  TEA?!', 0)).toBe(true)
  expect(isSame('when is tea', 'where is tea', 0)).toBe(false)
  expect(isSame('wann ist Café', 'wann ist cafe', 0)).toBe(false)
  expect(isSame('wann ist Cafe\u0301', 'wann ist café', 0)).toBe(true)
  expect(isSame('+', '-', 0)).toBe(false)
})

test('markOfQuestion with sameMinutes 0 counts each time', () => {
  expect(isSame('when is tea', 'when is tea', 0, 0)).toBe(false)
})

test('markOfQuestion gives a long question a short mark without its words', () => {
  const { mark } = markOf('swordfish '.repeat(1_000), 60 * 1_000_000)
  expect(mark).toMatch(/^[0-9a-f]{8}@60000000$/)
})
