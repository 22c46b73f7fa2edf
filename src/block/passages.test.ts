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

test('passagesOf begins a passage at each heading', () => {
  const section = (name: string) => `## ${name}\n${'It is run by night. '.repeat(6).trim()}`
  const text = ['Falcon', 'Osprey', 'Heron', 'Kite', 'Swift', 'Rook'].map(section).join('\n\n')
  const parts = passagesOf(text).map(({ from, to }) => text.slice(from, to))
  expect(parts).toHaveLength(6)
  for (const part of parts) expect(part).toMatch(/^## /)
})
