import { expect, test } from 'vitest'
import { endsWithQuestion } from './words.ts'

test.each([
  ['Who has the key?', true],
  ['Who has the key? [Mia, Tuesday]', true],
  ['鍵は誰？', true],
  ['The key is [where?]', false],
  ['Who? [a] [b]', false],
  ['Is it? It is.', false],
  ['Who has the key', false],
  ['', false],
])('%s ends with a question: %s', (text, expected) => {
  expect(endsWithQuestion(text)).toBe(expected)
})
