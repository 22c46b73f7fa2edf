import { withoutEnd } from '../../block/text.ts'
import { failure, refused, type Target, unreachable } from './failure.ts'
import type { Outcome } from './retries.ts'

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

/** True if an error, or what caused it, is an answer that was too long. */
export function isTooLong(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TooLong' || isTooLong(error.cause))
}

/** The default time limit for one attempt with its whole answer. */
export const TIMEOUT_MS = 30_000

/** One POST request with a JSON body, and its limits in milliseconds and bytes. */
export interface Post {
  readonly target: Target
  readonly address: URL
  readonly body: unknown
  readonly timeoutMs?: number | undefined
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly fetch?: typeof fetch | undefined
}

/** A body that came with a success. */
export interface Posted {
  readonly text: string
  readonly contentType: string
}

/** Posts JSON once and reads the whole answer within the time limit. Never throws. */
export async function postJson(post: Post): Promise<Outcome<Posted> & { readonly refusal?: string }> {
  const { target, address, body, timeoutMs = TIMEOUT_MS, maxBytes, signal } = post
  const { apiKey } = target
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    const message = `The API key of the ${target.part.name} has characters that no key has.`
    return { ok: false, ...failure(target, { kind: 'key', message, passing: false }) }
  }
  const limit = timeLimit(timeoutMs)
  try {
    const response = await guardedFetch(maxBytes, post.fetch)(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, limit.signal]),
    })
    const text = await response.text()
    const contentType = response.headers.get('content-type') ?? ''
    if (response.ok) return { ok: true, answer: { text, contentType } }
    const retryAfter = response.headers.get('retry-after') ?? undefined
    return {
      ok: false,
      ...refused(target, { status: response.status, body: text, retryAfter }),
      refusal: text,
    }
  } catch (cause) {
    if (isTooLong(cause)) return { ok: false, ...tooLong(target, maxBytes) }
    return { ok: false, ...unreachable(target, cause, timeoutMs) }
  } finally {
    limit.end()
  }
}

/** A signal that aborts with a TimeoutError, unless it was ended before. */
export function timeLimit(ms: number): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController()
  const stop = () => controller.abort(new DOMException('The time limit was reached.', 'TimeoutError'))
  const timer = setTimeout(stop, ms)
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}

/** The answer does not end, or not soon enough. Asking again would cost the same again. */
export function tooLong(target: Target, maxBytes: number) {
  const message = `The ${target.part.server} ${target.host} gave an answer of more than ${maxBytes} bytes.`
  return failure(target, { kind: 'answer', message, passing: false })
}

/** The address with a path appended; fails when it is none, or holds a password that would end in a log. */
export function endpoint(target: Target, baseUrl: string, path: string): Outcome<URL> {
  const url = URL.parse(baseUrl)
  const broken = url === null ? 'is not a URL' : url.username || url.password ? 'holds a password' : undefined
  if (url === null || broken !== undefined) {
    const message = `The base URL of the ${target.part.name} ${broken}.`
    const { error, ...rest } = failure(target, { kind: 'host', message, passing: false, code: 'URL' })
    return { ok: false, error, ...rest }
  }
  url.pathname = `${withoutEnd(url.pathname, '/')}${path}`
  return { ok: true, answer: url }
}
