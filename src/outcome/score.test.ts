import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rankScale } from '../index/rank.ts'
import { type LearnedSignals, learnedScore } from './formulas.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const balance = fc.double({ min: -1, max: 1, noNaN: true })
const slope = fc.double({ min: 0.1, max: 20, noNaN: true })
const WEIGHTS = { beliefWeight: 0.5, recencyWeight: 0.1, reach: 0.3, ownReach: 0.2, slope: 1 }
const learnedSignals: fc.Arbitrary<LearnedSignals> = fc.record({
  similarity: unit,
  general: balance,
  own: balance,
  recency: unit,
})

test('learnedScore is the formula of docs/retrieval.md', () => {
  const { score } = learnedScore({ similarity: 0.8, general: 0.5, own: 0.4, recency: 1 }, WEIGHTS)
  expect(score).toBeCloseTo(0.8 * (1 + 0.3 * 0.5 + (0.3 / 0.5) * 0.1) + 0.2 * 0.4, 12)
})

test('learnedScore has terms that sum to the score', () => {
  fc.assert(
    fc.property(learnedSignals, slope, (given, steep) => {
      const { score, terms } = learnedScore(given, { ...WEIGHTS, slope: steep })
      expect(terms.reduce((sum, term) => sum + term.amount, 0)).toBeCloseTo(score, 9)
    }),
  )
})

test('learnedScore moves by experience of other questions no further than the reach', () => {
  fc.assert(
    fc.property(learnedSignals, balance, slope, (given, general, steep) => {
      const scoreOf = (value: number) =>
        learnedScore({ ...given, general: value }, { ...WEIGHTS, slope: steep }).score
      const moved = Math.abs(scoreOf(general) - scoreOf(0))
      expect(moved / steep).toBeLessThanOrEqual(WEIGHTS.reach * given.similarity + 1e-9)
    }),
  )
})

test('learnedScore never falls with similarity', () => {
  fc.assert(
    fc.property(learnedSignals, unit, (given, similarity) => {
      const [less, more] = [given.similarity, similarity].sort((a, b) => a - b)
      const low = learnedScore({ ...given, similarity: less ?? 0 }, WEIGHTS).score
      const high = learnedScore({ ...given, similarity: more ?? 0 }, WEIGHTS).score
      expect(low).toBeLessThanOrEqual(high)
    }),
  )
})

test('learnedScore never falls with better evidence', () => {
  fc.assert(
    fc.property(learnedSignals, balance, balance, (given, general, own) => {
      const { score } = learnedScore(given, WEIGHTS)
      const better = learnedScore(
        { ...given, general: Math.max(general, given.general), own: Math.max(own, given.own) },
        WEIGHTS,
      )
      expect(better.score).toBeGreaterThanOrEqual(score - 1e-12)
    }),
  )
})

test('rankScale stretches a pool in its order between the floor and 1, by its slope', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 2 }), unit, (whole, floor) => {
      const strengths = whole.map((each) => each / 100)
      const scale = rankScale(strengths, floor)
      const [low, high] = [Math.min(...strengths), Math.max(...strengths)]
      expect(scale.of(high)).toBeCloseTo(1, 12)
      expect(scale.of(low)).toBeCloseTo(high > low ? floor : 1, 12)
      for (const strength of strengths) {
        expect(scale.of(strength)).toBeGreaterThanOrEqual(floor)
        expect(scale.of(high) - scale.of(strength)).toBeCloseTo(scale.slope * (high - strength), 6)
      }
    }),
  )
  expect(rankScale([0.5, 0.5], 0.4).slope).toBe(1)
})

test('rankScale keeps a strength that is none of the pool between 0 and 1', () => {
  const scale = rankScale([0.4, 0.6], 0.4)
  expect(scale.of(0.3)).toBeCloseTo(0.1)
  expect([scale.of(0.1), scale.of(0.9)]).toEqual([0, 1])
})
