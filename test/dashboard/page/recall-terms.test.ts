import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  namedTerm,
  scaleOf,
  signed,
  summing,
  termBar,
  termsIn,
} from '../../../dashboard/screens/recall/rules/terms.ts'

const term = (name: string, amount: number) => ({ name, value: amount, amount })
const MISLED = [term('similarity', 0.8), term('belief', -0.2), term('recency', 0.1)]

const terms = fc.array(
  fc.record({
    name: fc.constantFrom('similarity', 'belief', 'recency', 'asked'),
    // Doubles as fast-check draws them are mostly too small to be rounded.
    amount: fc.integer({ min: -1_000_000, max: 2_000_000 }).map((millionths) => millionths / 1_000_000),
  }),
  { minLength: 1, maxLength: 6 },
)
const filled = terms.map((all) => all.map(({ name, amount }) => term(name, amount)))

test('the four decimals of all terms sum to the four decimals of the score', () => {
  fc.assert(
    fc.property(filled, (all) => {
      const score = Math.round(all.reduce((sum, { amount }) => sum + amount, 0) * 10_000) / 10_000
      const shown = summing(all, score)
      const units = shown.reduce((sum, each) => sum + Math.round(each * 10_000), 0)
      expect(units - Math.round(score * 10_000)).toBeCloseTo(0)
      for (const [at, each] of shown.entries())
        expect(Math.abs(each - (all[at]?.amount ?? 0))).toBeLessThan(2e-4)
    }),
  )
})

test('the solid part of a bar ends at the score, also where experience takes away', () => {
  const { parts, taken } = termBar(MISLED, 1)
  expect(parts.map(({ name, from }) => [name, from])).toEqual([
    ['similarity', 0],
    ['recency', 0.8],
  ])
  expect(taken?.from).toBeCloseTo(0.7)
  expect(taken?.width).toBeCloseTo(0.2)
})

test('no bar is longer than its place, however much is taken away', () => {
  fc.assert(
    fc.property(fc.array(filled, { minLength: 1, maxLength: 5 }), (all) => {
      const scale = scaleOf(all)
      for (const each of all) {
        const { parts, taken } = termBar(each, scale)
        const ends = [...parts, ...(taken ? [taken] : [])].flatMap(({ from, width }) => [from, from + width])
        for (const end of ends) {
          expect(end).toBeGreaterThanOrEqual(-1e-9)
          expect(end).toBeLessThanOrEqual(1 + 1e-9)
        }
      }
    }),
  )
})

test('the legend names the terms that some bar has, each once', () => {
  expect(termsIn([MISLED, [term('similarity', 1), term('asked', 0)]])).toEqual([
    'similarity',
    'belief',
    'recency',
  ])
})

test('a term that the page does not know keeps its name, and a sign stands before every amount', () => {
  expect(namedTerm('tomorrow')).toMatchObject({ label: 'tomorrow' })
  expect([signed(0.1), signed(-0.25), signed(0)]).toEqual(['+0.1000', '−0.2500', '+0.0000'])
})
