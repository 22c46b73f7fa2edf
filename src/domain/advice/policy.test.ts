import fc from 'fast-check'
import { expect, test } from 'vitest'
import { POLICY, recordResult, restorePolicy, shouldConsolidate } from './policy.ts'

test('recordResult of a dream that processed nothing changes nothing', () => {
  const state = restorePolicy(10)
  expect(recordResult(state, { processed: 0, promoted: 0 })).toBe(state)
})

test('recordResult keeps the threshold within its bounds', () => {
  const dream = fc
    .nat(20)
    .chain((processed) => fc.record({ processed: fc.constant(processed), promoted: fc.nat(processed) }))
  fc.assert(
    fc.property(fc.array(dream), fc.integer(), (dreams, start) => {
      const state = dreams.reduce((each, result) => recordResult(each, result), restorePolicy(start))
      expect(state.threshold).toBeGreaterThanOrEqual(POLICY.min)
      expect(state.threshold).toBeLessThanOrEqual(POLICY.max)
    }),
  )
})

test('shouldConsolidate is true from the threshold on, never below the minimum and always at the maximum', () => {
  const state = restorePolicy(20)
  expect([4, 19, 20, 50].map((pending) => shouldConsolidate(state, pending))).toEqual([
    false,
    false,
    true,
    true,
  ])
  expect(shouldConsolidate({ ...state, threshold: 1 }, 4)).toBe(false)
  expect(shouldConsolidate({ ...state, threshold: 80 }, 50)).toBe(true)
})
