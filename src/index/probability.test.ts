import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MatchEvidence, meantProbability, type ProbabilityConstants, probabilityOf } from './rank.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const weight = fc.double({ min: 0, max: 10, noNaN: true })
const evidence: fc.Arbitrary<MatchEvidence> = fc.record({
  cosine: fc.double({ min: -1, max: 1, noNaN: true }),
  lexical: unit,
  strength: unit,
  runnerUp: unit,
  blocks: fc.integer({ min: 0, max: 1_000_000 }),
})
const constants: fc.Arbitrary<ProbabilityConstants> = fc.record({
  intercept: fc.double({ min: -5, max: 5, noNaN: true }),
  cosine: weight,
  lexical: weight,
  standsOut: weight,
  runnerUpShare: unit,
  size: weight,
})

test('probabilityOf never falls with a higher cosine, more shared words or a stronger match', () => {
  for (const name of ['cosine', 'lexical', 'strength'] as const)
    fc.assert(
      fc.property(evidence, constants, unit, unit, (given, weights, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one]
        const at = (value: number) => probabilityOf({ ...given, [name]: value }, weights)
        expect(at(less)).toBeLessThanOrEqual(at(more))
      }),
    )
})

test('probabilityOf never rises with a stronger second match or a larger store', () => {
  fc.assert(
    fc.property(evidence, constants, unit, unit, (given, weights, one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      const beside = (runnerUp: number) => probabilityOf({ ...given, runnerUp }, weights)
      const among = (share: number) => probabilityOf({ ...given, blocks: Math.ceil(share * 1e6) }, weights)
      expect(beside(more)).toBeLessThanOrEqual(beside(less))
      expect(among(more)).toBeLessThanOrEqual(among(less))
    }),
  )
})

test('meantProbability is 0 where two match alike, and at most probabilityOf', () => {
  fc.assert(
    fc.property(evidence, constants, (given, weights) => {
      const meant = meantProbability(given, weights, 0.3)
      expect(meant).toBeGreaterThanOrEqual(0)
      expect(meant).toBeLessThanOrEqual(probabilityOf(given, weights))
      expect(meantProbability({ ...given, runnerUp: given.strength }, weights, 0.3)).toBe(0)
    }),
  )
})
