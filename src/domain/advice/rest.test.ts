import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RestState, restBeforeDream } from './rest.ts'

const LIMITS = { quiet: 60_000, lease: 30_000 }
const NOW = 1_000_000

function rest(over: Partial<RestState> = {}): number {
  const state = { isDue: true, now: NOW, lastCall: NOW - 60_000, lease: undefined, holder: 'me' }
  return restBeforeDream({ ...state, ...over }, LIMITS)
}

test('a memory dreams at rest when enough waits, nobody called for the quiet time and no other process does', () => {
  expect(rest()).toBe(0)
  expect(rest({ lastCall: undefined })).toBe(0)
  expect(rest({ lastCall: NOW - 45_000 })).toBe(15_000)
  expect(rest({ isDue: false })).toBe(LIMITS.quiet)
})

test('a lease of another process is waited for until it ends, and its own is none', () => {
  expect(rest({ lease: { holder: 'other', until: NOW + 20_000 } })).toBe(20_000)
  expect(rest({ lease: { holder: 'me', until: NOW + 20_000 } })).toBe(0)
  expect(rest({ lease: { holder: 'other', until: NOW } })).toBe(0)
})

test('restBeforeDream is never negative and never beyond the quiet time', () => {
  const lease = fc.record({ holder: fc.constantFrom('me', 'other'), until: fc.nat(3 * NOW) })
  const states = fc.record({
    isDue: fc.boolean(),
    now: fc.nat(2 * NOW),
    lastCall: fc.option(fc.nat(3 * NOW), { nil: undefined }),
    lease: fc.option(lease, { nil: undefined }),
    holder: fc.constant('me'),
  })
  fc.assert(
    fc.property(states, (state) => {
      const wait = restBeforeDream(state, LIMITS)
      expect(wait).toBeGreaterThanOrEqual(0)
      expect(wait).toBeLessThanOrEqual(LIMITS.quiet)
      if (wait === 0) expect(state.isDue).toBe(true)
    }),
  )
})
