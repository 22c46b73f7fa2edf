import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compositeScore,
  effectiveCentrality,
  type FrameWeights,
  reinforcementNorm,
  renormalisedWeights,
  type ScoreSignals,
} from './composite-score.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const signals: fc.Arbitrary<ScoreSignals> = fc.record({
  similarity: unit,
  confidence: unit,
  recency: unit,
  centrality: unit,
  reinforcement: unit,
})
const weights: fc.Arbitrary<FrameWeights> = signals
  .filter((raw) => total(raw) > 0.01)
  .map((raw) => {
    const sum = total(raw)
    return {
      similarity: raw.similarity / sum,
      confidence: raw.confidence / sum,
      recency: raw.recency / sum,
      centrality: raw.centrality / sum,
      reinforcement: raw.reinforcement / sum,
    }
  })
const evidence = fc.record({
  alpha: fc.double({ min: 0, max: 50, noNaN: true }),
  beta: fc.double({ min: 0, max: 50, noNaN: true }),
})
const EVEN: FrameWeights = {
  similarity: 0.2,
  confidence: 0.2,
  recency: 0.2,
  centrality: 0.2,
  reinforcement: 0.2,
}

test('weights without similarity still sum to 1 and keep their proportions', () => {
  fc.assert(
    fc.property(weights, (given) => {
      fc.pre(given.similarity < 0.999)
      const without = renormalisedWeights(given)
      expect(without.similarity).toBe(0)
      expect(total(without)).toBeCloseTo(1, 9)
      expect(without.recency * given.confidence).toBeCloseTo(without.confidence * given.recency, 9)
    }),
  )
})

test('a frame that weighs only similarity weighs nothing without a query', () => {
  expect(
    total(
      renormalisedWeights({
        ...EVEN,
        similarity: 1,
        confidence: 0,
        recency: 0,
        centrality: 0,
        reinforcement: 0,
      }),
    ),
  ).toBe(0)
})

test('the additive score lies within its bounds, and its terms sum to it', () => {
  const boosts = fc.double({ min: 0.5, max: 10, noNaN: true })
  fc.assert(
    fc.property(signals, weights, evidence, boosts, (given, weighed, belief, boost) => {
      const { score, terms } = compositeScore(given, weighed, { belief, boost })
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(1.025 * boost + 1e-9)
      expect(terms.reduce((sum, term) => sum + term.amount, 0)).toBeCloseTo(score, 9)
      expect(terms.map((term) => term.name)).toEqual([
        'similarity',
        'confidence',
        'recency',
        'centrality',
        'reinforcement',
        'exploration',
      ])
    }),
  )
})

test('a boost multiplies the whole score and exploration can be switched off', () => {
  const belief = { alpha: 1, beta: 1 }
  const signalsAtHalf = {
    similarity: 0.5,
    confidence: 0.5,
    recency: 0.5,
    centrality: 0.5,
    reinforcement: 0.5,
  }
  const plain = compositeScore(signalsAtHalf, EVEN, { belief })
  expect(compositeScore(signalsAtHalf, EVEN, { belief, boost: 6 }).score).toBeCloseTo(plain.score * 6, 12)
  expect(compositeScore(signalsAtHalf, EVEN, { belief, explorationScale: 0 }).score).toBeCloseTo(0.5, 12)
})

test('a reinforcement norm is 0 for none, 1 for the most, and rises in between', () => {
  expect(reinforcementNorm(3, 0)).toBe(0)
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(1_000), fc.integer({ min: 1, max: 1_000 }), (one, other, max) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      expect(reinforcementNorm(less, max)).toBeLessThanOrEqual(reinforcementNorm(more, max))
      expect(reinforcementNorm(more, max)).toBeLessThanOrEqual(1)
      expect(reinforcementNorm(max, max)).toBe(1)
    }),
  )
})

test('only a fresh block without links is lifted, and never lowered', () => {
  expect(effectiveCentrality(0, 0.7)).toBe(0)
  expect(effectiveCentrality(0.1, 1)).toBe(0.1)
  fc.assert(
    fc.property(unit, unit, (raw, recent) => {
      const effective = effectiveCentrality(raw, recent)
      expect(effective).toBeGreaterThanOrEqual(raw)
      expect(effective).toBeLessThanOrEqual(Math.max(raw, 0.5))
    }),
  )
})

function total(values: ScoreSignals): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0)
}
