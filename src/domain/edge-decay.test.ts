import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EdgeOrigin } from './edge.ts'
import { decayedEdgeWeight, edgeLambda, isWeakEdge } from './edge-decay.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const lambda = fc.double({ min: 1e-5, max: 0.1, noNaN: true })
const hours = fc.double({ min: -100, max: 1e5, noNaN: true })
const origin = fc.constantFrom<EdgeOrigin>('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred')

test('an edge fades at half the rate of its slower end, and at a quarter once established', () => {
  expect(edgeLambda(0.01, 0.05, 9)).toBe(0.005)
  expect(edgeLambda(0.05, 0.01, 10)).toBe(0.0025)
})

test('a decayed weight never rises above the stored one, nor with time', () => {
  fc.assert(
    fc.property(unit, origin, lambda, hours, hours, (weight, made, rate, one, other) => {
      const [early, late] = one < other ? [one, other] : [other, one]
      const edge = { weight, origin: made }
      const before = decayedEdgeWeight(edge, { lambda: rate, hours: early }, 0.1)
      const after = decayedEdgeWeight(edge, { lambda: rate, hours: late }, 0.1)
      expect(before.effective).toBeLessThanOrEqual(weight)
      expect(after.effective).toBeLessThanOrEqual(before.effective)
      if (made !== 'agent') expect(after.pruned).toBe(after.effective < 0.1)
    }),
  )
})

test('what an agent asserted neither fades nor is pruned (W23)', () => {
  fc.assert(
    fc.property(unit, lambda, hours, fc.nat(3), (weight, rate, age, reinforcementCount) => {
      const edge = { weight, origin: 'agent' as const, reinforcementCount }
      expect(decayedEdgeWeight(edge, { lambda: rate, hours: age }, 0.1)).toEqual({
        effective: weight,
        pruned: false,
      })
      expect(isWeakEdge(edge, 0.1)).toBe(false)
    }),
  )
})

test('a weak edge that was never used goes, a used one stays', () => {
  expect(isWeakEdge({ weight: 0.09, origin: 'outcome', reinforcementCount: 0 }, 0.1)).toBe(true)
  expect(isWeakEdge({ weight: 0.09, origin: 'outcome', reinforcementCount: 1 }, 0.1)).toBe(false)
  expect(isWeakEdge({ weight: 0.1, origin: 'outcome', reinforcementCount: 0 }, 0.1)).toBe(false)
})
