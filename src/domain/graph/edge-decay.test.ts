import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EdgeOrigin } from './edge.ts'
import { decayedEdgeWeight, EDGE_DECAY, edgeLambda, edgeWeightNow, isWeakEdge } from './edge-weight.ts'

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

const joint = fc.record({ weight: unit, origin, reinforcementCount: fc.nat(20), lastActiveAt: hours })

test('an edge weighs what it did when it was last used, and never more later', () => {
  fc.assert(
    fc.property(joint, lambda, lambda, hours, hours, (edge, one, other, a, b) => {
      const [early, late] = a < b ? [a, b] : [b, a]
      const ends = [one, other] as const
      expect(edgeWeightNow(edge, ends, edge.lastActiveAt)).toBe(edge.weight)
      const now = edgeWeightNow(edge, ends, late)
      expect(now).toBeGreaterThanOrEqual(0)
      expect(now).toBeLessThanOrEqual(edgeWeightNow(edge, ends, early))
      expect(edgeWeightNow(edge, [other, one], late)).toBe(now)
    }),
  )
})

test('an edge that was used later, or often enough, never weighs less for it', () => {
  fc.assert(
    fc.property(joint, lambda, lambda, hours, fc.nat(1_000), (edge, one, other, at, after) => {
      const ends = [one, other] as const
      const now = edgeWeightNow(edge, ends, at)
      expect(
        edgeWeightNow({ ...edge, lastActiveAt: edge.lastActiveAt + after }, ends, at),
      ).toBeGreaterThanOrEqual(now)
      const established = { ...edge, reinforcementCount: EDGE_DECAY.establishedAt }
      expect(edgeWeightNow(established, ends, at)).toBeGreaterThanOrEqual(
        edgeWeightNow({ ...edge, reinforcementCount: 0 }, ends, at),
      )
    }),
  )
})

test('an edge without an anchor, or an agent made, weighs the same for ever (W23)', () => {
  fc.assert(
    fc.property(joint, lambda, lambda, hours, ({ lastActiveAt, ...edge }, one, other, at) => {
      expect(edgeWeightNow(edge, [one, other], at)).toBe(edge.weight)
      const said = { ...edge, origin: 'agent' as const, lastActiveAt }
      expect(edgeWeightNow(said, [one, other], at)).toBe(edge.weight)
    }),
  )
})

test('an edge of two hundred hours between two common blocks weighs a share of e', () => {
  const edge = { weight: 0.5, origin: 'outcome' as const, reinforcementCount: 0, lastActiveAt: 100 }
  expect(edgeWeightNow(edge, [0.01, 0.05], 300)).toBeCloseTo(0.5 / Math.E, 12)
  expect(edgeWeightNow({ ...edge, reinforcementCount: 10 }, [0.01, 0.01], 500)).toBeCloseTo(0.5 / Math.E, 12)
})
