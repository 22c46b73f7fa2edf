import type { Clock } from '../../../ports/clock.ts'

const MINUTE_MS = 60_000

/** A clock that stands where the journal says it is; it moves by a second with every look, as time does. */
export class DemoClock implements Clock {
  #ms = 0

  now(): number {
    this.#ms += 1000
    return this.#ms
  }

  /** Goes to so many minutes after a moment, never backwards. */
  moveTo(iso: string, minutes = 0): void {
    this.#ms = Math.max(this.#ms, Date.parse(iso) + minutes * MINUTE_MS)
  }

  skipHours(hours: number): void {
    this.#ms += hours * 60 * MINUTE_MS
  }
}
