import { setTimeout as sleep } from 'node:timers/promises'
import { withoutEnd } from '../../block/text.ts'
import { ElfmemError } from '../../errors.ts'
import {
  excerptOf,
  Failed,
  isPassing,
  isTimeout,
  kindOfStatus,
  serverMessage,
  systemCode,
  type Target,
} from './failure.ts'

/** Thrown into the stream of a body that is longer than allowed. */
class TooLong extends Error {
  override readonly name = 'TooLong'
}

/**
 * A fetch whose answers end with an error after `maxBytes`, so that no endpoint fills the memory, and that follows no
 * redirect, so that no key goes to another host.
 */
export function guardedFetch(maxBytes: number, inner: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: 'manual' })
    if (response.body === null) return response
    let bytes = 0
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > maxBytes) controller.error(new TooLong(`The answer is longer than ${maxBytes} bytes.`))
        else controller.enqueue(chunk)
      },
    })
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limit), { status, statusText, headers })
  }
}

/** True if an error, or its cause, is an answer that was too long. */
export function isTooLong(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TooLong' || isTooLong(error.cause))
}

/** The default time limit of one attempt with its whole answer. */
export const TIMEOUT_MS = 30_000

/** One POST request with a JSON body, and its limits in milliseconds and bytes. */
interface Post {
  readonly baseUrl: string
  /** The path that is appended to the base URL. */
  readonly path: string
  readonly body: unknown
  readonly timeoutMs?: number | undefined
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly fetch?: typeof fetch | undefined
}

/** Posts JSON once and returns the whole answer; throws nothing but `Failed`. */
export async function postJson(target: Target, post: Post) {
  const { timeoutMs = TIMEOUT_MS, maxBytes, signal } = post
  const address = addressOf(target, post)
  const headers = { 'content-type': 'application/json', ...authorization(target) }
  let response: Response
  let text: string
  try {
    response = await guardedFetch(maxBytes, post.fetch)(address, {
      method: 'POST',
      headers,
      body: JSON.stringify(post.body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    text = await response.text()
  } catch (cause) {
    throw withoutAnswer(target, cause, { timeoutMs, maxBytes })
  }
  if (!response.ok) throw refused(target, response, text)
  return { text, isJson: /json/i.test(response.headers.get('content-type') ?? '') }
}

function authorization(target: Target): { readonly authorization?: string } {
  const { apiKey, part } = target
  if (apiKey === undefined) return {}
  if (/^[\x21-\x7e]+$/.test(apiKey)) return { authorization: `Bearer ${apiKey}` }
  const message = `The API key of the ${part.name} has characters that no key has.`
  throw new Failed(target, { kind: 'key', message })
}

const QUOTA = /insufficient_quota|credit balance|billing/i

/** The failure for an answer with a status that is no success. */
function refused(target: Target, { status, headers }: Response, text: string): Failed {
  const words = serverMessage(text)
  const kind = kindOfStatus(status, words, target.model)
  return new Failed(target, {
    kind,
    message: `The ${target.part.server} ${target.host} answered ${status}${excerptOf(words, target)}.`,
    // No waiting lifts a limit of the account.
    passing: isPassing(status) && !(kind === 'rate' && QUOTA.test(text)),
    status,
    retryAfter: headers.get('retry-after') ?? undefined,
    refusal: status === 400 || status === 422 ? words : undefined,
  })
}

/** The failure of a request without a whole answer: refused, not found, broken off, too slow or too long. */
function withoutAnswer(
  target: Target,
  cause: unknown,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
): Failed {
  const said = `The ${target.part.server} ${target.host}`
  if (isTooLong(cause))
    return new Failed(target, {
      kind: 'answer',
      message: `${said} gave an answer of more than ${maxBytes} bytes.`,
    })
  if (isTimeout(cause)) {
    const message = `${said} did not answer within ${timeoutMs} ms.`
    return new Failed(target, { kind: 'timeout', message, passing: true, cause })
  }
  const code = systemCode(cause)
  const message = `${said} cannot be reached${code === undefined ? '' : ` (${code})`}.`
  return new Failed(target, { kind: 'host', message, passing: true, code, cause })
}

/** The address of a request. A base URL with a password is refused, since it would end in a log. */
function addressOf(target: Target, { baseUrl, path }: Pick<Post, 'baseUrl' | 'path'>): URL {
  const url = URL.parse(baseUrl)
  if (url === null || url.username || url.password)
    throw new Failed(target, {
      kind: 'host',
      message: `The base URL of the ${target.part.name} ${url === null ? 'is not a URL' : 'holds a password'}.`,
      code: 'URL',
    })
  url.pathname = `${withoutEnd(url.pathname, '/')}${path}`
  return url
}

/** The number of retries and the waits between them; each may be left out. */
export interface RetryOptions {
  /** Requests after the first one that failed for a reason that may pass, 3 by default. */
  readonly maxRetries?: number
  /** Waits between retries; it rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** The jitter of the waits, in [0, 1). */
  readonly random?: () => number
}

/** Returns the first answer. A failure that may pass is tried again after a growing wait; the last one is thrown. */
async function withRetries<T>(
  attempt: () => Promise<T>,
  { maxRetries = 3, wait = pause, random = Math.random }: RetryOptions,
  signal: AbortSignal,
): Promise<T> {
  for (let tried = 0; ; tried++) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Failed)) throw error
      if (!error.passing || tried >= maxRetries) throw error.error
      await wait(retryDelay(tried, random(), error.retryAfter), signal)
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal })
}

const FIRST_MS = 500
const LONGEST_MS = 30_000
const LONGEST_ASKED_MS = 60_000

/**
 * Milliseconds until the next attempt: as Retry-After asks (seconds or a date), a minute at most; else 500 ms doubled
 * with every attempt, 30 s at most, of which a random half is taken away so that clients spread out.
 */
function retryDelay(tried: number, random: number, retryAfter: string | undefined): number {
  const seconds = Number(retryAfter)
  const asked = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter ?? '') - Date.now()
  if (Number.isFinite(asked)) return Math.min(Math.max(asked, 0), LONGEST_ASKED_MS)
  return Math.min(FIRST_MS * 2 ** tried, LONGEST_MS) * (1 - random / 2)
}

/** The calls of a remote adapter from its opening to its closing. */
interface Lifetime {
  /** Tries an attempt until it succeeds, the signal aborts (`CANCELLED`) or the adapter is closed (`CLOSED`). */
  run<T>(signal: AbortSignal | undefined, attempt: (signal: AbortSignal) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Begins a lifetime; `work` and `thing` are for the messages, such as `Embedding` and `embedder`. */
export function beginLifetime(work: string, thing: string, retries: RetryOptions): Lifetime {
  const closing = new AbortController()
  return {
    async run(signal, attempt) {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
      try {
        return await withRetries(() => attempt(either), retries, either)
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
    close: async () => closing.abort(),
  }
}
