import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passagesOf } from './text.ts'

const words = (text: string) => text.split(/\s+/).filter(Boolean)
const sentence = fc.integer({ min: 1, max: 40 }).map((count) => `${'Word '.repeat(count).trim()}.`)
const longText = fc.array(sentence, { minLength: 8, maxLength: 60 }).map((all) => all.join(' '))

test('passagesOf a long text has every word once, in order', () => {
  fc.assert(
    fc.property(longText, (text) => {
      const parts = passagesOf(text).map(({ from, to }) => text.slice(from, to))
      expect(parts.flatMap(words)).toEqual(words(text))
    }),
  )
})

test('passagesOf a long line has at most 57 words in each passage of whole sentences', () => {
  fc.assert(
    fc.property(longText, (text) => {
      fc.pre(words(text).length > 120)
      for (const { from, to } of passagesOf(text)) {
        expect(words(text.slice(from, to)).length).toBeLessThanOrEqual(57)
        expect(text.slice(from, to)).toMatch(/\.$/)
      }
    }),
  )
})

test('passagesOf cuts a line of 250 words without a sentence end after 100 words', () => {
  const text = 'word '.repeat(250).trim()
  const counts = passagesOf(text).map(({ from, to }) => words(text.slice(from, to)).length)
  expect(counts).toEqual([100, 100, 50])
})

test('passagesOf splits a run of 10,000 characters without spaces', () => {
  const parts = passagesOf('x'.repeat(10_000))
  expect(parts.length).toBeGreaterThan(3)
  expect(parts.at(-1)?.to).toBe(10_000)
})
