const FIRST_MS = 500
const LONGEST_MS = 30_000
const LONGEST_ASKED_MS = 60_000

export interface RetryDelayInput {
  /** 0 after the first failure. */
  readonly attempt: number
  /** In [0, 1). */
  readonly random: number
  /** The Retry-After header: seconds or a date. */
  readonly retryAfter: string | undefined
  /** The present in ms since 1970, for a Retry-After that is a date. */
  readonly now?: number
}

/**
 * Milliseconds until the next try: what the server asks for, a minute at most; else 500 ms doubled with every
 * attempt, 30 s at most, of which a random half is taken away so that clients spread out.
 */
export function retryDelay({ attempt, random, retryAfter, now = Date.now() }: RetryDelayInput): number {
  const asked = retryAfter === undefined ? Number.NaN : askedFor(retryAfter, now)
  if (Number.isFinite(asked)) return Math.min(Math.max(asked, 0), LONGEST_ASKED_MS)
  const full = Math.min(FIRST_MS * 2 ** attempt, LONGEST_MS)
  return full * (1 - random / 2)
}

function askedFor(retryAfter: string, now: number): number {
  const seconds = Number(retryAfter)
  return Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - now
}
