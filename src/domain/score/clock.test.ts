import fc from 'fast-check'
import { expect, test } from 'vitest'
import { advance, type ClockState, mostHoursAfter, mostHoursAtFirst } from './experience.ts'

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

test('whatever the wall clocks of five processes say, the hours never exceed the true time since they opened', () => {
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

test('of processes that end after each act, each clock that is ahead gains one pause at most', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 2, maxLength: 4 }),
      acts,
      (skews, given) => {
        const log: Required<ClockState>[] = []
        let now = 0
        // Turns in a row: a clock that is not seen for as many entries as are looked at is a new one.
        for (const [turn, { passed }] of given.entries()) {
          now += passed % MINUTE
          const wall = 1e12 + now + (skews[turn % skews.length] ?? 0)
          new Process(log, wall, now).act(log, wall, now)
        }
        const allowed = now / 3_600_000 + skews.length * 0.25
        expect(log[0]?.hours ?? 0).toBeLessThanOrEqual(allowed + 1e-9)
      },
    ),
  )
})

test('one clock alone counts as it always did, in one process or in many', () => {
  const walls = [0, 6, 20, 21, 200, 203].map((minutes) => 1e12 + minutes * MINUTE)
  const [one, many]: [Required<ClockState>[], Required<ClockState>[]] = [[], []]
  const lasting = new Process(one, 1e12, 1e12)
  for (const wall of walls) {
    lasting.act(one, wall, wall)
    new Process(many, wall, wall).act(many, wall, wall)
  }
  expect(one[0]?.hours).toBeCloseTo((6 + 14 + 1 + 15 + 3) / 60, 12)
  expect(many[0]?.hours).toBeCloseTo((6 + 14 + 1 + 15 + 3) / 60, 12)
})
