import type { ServerResponse } from 'node:http'
import { tokenHash } from '../../adapters/project/tokens/token-store.ts'
import { HTTP_BOUNDS } from '../bounds.ts'
import { type Asked, bodyOf, isRefusal, isStoreFailure, parsed, refused, tooMany } from '../http/app.ts'
import { bearerOf, type Refusal } from '../http/gate.ts'
import type { ServiceParts } from './calls.ts'
import type { Holder } from './holders.ts'

/** The looks after which holders that have nothing open are looked at, too. */
const IDLE_LOOKS = 60

/** Lets holders of tokens in, and ends what they have open once their token opens nothing any more. */
export class Door {
  readonly #parts: ServiceParts
  /** The answers under way of each holder that was let in. */
  readonly #open = new Map<Holder, Set<ServerResponse>>()
  readonly #reading = new WeakMap<Holder, number>()
  #looks = 0

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  /** Answers the holder of the token of a request, or says that it is none. */
  async asHolder(c: Asked, work: (holder: Holder) => Response | Promise<Response>): Promise<Response> {
    const token = bearerOf(c.env.incoming)
    const holder = token === undefined ? undefined : await this.find(token)
    if (holder === undefined) return refused(c, unauthorised(token !== undefined))
    this.enter(c, holder)
    return work(holder)
  }

  /** Answers with the JSON that a holder sent, undefined for none. */
  async withBody(c: Asked, holder: Holder, work: (value: unknown) => Promise<Response>) {
    const reading = this.#reading.get(holder) ?? 0
    if (reading >= HTTP_BOUNDS.bodies) return refused(c, tooMany('requests', 503))
    this.#reading.set(holder, reading + 1)
    const body = await bodyOf(c, this.#parts.limits().requestBytes).finally(() => {
      this.#reading.set(holder, (this.#reading.get(holder) ?? 1) - 1)
    })
    if (isRefusal(body)) return refused(c, body)
    const json = body.length === 0 ? { value: undefined } : parsed(body)
    if (json !== undefined) return work(json.value)
    const message = 'The body is not valid JSON.'
    return refused(c, { status: 400, code: 'INVALID_INPUT', message, recovery: 'Send one JSON value.' })
  }

  find(token: string): Promise<Holder | undefined> {
    return this.#parts.holders.find(tokenHash(token))
  }

  /** Notes that a request is a holder's: its answer ends with the token. */
  enter(c: Asked, holder: Holder): void {
    c.env.know()
    c.set('holder', holder.name)
    const answers = this.#open.get(holder) ?? new Set()
    this.#open.set(holder, answers.add(c.env.outgoing))
    c.env.outgoing.once('close', () => answers.delete(c.env.outgoing))
  }

  /** True as long as a holder's token opens what it opened. */
  async isStill(holder: Holder): Promise<boolean> {
    return (await this.#parts.holders.find(holder.sha256)) === holder
  }

  /** Ends the answers to holders whose tokens open nothing any more; returns those holders. */
  async look(): Promise<readonly Holder[]> {
    // Holders with nothing open are looked at later: each request asks anew who sends it.
    const isLate = this.#looks++ % IDLE_LOOKS === 0
    const known = [...this.#open].flatMap(([holder, { size }]) => (isLate || size > 0 ? [holder] : []))
    // While the tokens cannot be asked for, no token can be revoked either.
    const still = await Promise.all(known.map((each) => this.isStill(each).catch(isStoreFailure)))
    const gone = known.filter((_, at) => !still[at])
    for (const holder of gone) {
      for (const answer of this.#open.get(holder) ?? []) answer.destroy()
      this.#open.delete(holder)
    }
    return gone
  }
}

/** The refusal of a request whose token opens nothing. */
function unauthorised(isGiven: boolean): Refusal {
  return {
    ...{ status: 401, code: 'UNAUTHORISED' },
    message: isGiven ? 'The bearer token is not known here, or was revoked.' : 'A bearer token is needed.',
    recovery: 'elfmem tokens add makes one; elfmem tokens list names those that are.',
    headers: { 'www-authenticate': `Bearer realm="elfmem"${isGiven ? ', error="invalid_token"' : ''}` },
  }
}
