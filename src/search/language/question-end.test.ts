import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endsWithQuestion } from './words.ts'

/** What must hold, as a regular expression says it that takes quadratic time. */
const NAIVE = /[?？؟]\s*(\[[^\]]*\]\s*)?$/

test.each([
  ['Who has the key?', true],
  ['Who has the key? [Mia, Tuesday]', true],
  ['鍵は誰？', true],
  ['The key is [where?]', false],
  ['Who? [a] [b]', false],
  ['Who has the key', false],
  ['', false],
])('%s ends with a question: %s', (text, expected) => {
  expect(endsWithQuestion(text)).toBe(expected)
})

test('a question is told at the end of any text as the rule says', () => {
  const text = fc.string({ unit: fc.constantFrom(...'?？[] a\n\u3000') })
  fc.assert(
    fc.property(text, (given) => {
      expect(endsWithQuestion(given)).toBe(NAIVE.test(given))
    }),
    { numRuns: 2_000 },
  )
})
