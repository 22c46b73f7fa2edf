import { ElfmemError } from '../errors.ts'
import type { Address } from './address.ts'
import { cancelled, foreign, toldFailure, unreachable } from './failures.ts'
import { kindOf } from './operations.ts'

/** Bytes of the longest answer that is read. */
const ANSWER_BYTES = 64 * 2 ** 20
/** Bytes of a failure. */
const FAILURE_BYTES = 2 ** 20
/** Long work may take so many times as long. */
const LONG = 20
const WAIT = { firstMs: 100, mostMs: 10_000 }
/** Statuses of a service, or of what stands in front of it, that has no room or is not there just now. */
const PASSING = [429, 502, 503, 504]

/** One request to a service. */
export interface Request {
  readonly method: 'GET' | 'POST'
  /** The path behind the address of the service. */
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** The operation, which says whether it writes and how long it may take. */
  readonly name: string
}

/** Sends a request, again if need be, and returns the JSON of its answer; rejects with an `ElfmemError`. */
export async function send(address: Address, request: Request): Promise<Readonly<Record<string, unknown>>> {
  const over = AbortSignal.timeout(address.timeoutMs * (kindOf(request.name) === 'long' ? LONG : 1))
  const signal = request.signal === undefined ? over : AbortSignal.any([request.signal, over])
  const init = { ...initOf(request), signal }
  for (let attempt = 0; ; attempt += 1) {
    const tried = await attemptOf(address, request.path, init).catch((cause) => failedLine(address, cause))
    if ('value' in tried) return tried.value
    if (signal.aborted) throw endOf(request) ?? unreachable(address, 'did not answer in time')
    if (!tried.mayPass || attempt >= address.retries) throw tried.failure
    await waited(Math.max(tried.afterMs, backoff(attempt)), signal)
    // The reason of the last attempt says more than that the time is over.
    if (signal.aborted) throw endOf(request) ?? tried.failure
  }
}

/** Returns the failure of a call that its caller ended. */
function endOf({ name, signal }: Request): ElfmemError | undefined {
  return signal?.aborted === true ? cancelled(name) : undefined
}

/** Milliseconds before an attempt is repeated, not the same for all who lost their line at once. */
function backoff(attempt: number): number {
  return Math.min(WAIT.mostMs, WAIT.firstMs * 2 ** attempt) * (0.5 + Math.random() / 2)
}

function initOf({ method, name, body }: Request) {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (method === 'GET') return { method, headers }
  headers['content-type'] = 'application/json'
  // One key for all attempts: a write whose answer was lost is not done twice.
  if (kindOf(name) !== 'read') headers['idempotency-key'] = crypto.randomUUID()
  return { method, headers, body: JSON.stringify(body ?? {}) }
}

type Tried =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly failure: ElfmemError; readonly mayPass: boolean; readonly afterMs: number }

async function attemptOf(address: Address, path: string, init: RequestInit): Promise<Tried> {
  const answer = await fetched(address, path, init)
  const { status } = answer
  const text = await textOf(address, answer, answer.ok ? ANSWER_BYTES : FAILURE_BYTES)
  const value = jsonOf(text)
  if (answer.ok) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Readonly<Record<string, unknown>> }
    return failed(foreign(address, 'is no JSON object'))
  }
  const seconds = Number(answer.headers.get('retry-after') ?? 0)
  const afterMs = Number.isFinite(seconds) ? Math.max(0, seconds) * 1_000 : 0
  return { failure: toldFailure(address, status, value), mayPass: PASSING.includes(status), afterMs }
}

/** Asks without following a redirect, which could lead the token elsewhere. */
export async function fetched(address: Address, path: string, init: RequestInit): Promise<Response> {
  const { fetch, url, token } = address
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` }
  // A page of another origin would otherwise send its cookies along.
  const answer = await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual', credentials: 'omit' })
  if (answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400)) {
    await answer.body?.cancel().catch(() => undefined)
    throw foreign(address, 'leads to another address, and no token is sent there')
  }
  return answer
}

/** Returns the text of an answer; throws if it is longer than it may be, before all of it is read. */
export async function textOf(address: Address, answer: Response, most: number): Promise<string> {
  const reader = answer.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > most) {
      await reader.cancel().catch(() => undefined)
      throw foreign(address, `is longer than ${most / 2 ** 20} MB`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Returns a parsed text; undefined if it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns what a line that broke means: any error but one of ours is of the network. */
function failedLine(address: Address, cause: unknown): Tried {
  if (ElfmemError.is(cause)) return failed(cause)
  const { code } = Object(Object(cause).cause ?? cause) as { readonly code?: unknown }
  const failure = unreachable(address, 'cannot be reached', typeof code === 'string' ? code : undefined)
  return { failure, mayPass: true, afterMs: 0 }
}

function failed(failure: ElfmemError): Tried {
  return { failure, mayPass: false, afterMs: 0 }
}

/** Waits; ends early with the signal. */
export function waited(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
