import { ElfmemError } from '../errors.ts'

/** The settings that a rate of calls goes by. */
interface RateLimits {
  readonly callsPerMinute: number
  readonly burstCalls: number
}

const MINUTE_MS = 60_000

/** Counts the calls of one caller, which is one connection. */
export class CallRate {
  readonly #now: () => number
  /** Calls left, times the milliseconds of a minute: a whole number, so that no share of a call is rounded away. */
  #credit = 0
  #at = Number.NEGATIVE_INFINITY
  #burst = 0

  /** @param now milliseconds of any clock; one that goes back gives nothing */
  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Throws `RATE_LIMITED` when this call is one too many for now.
   *
   * @param calls number of calls it counts as, at most `burstCalls`
   */
  take({ callsPerMinute, burstCalls }: RateLimits, calls = 1): void {
    const now = this.#now()
    // Before the memory is open the limits are those of no configuration: what is allowed besides counts from the beginning.
    const more = Math.max(0, burstCalls - this.#burst) * MINUTE_MS
    const gained = this.#burst === 0 ? 0 : Math.max(0, now - this.#at) * callsPerMinute
    this.#credit = Math.min(burstCalls * MINUTE_MS, this.#credit + more + gained)
    this.#at = Math.max(this.#at, now)
    this.#burst = burstCalls
    const price = Math.min(calls, burstCalls) * MINUTE_MS
    if (this.#credit >= price) {
      this.#credit -= price
      return
    }
    const seconds = Math.ceil((price - this.#credit) / callsPerMinute / 100) / 10
    throw new ElfmemError(
      'RATE_LIMITED',
      `This connection makes more than ${callsPerMinute} calls a minute, the ${burstCalls} it may make at once included (limits.calls_per_minute, limits.burst_calls).`,
      {
        recovery: `Call again in ${seconds} seconds; nothing was done. Many things at once go into one call: rememberMany(), outcome() with several ids.`,
        details: { retryAfterSeconds: seconds },
      },
    )
  }
}
