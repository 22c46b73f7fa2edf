import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { DASHBOARD_BOUNDS } from '../bounds.ts'

/** Bytes of the token of a run, 256 bits, and of the code of a link, 128 bits. */
const BYTES = { token: 32, code: 16 }

/** The token of one run of a dashboard, and the codes of links that are traded for it. */
export class Session {
  readonly token = randomBytes(BYTES.token).toString('base64url')
  readonly #now: () => number
  /** The time at which each code ends, by its hash, so that how long it takes to find tells nothing of another one; the oldest first. */
  readonly #codes = new Map<string, number>()

  /** @param now milliseconds; only differences count */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A code that can be traded once, for ten minutes. */
  newCode(): string {
    const code = randomBytes(BYTES.code).toString('base64url')
    this.#codes.set(sha256(code).toString('hex'), this.#now() + DASHBOARD_BOUNDS.codeMs)
    const [oldest] = this.#codes.keys()
    if (this.#codes.size > DASHBOARD_BOUNDS.codes && oldest !== undefined) this.#codes.delete(oldest)
    return code
  }

  /** The token in the place of a code, which counts no longer; undefined for one that is used, too old or not ours. */
  trade(code: string): string | undefined {
    const hash = sha256(code).toString('hex')
    const until = this.#codes.get(hash)
    this.#codes.delete(hash)
    return until !== undefined && this.#now() <= until ? this.token : undefined
  }

  /** True for the token; takes the same time for every other one. */
  isToken(given: string): boolean {
    return timingSafeEqual(sha256(given), sha256(this.token))
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
