/** How many calls are let through: so many at once, and so many a minute in the long run. */
export interface Rate {
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
export interface Taken {
  readonly bucket: Bucket
  /** Until the call is let through; 0 when this one was. */
  readonly waitMilliseconds: number
}

const MINUTE_MS = 60_000

/** An allowance nobody has used yet. */
export function fullBucket({ burst }: Rate, now: number): Bucket {
  return { credit: burst * MINUTE_MS, at: now }
}

/**
 * Takes calls from the allowance, which fills steadily up to `burst`. A clock that goes back gives nothing.
 *
 * @param calls taken together or not at all; at most `burst`
 */
export function takeToken({ credit, at }: Bucket, now: number, { perMinute, burst }: Rate, calls = 1): Taken {
  const gained = Math.max(0, now - at) * perMinute
  const filled = { credit: Math.min(burst * MINUTE_MS, credit + gained), at: Math.max(at, now) }
  const price = calls * MINUTE_MS
  if (filled.credit >= price)
    return { bucket: { ...filled, credit: filled.credit - price }, waitMilliseconds: 0 }
  return { bucket: filled, waitMilliseconds: (price - filled.credit) / perMinute }
}
