import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LearnedSignals, learnedScore } from './learned-score.ts'

const WEIGHTS = { beliefWeight: 0.5, recencyWeight: 0.1 }
const unit = fc.double({ min: 0, max: 1, noNaN: true })
const count = fc.double({ min: 0, max: 1_000, noNaN: true })
const signals: fc.Arbitrary<LearnedSignals> = fc.record({
  similarity: unit,
  successes: count,
  failures: count,
  hoursSinceUseful: fc.double({ min: 0, max: 1e5, noNaN: true }),
  lambda: fc.double({ min: 1e-5, max: 0.1, noNaN: true }),
})

test('the score is similarity times one plus what was learned', () => {
  const { score } = learnedScore(
    { similarity: 0.8, successes: 2, failures: 0, hoursSinceUseful: 0, lambda: 0.01 },
    WEIGHTS,
  )
  expect(score).toBeCloseTo(0.8 * (1 + 0.5 * 0.5 + 0.1), 12)
})

test('an unproven block that was never useful for long keeps its similarity', () => {
  const { score } = learnedScore(
    { similarity: 0.8, successes: 0, failures: 0, hoursSinceUseful: 1e6, lambda: 0.01 },
    WEIGHTS,
  )
  expect(score).toBeCloseTo(0.8, 12)
})

test('the terms sum to the score, which stays within 0.5 to 1.6 times the similarity', () => {
  fc.assert(
    fc.property(signals, (given) => {
      const { score, terms } = learnedScore(given, WEIGHTS)
      expect(terms.reduce((sum, term) => sum + term.amount, 0)).toBeCloseTo(score, 9)
      expect(score).toBeGreaterThanOrEqual(0.5 * given.similarity - 1e-12)
      expect(score).toBeLessThanOrEqual(1.6 * given.similarity + 1e-12)
    }),
  )
})

test('all else equal, the more similar block never scores less', () => {
  fc.assert(
    fc.property(signals, unit, (given, similarity) => {
      const [less, more] = [given.similarity, similarity].sort((a, b) => a - b)
      const low = learnedScore({ ...given, similarity: less ?? 0 }, WEIGHTS).score
      const high = learnedScore({ ...given, similarity: more ?? 0 }, WEIGHTS).score
      expect(low).toBeLessThanOrEqual(high)
    }),
  )
})

test('a success never lowers a score and a failure never raises it', () => {
  fc.assert(
    fc.property(signals, (given) => {
      const { score } = learnedScore(given, WEIGHTS)
      const better = learnedScore({ ...given, successes: given.successes + 1 }, WEIGHTS).score
      const worse = learnedScore({ ...given, failures: given.failures + 1 }, WEIGHTS).score
      expect(better).toBeGreaterThanOrEqual(score - 1e-12)
      expect(worse).toBeLessThanOrEqual(score + 1e-12)
    }),
  )
})

test('with both weights 0 nothing is learned', () => {
  fc.assert(
    fc.property(signals, (given) => {
      expect(learnedScore(given, { beliefWeight: 0, recencyWeight: 0 }).score).toBe(given.similarity)
    }),
  )
})

test('a better joined block never scores less, and at most its weight more', () => {
  fc.assert(
    fc.property(signals, unit, unit, unit, (given, one, other, centralityWeight) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      const scoreAt = (centrality: number) =>
        learnedScore({ ...given, centrality }, { ...WEIGHTS, centralityWeight }).score
      expect(scoreAt(less)).toBeLessThanOrEqual(scoreAt(more))
      expect(scoreAt(1) - scoreAt(0)).toBeCloseTo(given.similarity * centralityWeight, 9)
    }),
  )
})

test('centrality is a term of the score exactly where it weighs something', () => {
  fc.assert(
    fc.property(signals, unit, unit, (given, centrality, centralityWeight) => {
      const plain = learnedScore(given, WEIGHTS)
      expect(learnedScore({ ...given, centrality }, { ...WEIGHTS, centralityWeight: 0 })).toEqual(plain)
      const { score, terms } = learnedScore({ ...given, centrality }, { ...WEIGHTS, centralityWeight })
      expect(terms.reduce((sum, term) => sum + term.amount, 0)).toBeCloseTo(score, 9)
      const names = terms.map(({ name }) => name)
      expect(names.includes('centrality')).toBe(centralityWeight > 0)
    }),
  )
})
