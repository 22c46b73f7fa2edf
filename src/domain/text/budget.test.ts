import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitLines } from '../../../test/helpers/fit-lines.ts'
import { CUT_MARK, estimateTokens, fitBudget } from './text.ts'

const line = fc.string({ unit: 'grapheme', maxLength: 60 })

test('a text never exceeds its budget, and what is shown is a prefix of the lines', () => {
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

test('a line is dropped only when the text with it would break the budget', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), fc.nat(60), (lines, budget) => {
      const { shown, dropped, cutFirst } = fitLines('# x', lines, budget)
      if (cutFirst || dropped.length === 0) return
      const next = ['# x', ...lines.slice(0, shown.length + 1)].join('\n')
      expect(estimateTokens(next)).toBeGreaterThan(budget)
    }),
  )
})

test('a shorter line after one that does not fit is not let in', () => {
  const { shown, dropped } = fitLines('', ['12345678', 'x'.repeat(100), 'y'], 5)
  expect(shown).toEqual(['12345678'])
  expect(dropped).toEqual(['x'.repeat(100), 'y'])
})

test('a first line too long is cut to the last character that fits, and marked', () => {
  const { text, shown, cutFirst, used, dropped } = fitLines('# h', ['😀'.repeat(500), 'next'], 20)
  expect(cutFirst).toBe(true)
  expect(text.endsWith(CUT_MARK)).toBe(true)
  expect(shown).toHaveLength(1)
  expect(dropped).toEqual(['next'])
  expect(used).toBe(20)
})

test('when not even a character of the first line fits, nothing is shown and no line is lost', () => {
  const { text, shown, dropped, cutFirst, used } = fitLines('# a long heading', ['alpha', 'beta'], 3)
  expect({ text, shown, cutFirst, used }).toEqual({ text: '', shown: [], cutFirst: false, used: 0 })
  expect(dropped).toEqual(['alpha', 'beta'])
})

test('no lines make no text', () => {
  expect(fitLines('# h', [], 100).text).toBe('')
})

test('groups with headings of their own are counted in whole', () => {
  const items = [
    { group: 'goal', text: 'ship' },
    { group: 'context', text: 'redis' },
  ]
  const render = (shown: readonly { group: string; text: string }[]) =>
    shown.map((each) => `## ${each.group}\n- ${each.text}`).join('\n')
  const request = { items, render, withText: (item: (typeof items)[0], text: string) => ({ ...item, text }) }
  const fitted = fitBudget({ ...request, textOf: (item) => item.text, budget: 6 })
  expect(fitted.text).toBe('## goal\n- ship')
  expect(fitted.dropped).toEqual([items[1]])
})
