import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endsWithQuestion, foldAccents, identifiersOf } from './pack.ts'

/** The structured words of a text, by one slow expression. */
const STRUCTURED =
  /[\p{L}\p{N}_]+(?:[-./:\\][\p{L}\p{N}_]+)+|[\p{L}\p{N}]*_[\p{L}\p{N}_]+|[\p{L}\p{N}]*(?:\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2})[\p{L}\p{N}]*/gu

test('identifiersOf any text gives the words that the slow expression finds', () => {
  const signs = fc.string({ unit: fc.constantFrom(...'aBcD12_-./:\\, éЖ門'), maxLength: 100 })
  const words = fc.array(fc.constantFrom('openHTTPFile2', 'a_', '_b', 'x.y', '--', ' ', 'HTTPServer_'))
  fc.assert(
    fc.property(
      fc.oneof(
        signs,
        words.map((all) => all.join('')),
      ),
      (text) => {
        const expected = (text.match(STRUCTURED) ?? []).filter(({ length }) => length <= 80)
        const joined = expected.filter((word) => /[-./:\\_]/.test(word))
        const wholes = joined.map((word) => foldAccents(word.toLowerCase()).replace(/^v(?=\d+\.\d)/, ''))
        expect(identifiersOf(text).wholes.slice(0, joined.length)).toEqual(wholes)
        if (expected.length === 0) expect(identifiersOf(text).parts).toEqual([])
      },
    ),
    { numRuns: 3_000 },
  )
})

test.each([
  ['Who has the key?', true],
  ['Who has the key? [Mia, Tuesday]', true],
  ['鍵は誰？', true],
  ['The key is [where?]', false],
  ['Who? [a] [b]', false],
  ['Is it? It is.', false],
  ['Who has the key', false],
  ['', false],
])('endsWithQuestion of "%s" is %s', (text, expected) => {
  expect(endsWithQuestion(text)).toBe(expected)
})
