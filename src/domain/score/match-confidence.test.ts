import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MATCH_CONFIDENCE, matchConfidence, standsOut } from './match-confidence.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const options = fc.record({
  runnerUpShare: unit,
  midpoint: unit,
  width: fc.double({ min: 0.01, max: 1, noNaN: true }),
})

test('a stronger match is never less likely to be the one meant, a stronger runner-up never makes it likelier', () => {
  fc.assert(
    fc.property(unit, unit, unit, options, (one, other, fixed, fitted) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      const rising = (strength: number) => matchConfidence({ strength, runnerUp: fixed }, fitted)
      const falling = (runnerUp: number) => matchConfidence({ strength: fixed, runnerUp }, fitted)
      expect(rising(less)).toBeLessThanOrEqual(rising(more))
      expect(falling(more)).toBeLessThanOrEqual(falling(less))
    }),
  )
})

test('a confidence is a probability', () => {
  fc.assert(
    fc.property(unit, unit, options, (strength, runnerUp, fitted) => {
      const confidence = matchConfidence({ strength, runnerUp }, fitted)
      expect(confidence).toBeGreaterThanOrEqual(0)
      expect(confidence).toBeLessThanOrEqual(1)
    }),
  )
})

test('at the midpoint right and wrong are as likely, a width further on 0.73 to 0.27', () => {
  fc.assert(
    fc.property(unit, unit, options, (strength, runnerUp, { runnerUpShare, width }) => {
      const midpoint = standsOut({ strength, runnerUp }, runnerUpShare)
      const at = (shifted: number) =>
        matchConfidence({ strength, runnerUp }, { runnerUpShare, midpoint: shifted, width })
      expect(at(midpoint)).toBe(0.5)
      expect(at(midpoint - width)).toBeCloseTo(0.731, 3)
      expect(at(midpoint + width)).toBeCloseTo(0.269, 3)
    }),
  )
})

test('a strong match that stands alone is nearly sure, one beside an equal is not', () => {
  expect(matchConfidence({ strength: 0.7, runnerUp: 0.3 })).toBeGreaterThan(0.95)
  expect(matchConfidence({ strength: 0.7, runnerUp: 0.69 })).toBeLessThan(0.65)
  expect(matchConfidence({ strength: 0.2, runnerUp: 0.19 })).toBeLessThan(0.2)
  expect(matchConfidence({ strength: MATCH_CONFIDENCE.midpoint, runnerUp: 0 })).toBe(0.5)
})
