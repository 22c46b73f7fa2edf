import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitLines } from '../../test/helpers/fit-lines.ts'
import { estimateTokens } from '../block/text.ts'
import { CUT_MARK } from './render.ts'

const line = fc.string({ unit: 'grapheme', maxLength: 60 })

test('fitLines never exceeds the budget, and shows a prefix of the lines', () => {
  fc.assert(
    fc.property(line, fc.array(line, { maxLength: 8 }), fc.nat(60), (heading, lines, budget) => {
      const { text, shown, dropped, cutFirst, used } = fitLines(heading, lines, budget)
      expect(used).toBe(estimateTokens(text))
      expect(used).toBeLessThanOrEqual(budget)
      expect(shown.length + dropped.length).toBe(lines.length)
      expect(dropped).toEqual(lines.slice(shown.length))
      if (!cutFirst) expect(shown).toEqual(lines.slice(0, shown.length))
    }),
  )
})

test('fitLines drops a line only when the text with it would exceed the budget', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), fc.nat(60), (lines, budget) => {
      const { shown, dropped, cutFirst } = fitLines('# x', lines, budget)
      if (cutFirst || dropped.length === 0) return
      const next = ['# x', ...lines.slice(0, shown.length + 1)].join('\n')
      expect(estimateTokens(next)).toBeGreaterThan(budget)
    }),
  )
})

test('fitLines cuts a first line that is too long to the last character that fits, and marks it', () => {
  const { text, shown, cutFirst, used, dropped } = fitLines('# h', ['😀'.repeat(500), 'next'], 20)
  expect(cutFirst).toBe(true)
  expect(text.endsWith(CUT_MARK)).toBe(true)
  expect(shown).toHaveLength(1)
  expect(dropped).toEqual(['next'])
  expect(used).toBe(20)
})

test('fitBudget cuts a text within the budget, and breaks no code point', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { minLength: 2, maxLength: 30 })
  fc.assert(
    fc.property(texts, fc.nat(40), (words, budget) => {
      const { text } = fitLines('', [words.join(' ')], budget)
      expect(estimateTokens(text)).toBeLessThanOrEqual(budget)
      expect(text.isWellFormed()).toBe(true)
    }),
  )
})
