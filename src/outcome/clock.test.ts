import fc from 'fast-check'
import { expect, test } from 'vitest'
import { advance, type ClockState } from './formulas.ts'

const MINUTE = 60_000
const OPTIONS = { gapCapMs: 15 * MINUTE }

test('advance never lowers the hours and adds at most the cap, for any wall clock', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1e12, max: 1e13 })), (walls) => {
      let state: ClockState = { hours: 0 }
      for (const wall of walls) {
        const next = advance(state, wall, OPTIONS)
        expect(next.hours).toBeGreaterThanOrEqual(state.hours)
        expect(next.hours - state.hours).toBeLessThanOrEqual(0.25 + 1e-9)
        state = next
      }
    }),
  )
})
