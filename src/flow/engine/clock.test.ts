import fc from 'fast-check'
import { expect, test } from 'vitest'
import { advance, type ClockState, mostHoursAfter, mostHoursAtFirst } from './session.ts'

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

/** A process with a wall clock of its own and the monotonic clock that all have. */
class Process {
  #most: { readonly hours: number; readonly at: number }

  constructor(log: readonly Required<ClockState>[], wallMs: number, at: number) {
    this.#most = { hours: mostHoursAtFirst(log.slice(0, 8), wallMs), at }
  }

  act(log: Required<ClockState>[], wallMs: number, at: number): void {
    const mostHours = mostHoursAfter(this.#most.hours, at - this.#most.at)
    const entry = advance(log[0] ?? { hours: 0 }, wallMs, { ...OPTIONS, mostHours })
    this.#most = { hours: entry.hours, at }
    log.unshift(entry)
  }
}

const acts = fc.array(
  fc.record({
    who: fc.nat({ max: 4 }),
    passed: fc.nat({ max: 40 * MINUTE }),
    wall: fc.integer({ min: -1e12, max: 1e13 }),
  }),
  { maxLength: 60 },
)

test('advance of five processes never exceeds the true time since they opened, for any wall clocks', () => {
  fc.assert(
    fc.property(acts, (given) => {
      const log: Required<ClockState>[] = []
      const processes = Array.from({ length: 5 }, () => new Process(log, 0, 0))
      let now = 0
      for (const { who, passed, wall } of given) {
        now += passed
        processes[who]?.act(log, wall, now)
        expect(log[0]?.hours ?? 0).toBeLessThanOrEqual(now / 3_600_000 + 1e-9)
      }
    }),
  )
})
