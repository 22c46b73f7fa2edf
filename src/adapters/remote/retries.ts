import { setTimeout as sleep } from 'node:timers/promises'
import { ElfmemError } from '../../errors.ts'
import type { Failure } from './failure.ts'

/** Result of one attempt: an answer, or why there is none. */
export type Outcome<T> = { readonly ok: true; readonly answer: T } | (Failure & { readonly ok: false })

/** The number of retries and the waits between them; each may be left out. */
export interface RetryOptions {
  /** Requests after the first one that failed for a reason that may pass, 3 by default. */
  readonly maxRetries?: number
  /** Waits between retries; it rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** The jitter of the waits, in [0, 1). */
  readonly random?: () => number
}

const MAX_RETRIES = 3

/** The first answer. A failure that may pass is tried again after a growing wait; any other, and the last, is thrown. */
export async function withRetries<T>(
  attempt: () => Promise<Outcome<T>>,
  retries: RetryOptions,
  signal: AbortSignal,
): Promise<T> {
  const wait = retries.wait ?? ((ms: number, until: AbortSignal) => sleep(ms, undefined, { signal: until }))
  const maxRetries = retries.maxRetries ?? MAX_RETRIES
  for (let tried = 0; ; tried++) {
    signal.throwIfAborted()
    const outcome = await attempt()
    if (outcome.ok) return outcome.answer
    signal.throwIfAborted()
    if (!outcome.passing || tried >= maxRetries) throw outcome.error
    const random = (retries.random ?? Math.random)()
    await wait(retryDelay({ attempt: tried, random, retryAfter: outcome.retryAfter }), signal)
  }
}

/** The calls of a remote adapter from its opening to its closing. */
export interface Lifetime {
  /** Runs `work` until it ends, the signal aborts (`CANCELLED`) or the adapter is closed (`CLOSED`). */
  run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  close(): void
}

/** Begins a lifetime; `work` and `thing` are for the messages, such as `Embedding` and `embedder`. */
export function beginLifetime(work: string, thing: string): Lifetime {
  const closing = new AbortController()
  return {
    async run(signal, run) {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
      try {
        return await run(either)
      } catch (error) {
        if (closing.signal.aborted)
          throw new ElfmemError('CLOSED', `The ${thing} is closed.`, { recovery: `Create a new ${thing}.` })
        if (signal?.aborted)
          throw new ElfmemError('CANCELLED', `${work} was cancelled.`, {
            recovery: 'Call again without aborting the signal.',
            cause: signal.reason,
          })
        throw error
      }
    },
    close: () => closing.abort(),
  }
}

const FIRST_MS = 500
const LONGEST_MS = 30_000
const LONGEST_ASKED_MS = 60_000

/** The facts that decide how long the next try waits. */
interface RetryDelayInput {
  /** 0 after the first failure. */
  readonly attempt: number
  /** A random number in [0, 1), which spreads the pauses. */
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
function retryDelay({ attempt, random, retryAfter, now = Date.now() }: RetryDelayInput): number {
  const asked = retryAfter === undefined ? Number.NaN : askedFor(retryAfter, now)
  if (Number.isFinite(asked)) return Math.min(Math.max(asked, 0), LONGEST_ASKED_MS)
  const full = Math.min(FIRST_MS * 2 ** attempt, LONGEST_MS)
  return full * (1 - random / 2)
}

function askedFor(retryAfter: string, now: number): number {
  const seconds = Number(retryAfter)
  return Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - now
}
