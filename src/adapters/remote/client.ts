import { setTimeout as sleep } from 'node:timers/promises'
import { defined, withoutEnd } from '../../block/text.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { redactSecrets } from '../../secrets/secrets.ts'

/** A part of elfmem that asks a model, with its name in messages and in settings. */
interface Part {
  readonly code: 'EMBEDDER_FAILED' | 'MODEL_FAILED'
  readonly name: string
  readonly section: 'embeddings' | 'llm'
}

export const EMBEDDER: Part = { code: 'EMBEDDER_FAILED', name: 'embedder', section: 'embeddings' }
export const LANGUAGE_MODEL: Part = { code: 'MODEL_FAILED', name: 'language model', section: 'llm' }

/** The endpoint that is asked. */
export interface Target {
  readonly part: Part
  readonly host: string
  readonly model: string
  readonly apiKey?: string | undefined
  /** The environment variable the key is read from, for the advice. */
  readonly keyVariable?: string | undefined
}

/** The facts about a failed request. */
interface FailureFacts {
  /** The rest of the sentence that begins with the name and host of the part: `answered 500`. */
  readonly did: string
  /** The endpoint's own words. */
  readonly said?: string | undefined
  /** True if the same request may work later; decided by the status unless given. */
  readonly passing?: boolean | undefined
  readonly status?: number | undefined
  /** The system's code, such as ECONNREFUSED, or TIMEOUT. */
  readonly code?: string | undefined
  /** The Retry-After header as it came. */
  readonly retryAfter?: string | undefined
}

/** The failure of one attempt. `error` is for the caller; the other fields decide about another attempt. */
export class Failed extends Error {
  readonly error: ElfmemError<'EMBEDDER_FAILED' | 'MODEL_FAILED'>
  readonly passing: boolean
  readonly retryAfter: string | undefined
  /** True if the endpoint refused how it was asked. */
  readonly isRefusal: boolean

  /** Message and details hold no key. There is no `cause`, since a provider's error may repeat a request with its headers. */
  constructor(target: Target, facts: FailureFacts) {
    super('The attempt failed.')
    const { did, said = '', status, code, retryAfter } = facts
    const { part, host, model } = target
    const late = status !== undefined && (status === 408 || status === 429 || status >= 500)
    this.passing = facts.passing ?? late
    this.retryAfter = retryAfter
    this.isRefusal = status === 400 || status === 422
    this.error = new ElfmemError(part.code, `The ${part.name} at ${host} ${did}${excerptOf(said, target)}.`, {
      recovery: adviceFor(facts, target),
      details: { passing: this.passing, host, model, ...defined({ status, code }) },
    })
  }
}

function adviceFor({ status = 0, code }: FailureFacts, { part, model, keyVariable }: Target): string {
  const { section, name } = part
  if (status === 401 || status === 403)
    return `Check the API key of the ${name} in ${keyVariable ?? `${section}.api_key_env`}.`
  if (status === 429) return 'Wait, or raise the rate limit or quota of the account.'
  if (status >= 500) return `Try again later: the server of the ${name} failed.`
  if (code === 'TIMEOUT') return `Raise ${section}.timeout_seconds, or choose a faster model.`
  return `Check that the server runs, ${section}.base_url (it usually ends with /v1, and redirects are not followed), the key, and that the model "${model}" is there and reads so long a text.`
}

/** The most characters of an endpoint's words in a message. */
const EXCERPT_CHARACTERS = 200

/** Returns an endpoint's words as `: one short line` without keys and full stop, or ''. Some servers repeat the key. */
function excerptOf(said: string, { apiKey }: Target): string {
  const known = apiKey ? said.replaceAll(apiKey, '[key]') : said
  const line = redactSecrets(known.slice(0, 2_000).replace(/\s+/g, ' ').trim()).text
  return line === '' ? '' : `: ${line.slice(0, EXCERPT_CHARACTERS).replace(/\.$/, '')}`
}

/** Returns the message in the body of a refusal; '' for a page of HTML. */
function messageIn(body: string): string {
  const answer: unknown = attempt(() => JSON.parse(body))
  return answer === undefined ? body.replace(/^\s*<.*/s, '') : (errorIn(answer) ?? '')
}

/** Returns the words of the field in which a server says an error; undefined if there is none. */
export function errorIn(answer: unknown): string | undefined {
  const body = Object([answer].flat()[0])
  const error = body.error ?? body.detail ?? body.message
  if (error === undefined || error === null) return undefined
  const said = typeof error === 'string' ? error : error.message
  return typeof said === 'string' ? said : JSON.stringify(error)
}

/** The fields of thrown errors: the AI SDK sets a status, the system a code. */
interface ThrownError {
  readonly name?: string
  readonly message?: string
  readonly statusCode?: number
  readonly isRetryable?: boolean
  readonly responseHeaders?: Readonly<Record<string, string>>
}

/** Returns the failure for an error that came instead of an answer, from fetch or from a model object of the AI SDK. */
export function failureFor(target: Target, cause: unknown): Failed {
  const { name, message, statusCode: status, isRetryable, responseHeaders }: ThrownError = Object(cause)
  const code = name === 'TimeoutError' ? 'TIMEOUT' : systemCode(cause)
  return new Failed(target, {
    did: code === 'TIMEOUT' ? 'did not answer in time' : code ? `cannot be reached (${code})` : 'failed',
    said: code === undefined ? (message ?? String(cause)) : '',
    passing: isRetryable ?? (code !== undefined || undefined),
    status,
    code,
    retryAfter: responseHeaders?.['retry-after'],
  })
}

/** Returns the system's code of an error, which fetch hides in a chain of causes. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return 'code' in error && typeof error.code === 'string' ? error.code : systemCode(error.cause)
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

/** Posts JSON once and returns the answer, undefined if it is no JSON; throws nothing but `Failed`. No redirect is followed. */
export async function postJson(target: Target, post: Post): Promise<unknown> {
  const { timeoutMs = TIMEOUT_MS, maxBytes, signal, fetch: send = fetch } = post
  const url = URL.parse(post.baseUrl)
  // An address with a password is refused, since it would get into a log.
  if (url === null || url.username || url.password)
    throw new Failed(target, {
      did: `has a base URL that ${url === null ? 'is no URL' : 'holds a password'}`,
    })
  url.pathname = `${withoutEnd(url.pathname, '/')}${post.path}`
  const { apiKey } = target
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw new Failed(target, { did: 'is not asked: its API key has characters that no key has', status: 401 })
  try {
    const response = await send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(post.body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      redirect: 'manual',
    })
    const text = await textOf(response, maxBytes)
    const { status, headers } = response
    if (response.ok && text !== undefined) return attempt(() => JSON.parse(text))
    throw new Failed(target, {
      did: text === undefined ? `gave an answer of more than ${maxBytes} bytes` : `answered ${status}`,
      said: messageIn(text ?? ''),
      status,
      retryAfter: headers.get('retry-after') ?? undefined,
    })
  } catch (cause) {
    throw cause instanceof Failed ? cause : failureFor(target, cause)
  }
}

/** Reads the text of an answer; undefined if it is too long, so that no endpoint fills the memory. */
async function textOf({ body }: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The number of retries and the waits between them; each may be left out. */
export interface RetryOptions {
  /** Requests after the first one that failed for a reason that may pass, 3 by default. */
  readonly maxRetries?: number
  /** Waits between retries; it rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

const FIRST_MS = 500
const LONGEST_MS = 60_000

/** Begins the lifetime of an adapter, from its opening to its closing. */
export function beginLifetime({ name }: Part, retries: RetryOptions) {
  const closing = new AbortController()
  return {
    /** Tries an attempt until it succeeds, the signal aborts (`CANCELLED`) or the adapter is closed (`CLOSED`). */
    async run<T>(signal: AbortSignal | undefined, attempt: (signal: AbortSignal) => Promise<T>) {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
      try {
        return await withRetries(() => attempt(either), retries, either)
      } catch (error) {
        if (closing.signal.aborted)
          throw new ElfmemError('CLOSED', `The ${name} is closed.`, { recovery: `Create a new ${name}.` })
        if (signal?.aborted)
          throw new ElfmemError('CANCELLED', `The call of the ${name} was cancelled.`, {
            recovery: 'Call again without aborting the signal.',
            cause: signal.reason,
          })
        throw error
      }
    },
    close: async () => closing.abort(),
  }
}

async function withRetries<T>(
  attempt: () => Promise<T>,
  { maxRetries = 3, wait = pause }: RetryOptions,
  signal: AbortSignal,
): Promise<T> {
  for (let tried = 0; ; tried++) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Failed)) throw error
      if (!error.passing || tried >= maxRetries) throw error.error
      await wait(delayAfter(error, tried), signal)
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal })
}

/** Milliseconds until the next attempt: as the endpoint asks, else 500 doubled each time, up to a half less so that clients spread out. */
function delayAfter({ retryAfter }: Failed, tried: number): number {
  const asked = Number(retryAfter) * 1000
  const ms = Number.isFinite(asked) ? asked : FIRST_MS * 2 ** tried * (1 - Math.random() / 2)
  return Math.min(ms, LONGEST_MS)
}
