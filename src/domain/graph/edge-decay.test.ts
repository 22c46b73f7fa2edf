import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EDGE_DECAY, type EdgeOrigin, edgeWeightNow } from './edge.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const lambda = fc.double({ min: 1e-5, max: 0.1, noNaN: true })
const hours = fc.double({ min: -100, max: 1e5, noNaN: true })
const origin = fc.constantFrom<EdgeOrigin>('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred')

const joint = fc.record({ weight: unit, origin, reinforcementCount: fc.nat(20), lastActiveAt: hours })

test('edgeWeightNow is the weight at the last use, and never more later', () => {
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

test('edgeWeightNow is no less for a later use or for many uses', () => {
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

test('edgeWeightNow stays the same for an edge of an agent and for one without a last use', () => {
  fc.assert(
    fc.property(joint, lambda, lambda, hours, ({ lastActiveAt, ...edge }, one, other, at) => {
      expect(edgeWeightNow(edge, [one, other], at)).toBe(edge.weight)
      const said = { ...edge, origin: 'agent' as const, lastActiveAt }
      expect(edgeWeightNow(said, [one, other], at)).toBe(edge.weight)
    }),
  )
})
