import '../../test/helpers/properties.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalised } from './text.ts'

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const
const MARKS = ['\u0300', '\u0301', '\u0323', '\u0345', '\u05b0', '\u064b', '\u0f73', '\uff9e', '\u034f']
const anyText = (most: number) =>
  fc
    .array(fc.oneof(fc.constantFrom('a', 'É', 'ﬁ', '門', 'か', ' ', '👩‍👧'), fc.constantFrom(...MARKS)), {
      maxLength: most,
    })
    .map((signs) => signs.join(''))

test('normalised gives the form of Unicode to a text without thirty marks in a row', () => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), anyText(30))
  fc.assert(
    fc.property(texts, fc.constantFrom(...FORMS), (text, form) => {
      expect(normalised(text, form)).toBe(text.normalize(form))
    }),
  )
})

test('normalised of longer runs of marks is equivalent to the text', () => {
  const marks = fc.array(fc.constantFrom(...MARKS), { minLength: 25, maxLength: 100 })
  fc.assert(
    fc.property(fc.array(marks, { maxLength: 3 }), (runs) => {
      const text = runs.map((run) => `a${run.join('')}`).join('')
      expect(normalised(text, 'NFC').normalize('NFD')).toBe(text.normalize('NFD'))
      expect(normalised(text, 'NFKD').normalize('NFKD')).toBe(text.normalize('NFKD'))
    }),
  )
})
