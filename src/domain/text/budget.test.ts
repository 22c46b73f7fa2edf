import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitLines } from '../../../test/helpers/fit-lines.ts'
import { CUT_BEFORE, CUT_MARK, fitBudget } from './budget.ts'
import type { Passage } from './passage.ts'
import { estimateTokens } from './text.ts'

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

/** One text under no heading, of which a passage is wanted. */
function fitOne(text: string, wanted: string, budget: number) {
  const from = text.indexOf(wanted)
  const passage: Passage = { from, to: from + wanted.length }
  return fitBudget({
    items: [text],
    render: (items) => items.join('\n'),
    withText: (_, shorter) => shorter,
    textOf: (item) => item,
    passageOf: () => passage,
    budget,
  }).text
}

const numbered = Array.from({ length: 40 }, (_, i) => `Number ${i} is here.`).join(' ')

test('a text that is cut shows the wanted passage, with both ends marked', () => {
  const text = fitOne(numbered, 'Number 20 is here.', 20)
  expect(text.startsWith(`${CUT_BEFORE}Number 20 is here.`)).toBe(true)
  expect(text.endsWith(CUT_MARK)).toBe(true)
  expect(estimateTokens(text)).toBe(20)
})

test('a passage near the end is shown with as much before it as fits, and its end is not marked', () => {
  const text = fitOne(numbered, 'Number 39 is here.', 20)
  expect(text).toBe(
    `${CUT_BEFORE}here. Number 36 is here. Number 37 is here. Number 38 is here. Number 39 is here.`,
  )
})

test('a passage that the beginning holds changes nothing', () => {
  expect(fitOne(numbered, 'Number 1 is here.', 20)).toBe(fitOne(numbered, 'Number 0 is here.', 20))
})

test('a text cut around a passage never exceeds its budget and breaks no code point', () => {
  const words = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { minLength: 2, maxLength: 30 })
  fc.assert(
    fc.property(words, fc.nat(29), fc.nat(40), (all, at, budget) => {
      const text = all.join(' ')
      const shown = fitOne(text, all[at % all.length]!, budget)
      expect(estimateTokens(shown)).toBeLessThanOrEqual(budget)
      expect(shown.isWellFormed()).toBe(text.isWellFormed() || shown.isWellFormed())
    }),
  )
})
