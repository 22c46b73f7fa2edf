import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headingIn, sectionOf, wordsOfSection } from './section.ts'

const HARD = [
  ...[
    '\n\n',
    '\r\n',
    '## 3f2a9c1e8d7b6a50',
    '\\## x',
    '##',
    '---',
    '```',
    '# a',
    '&#38;',
    '&#38',
    '&#99999999;',
    '<!-- -->',
  ],
  ...'\n\r \t\u00a0\u2028\ufeff\u202e\u0301e\u200dé',
]
const texts = fc.array(fc.oneof(fc.constantFrom(...HARD), fc.string({ unit: 'binary' })), { maxLength: 12 })

test('wordsOfSection returns the exact words of any section, also with blank lines around and ends of lines cut', () => {
  fc.assert(
    fc.property(texts, (parts) => {
      const words = parts.join('').replaceAll('\0', '')
      const section = sectionOf(words)
      expect(wordsOfSection(section)).toBe(words)
      const cut = section.split('\n').map((line) => line.trimEnd())
      expect(wordsOfSection(`\n \n${cut.join('\n')}\n\n`)).toBe(words)
      expect(section.split(/\r?\n/).filter((line) => headingIn(line) !== undefined)).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})

test('sectionOf leaves plain words as they are, and takes linear time for blank lines', () => {
  const plain = '# Tea\n\n- at *four*\n\n    code\n### not a section & more; 5 > 4'
  expect(sectionOf(plain)).toBe(plain)
  const long = `a${'\n'.repeat(500_000)}b`
  const before = performance.now()
  expect(wordsOfSection(sectionOf(long))).toBe(long)
  expect(performance.now() - before).toBeLessThan(5_000)
})
