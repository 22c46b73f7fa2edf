import { type Bucket, fullBucket, type Rate, takeToken } from '../../domain/safety/token-bucket.ts'
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
    const { bucket, waitMilliseconds } = takeToken(
      this.#bucket ?? fullBucket(rate, now),
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
        recovery: `Call again in ${seconds} seconds; nothing was done. Many things at once go into one call: remember_many, connects, outcome with several ids.`,
        details: { retryAfterSeconds: seconds },
      },
    )
  }
}
