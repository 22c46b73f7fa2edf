import fc from 'fast-check'
import { expect, test } from 'vitest'
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
