import type { Timer } from '../../src/engine/ports.ts'
import type { TestClock } from './clock.ts'

/** A timer whose time passes only when a test says so; the clock goes with it. */
export interface TestTimer extends Timer {
  /** Times waited for. */
  readonly pending: number
  /** Lets time pass, and waits until whatever then began waits for its next time. */
  pass(milliseconds: number): Promise<void>
}

/** Turns of the event loop in which work that waits for no timer ends. */
const TURNS = 2_000

/** A timer by the time of a clock. Turns of others, which take no time, are real ones. */
export function createTestTimer(clock: TestClock): TestTimer {
  const waiting = new Set<{ readonly at: number; readonly work: () => void }>()
  return {
    get pending() {
      return waiting.size
    },
    after(milliseconds, work) {
      if (milliseconds === 0) {
        const turn = setImmediate(work)
        return () => clearImmediate(turn)
      }
      const entry = { at: clock.now() + milliseconds, work }
      waiting.add(entry)
      return () => void waiting.delete(entry)
    },
    async pass(milliseconds) {
      const before = waiting.size
      clock.advance({ minutes: milliseconds / 60_000 })
      const over = [...waiting].filter(({ at }) => at <= clock.now()).sort((a, b) => a.at - b.at)
      for (const entry of over) if (waiting.delete(entry)) entry.work()
      for (let turn = 0; turn < TURNS && waiting.size < before; turn++) await nextTurn()
    },
  }
}

/** The next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
