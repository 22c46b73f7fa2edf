import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { DASHBOARD_BOUNDS } from '../bounds.ts'

/** The token of one run of a dashboard, of 256 bits, and the code of its link, of 128 bits, that is traded for it. */
export class Session {
  readonly token = randomBytes(32).toString('base64url')
  readonly code = randomBytes(16).toString('base64url')
  readonly #now: () => number
  #until: number

  /** @param now milliseconds; only differences count */
  constructor(now: () => number) {
    this.#now = now
    this.#until = now() + DASHBOARD_BOUNDS.codeMs
  }

  /** Returns the token in the place of the code, once; undefined for one that is used, too old or not ours. */
  trade(code: string): string | undefined {
    if (!isSame(code, this.code) || this.#now() > this.#until) return undefined
    this.#until = Number.NEGATIVE_INFINITY
    return this.token
  }

  /** Returns true if the text is the token. */
  isToken(given: string): boolean {
    return isSame(given, this.token)
  }
}

/** Compares two texts in a time that does not depend on where they differ. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}
