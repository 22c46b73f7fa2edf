import fc from 'fast-check'
import { expect, test } from 'vitest'
import { advance, type ClockState } from './clock.ts'

const MINUTE = 60_000
const OPTIONS = { gapCapMs: 15 * MINUTE }

test('the first operation starts the clock and adds nothing', () => {
  expect(advance({ hours: 7 }, 1_000, OPTIONS)).toEqual({ hours: 7, wallMs: 1_000 })
})

test('time between operations counts, up to the cap', () => {
  expect(advance({ hours: 1, wallMs: 0 }, 6 * MINUTE, OPTIONS).hours).toBeCloseTo(1.1, 12)
  expect(advance({ hours: 1, wallMs: 0 }, 30 * 24 * 60 * MINUTE, OPTIONS).hours).toBe(1.25)
})

test('a wall clock set back adds nothing, and counting goes on from there', () => {
  const back = advance({ hours: 1, wallMs: 100 * MINUTE }, 10 * MINUTE, OPTIONS)
  expect(back).toEqual({ hours: 1, wallMs: 10 * MINUTE })
  expect(advance(back, 16 * MINUTE, OPTIONS).hours).toBeCloseTo(1.1, 12)
})

test('whatever the wall clock does, the hours never fall and never gain more than the cap at once', () => {
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
