import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compositeScore,
  effectiveCentrality,
  type FrameWeights,
  type LearnedSignals,
  learnedScore,
  normalisedSlope,
  normaliseOverCandidates,
  reinforcementNorm,
  renormalisedWeights,
  type ScoreSignals,
  scoreBoost,
} from './score.ts'

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
const BOOSTS = { 'tag:self/': 10, mind: 6, decision: 5 }

test('the score is similarity times one plus what was learned, and what was learned of this very question', () => {
  const { score } = learnedScore({ similarity: 0.8, general: 0.5, own: 0.4, recency: 1 }, WEIGHTS)
  expect(score).toBeCloseTo(0.8 * (1 + 0.3 * 0.5 + (0.3 / 0.5) * 0.1) + 0.2 * 0.4, 12)
})

test('a block of which nothing is known, and that was never useful for long, keeps its similarity', () => {
  expect(learnedScore({ similarity: 0.8, general: 0, own: 0, recency: 0 }, WEIGHTS).score).toBe(0.8)
})

test('the terms sum to the score', () => {
  fc.assert(
    fc.property(learnedSignals, slope, (given, steep) => {
      const { score, terms } = learnedScore(given, { ...WEIGHTS, slope: steep })
      expect(terms.reduce((sum, term) => sum + term.amount, 0)).toBeCloseTo(score, 9)
    }),
  )
})

test('experience of other questions moves a block by no more than its reach in match strength', () => {
  fc.assert(
    fc.property(learnedSignals, balance, slope, (given, general, steep) => {
      const scoreOf = (value: number) =>
        learnedScore({ ...given, general: value }, { ...WEIGHTS, slope: steep }).score
      const moved = Math.abs(scoreOf(general) - scoreOf(0))
      expect(moved / steep).toBeLessThanOrEqual(WEIGHTS.reach * given.similarity + 1e-9)
    }),
  )
})

test('all else equal, the more similar block never scores less', () => {
  fc.assert(
    fc.property(learnedSignals, unit, (given, similarity) => {
      const [less, more] = [given.similarity, similarity].sort((a, b) => a - b)
      const low = learnedScore({ ...given, similarity: less ?? 0 }, WEIGHTS).score
      const high = learnedScore({ ...given, similarity: more ?? 0 }, WEIGHTS).score
      expect(low).toBeLessThanOrEqual(high)
    }),
  )
})

test('better evidence, of this question or of others, never lowers a score', () => {
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

test('where experience weighs nothing, nothing is learned', () => {
  fc.assert(
    fc.property(learnedSignals, (given) => {
      expect(learnedScore(given, { ...WEIGHTS, beliefWeight: 0, recencyWeight: 0 }).score).toBe(
        given.similarity,
      )
    }),
  )
})

test('a better joined block never scores less, and at most its weight more', () => {
  fc.assert(
    fc.property(learnedSignals, unit, unit, unit, (given, one, other, centralityWeight) => {
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
    fc.property(learnedSignals, unit, unit, (given, centrality, centralityWeight) => {
      const plain = learnedScore(given, WEIGHTS)
      expect(learnedScore({ ...given, centrality }, { ...WEIGHTS, centralityWeight: 0 })).toEqual(plain)
      const { score, terms } = learnedScore({ ...given, centrality }, { ...WEIGHTS, centralityWeight })
      expect(terms.reduce((sum, term) => sum + term.amount, 0)).toBeCloseTo(score, 9)
      const names = terms.map(({ name }) => name)
      expect(names.includes('centrality')).toBe(centralityWeight > 0)
    }),
  )
})

test('the slope of a pool is what a unit of strength is worth in it', () => {
  const strengths = fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 2 })
  fc.assert(
    fc.property(strengths, unit, (whole, floor) => {
      const given = whole.map((each) => each / 100)
      const [one, other] = normaliseOverCandidates(given, floor) as [number, number]
      const [a, b] = given as [number, number]
      expect((one - other) / (a - b)).toBeCloseTo(normalisedSlope(given, floor), 6)
    }),
  )
  expect(normalisedSlope([0.5, 0.5], 0.4)).toBe(1)
})

test('the best of a pool becomes 1 and the last the floor', () => {
  expect(normaliseOverCandidates([0.25, 0.75, 0.5], 0.5)).toEqual([0.5, 1, 0.75])
  expect(Math.min(...normaliseOverCandidates([0.2, 0.6]))).toBe(0.4)
})

test('a single strength and equal ones become 1, and no pool stays empty', () => {
  expect([
    normaliseOverCandidates([0.1]),
    normaliseOverCandidates([0.3, 0.3]),
    normaliseOverCandidates([]),
  ]).toEqual([[1], [1, 1], []])
})

test('stretching keeps the order and stays between the floor and 1', () => {
  fc.assert(
    fc.property(fc.array(unit, { minLength: 2 }), unit, (strengths, floor) => {
      const stretched = normaliseOverCandidates(strengths, floor)
      for (const [at, value] of stretched.entries()) {
        expect(value).toBeGreaterThanOrEqual(floor)
        expect(value).toBeLessThanOrEqual(1)
        for (const [other, otherValue] of stretched.entries()) {
          if ((strengths[at] ?? 0) < (strengths[other] ?? 0)) expect(value).toBeLessThanOrEqual(otherValue)
        }
      }
      expect(Math.max(...stretched)).toBeCloseTo(1, 12)
    }),
  )
})

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

test('a boost multiplies the whole score', () => {
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

test('the greatest boost that fits a block counts, and 1 when none fits', () => {
  expect(scoreBoost({ tags: ['self/goal'], category: 'mind' }, BOOSTS)).toBe(10)
  expect(scoreBoost({ tags: [], category: 'decision' }, BOOSTS)).toBe(5)
  expect(scoreBoost({ tags: ['mind', 'selfish'], category: 'knowledge' }, BOOSTS)).toBe(1)
})

test('a boost below 1 lowers a block', () => {
  expect(scoreBoost({ tags: [], category: 'observation' }, { observation: 0.5 })).toBe(0.5)
})

function total(values: ScoreSignals): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0)
}
