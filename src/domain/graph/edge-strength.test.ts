import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  corpusCentrality,
  edgeStrength,
  effectiveEdgeWeight,
  outcomeEdgeWeight,
  weightedDegree,
} from './edge-weight.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const edge = fc.record({
  from: fc.constantFrom('a', 'b', 'c'),
  to: fc.constantFrom('d', 'e', 'z'),
  weight: unit,
  reinforcementCount: fc.nat(1_000),
})
const OUTCOME = { scale: 0.8, delta: 0.1 }

test('use makes an edge stronger, but never stronger than 1', () => {
  expect(edgeStrength({ weight: 0.9, reinforcementCount: 100 })).toBe(1)
  fc.assert(
    fc.property(edge, (given) => {
      const used = { ...given, reinforcementCount: given.reinforcementCount + 1 }
      expect(effectiveEdgeWeight(used)).toBeGreaterThan(effectiveEdgeWeight(given))
      expect(edgeStrength(used)).toBeLessThanOrEqual(1)
      expect(edgeStrength(given)).toBeGreaterThanOrEqual(given.weight)
    }),
  )
})

test('degrees count an edge at each end that was asked about', () => {
  const edges = [{ from: 'a', to: 'z', weight: 0.5, reinforcementCount: 0 }]
  expect([...weightedDegree(['a', 'b'], edges)]).toEqual([
    ['a', 0.5],
    ['b', 0],
  ])
})

test('how central a block is in its corpus lies between 0 and 1 and never falls as it is joined more (W45)', () => {
  const strength = fc.double({ min: 0, max: 20, noNaN: true })
  expect(corpusCentrality(3, 0)).toBe(0)
  fc.assert(
    fc.property(strength, strength, strength, (one, other, scale) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      const values = [corpusCentrality(less, scale), corpusCentrality(more, scale)] as const
      expect(values[0]).toBeGreaterThanOrEqual(0)
      expect(values[0]).toBeLessThanOrEqual(values[1])
      expect(values[1]).toBeLessThanOrEqual(1)
      if (scale > 0 && more >= scale) expect(values[1]).toBe(1)
    }),
  )
})

test('an outcome edge starts below its signal, grows with repeats and stops at 1', () => {
  expect(outcomeEdgeWeight(1, undefined, OUTCOME)).toBe(0.8)
  fc.assert(
    fc.property(unit, unit, (signal, weight) => {
      expect(outcomeEdgeWeight(signal, undefined, OUTCOME)).toBeLessThanOrEqual(signal)
      const repeated = outcomeEdgeWeight(signal, weight, OUTCOME)
      expect(repeated).toBeGreaterThanOrEqual(weight)
      expect(repeated).toBeLessThanOrEqual(1)
    }),
  )
})
