import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWhitespace, splitWhitespace, trimWhitespace } from './text.ts'

test('isWhitespace is that of JavaScript, with the separators and without the byte order mark', () => {
  const differs: number[] = []
  for (let unit = 0; unit <= 0xffff; unit++) {
    const sign = String.fromCharCode(unit)
    if (isWhitespace(sign) !== /\s/.test(sign)) differs.push(unit)
  }
  expect(differs).toEqual([0x1c, 0x1d, 0x1e, 0x1f, 0x85, 0xfeff])
})

test('splitWhitespace gives the words that were joined', () => {
  const word = fc.stringMatching(/^[a-zé.]{1,5}$/)
  const gap = fc.constantFrom(' ', '\t\n', '\u001c', '\u0085 ', '\u2003')
  fc.assert(
    fc.property(fc.array(word), gap, (words, between) => {
      expect(splitWhitespace(between + words.join(between) + between)).toEqual(words)
    }),
  )
})

test('trimWhitespace takes white space from both ends alone', () => {
  expect(trimWhitespace('\u00a0 a b\u2028')).toBe('a b')
  expect(trimWhitespace(' \n')).toBe('')
})
