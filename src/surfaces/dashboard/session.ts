import { createHash, randomBytes } from 'node:crypto'
import { DASHBOARD_BOUNDS } from '../bounds.ts'
import { holderOf } from '../http/gate.ts'

/** Bytes of the token of a run: 256 bits. */
const TOKEN_BYTES = 32
/** Bytes of the code of a link: 128 bits. */
const CODE_BYTES = 16

/** The token of one run of a dashboard, and the codes of links that are traded for it. */
export class Session {
  readonly token = randomBytes(TOKEN_BYTES).toString('base64url')
  readonly #hash = sha256(this.token)
  readonly #now: () => number
  /** The time at which each code ends, by its hash; the oldest first. */
  readonly #codes = new Map<string, number>()

  /** @param now milliseconds; only differences count */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A code that can be traded once, for ten minutes. */
  newCode(): string {
    const code = randomBytes(CODE_BYTES).toString('base64url')
    this.#codes.set(nameOf(code), this.#now() + DASHBOARD_BOUNDS.codeMs)
    const [oldest] = this.#codes.keys()
    if (this.#codes.size > DASHBOARD_BOUNDS.codes && oldest !== undefined) this.#codes.delete(oldest)
    return code
  }

  /** The token in the place of a code, which counts no longer; undefined for one that is used, too old or not ours. */
  trade(code: string): string | undefined {
    const name = nameOf(code)
    const until = this.#codes.get(name)
    this.#codes.delete(name)
    return until !== undefined && this.#now() <= until ? this.token : undefined
  }

  /** True for the token; takes the same time for every other one. */
  isToken(given: string): boolean {
    return holderOf(sha256(given), [{ hash: this.#hash }]) !== undefined
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** The name under which a code is kept: how long it takes to find tells nothing of another one. */
function nameOf(code: string): string {
  return sha256(code).toString('hex')
}
