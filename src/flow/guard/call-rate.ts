import { ElfmemError } from '../../errors.ts'

/** The settings it goes by. */
interface Limits {
  readonly callsPerMinute: number
  readonly burstCalls: number
}

/** Counts the calls of one caller, which is one connection. */
export class CallRate {
  readonly #now: () => number
  #bucket: Bucket | undefined
  #burst = 0

  /** @param now milliseconds; only differences count */
  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Throws `RATE_LIMITED` when this call is one too many for now.
   *
   * @param calls so many it counts as, at most `burstCalls`
   */
  take({ callsPerMinute, burstCalls }: Limits, calls = 1): void {
    const rate: Rate = { perMinute: callsPerMinute, burst: burstCalls }
    const now = this.#now()
    // Until the memory is open the limits are those of no configuration: what is allowed besides counts from the beginning.
    const more = Math.max(0, burstCalls - this.#burst) * MINUTE_MS
    this.#burst = burstCalls
    const had = this.#bucket && { ...this.#bucket, credit: this.#bucket.credit + more }
    const { bucket, waitMilliseconds } = takeToken(
      had ?? fullBucket(rate, now),
      now,
      rate,
      Math.min(calls, burstCalls),
    )
    this.#bucket = bucket
    if (waitMilliseconds === 0) return
    const seconds = Math.ceil(waitMilliseconds / 100) / 10
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

/** How many calls are let through: so many at once, and so many a minute in the long run. */
interface Rate {
  readonly perMinute: number
  readonly burst: number
}

/** State of an allowance, in whole numbers, so that a share of a call is never rounded away. */
export interface Bucket {
  /** Calls left, times the milliseconds of a minute. */
  readonly credit: number
  /** Time of this state, in milliseconds of any clock. */
  readonly at: number
}

/** A bucket after a call, and how long the caller has to wait if it was not let through. */
interface Taken {
  readonly bucket: Bucket
  /** Until the call is let through; 0 when this one was. */
  readonly waitMilliseconds: number
}

const MINUTE_MS = 60_000

/** An allowance nobody has used yet. */
function fullBucket({ burst }: Rate, now: number): Bucket {
  return { credit: burst * MINUTE_MS, at: now }
}

/**
 * Takes calls from the allowance, which fills steadily up to `burst`. A clock that goes back gives nothing.
 *
 * @param calls taken together or not at all; at most `burst`
 */
function takeToken({ credit, at }: Bucket, now: number, { perMinute, burst }: Rate, calls = 1): Taken {
  const gained = Math.max(0, now - at) * perMinute
  const filled = { credit: Math.min(burst * MINUTE_MS, credit + gained), at: Math.max(at, now) }
  const price = calls * MINUTE_MS
  if (filled.credit >= price)
    return { bucket: { ...filled, credit: filled.credit - price }, waitMilliseconds: 0 }
  return { bucket: filled, waitMilliseconds: (price - filled.credit) / perMinute }
}
