import { shown } from '../block/text.ts'
import type { Watched, WatchOptions } from '../engine/watch.ts'
import { ElfmemError, ERROR_CODES } from '../errors.ts'
import { type CallContext, mustBeKey } from '../operations/call-context.ts'
import type { Address } from './address.ts'

/** The JSON object of an answer. */
export type Told = Readonly<Record<string, unknown>>

/** Characters of the longest answer that is read, and of the longest event. */
const MOST = { answer: 64 * 2 ** 20, event: 2 ** 20 }
/** Milliseconds without a sign of life after which a stream counts as broken; a service sends one every 15 seconds. */
const SILENCE_MS = 60_000
/** Statuses of a service, or of what stands in front of it, that has no room or is not there just now. */
const PASSING = [429, 502, 503, 504]

/** One request to a service. */
interface Request extends Pick<CallContext, 'signal' | 'once'> {
  /** The name of the route: an operation, `memory`, `session` or `settings`. */
  readonly name: string
  /** The body of a POST; absent for a GET. */
  readonly body?: object
  /** True for work that may take 20 times as long. */
  readonly isLong?: boolean
}

/** Sends a request, again if need be, and returns the JSON of its answer; rejects with an `ElfmemError`. */
export async function send(address: Address, request: Request): Promise<Told> {
  const { name, body, signal: leaving, once, isLong = false } = request
  const mostMs = address.timeoutMs * (isLong ? 20 : 1)
  const over = AbortSignal.timeout(mostMs)
  const signal = leaving === undefined ? over : AbortSignal.any([leaving, over])
  const init = { ...(body === undefined ? {} : postOf(name, body, once)), signal }
  for (let attempt = 0; ; attempt += 1) {
    const tried = await answerTo(address, name, init).catch((cause) => failedLine(address, cause, over))
    if ('value' in tried) return tried.value
    const { failure, afterMs } = tried
    const isLast = afterMs === undefined || afterMs > mostMs || attempt >= address.retries
    if (!isLast) await pause(attempt, signal, afterMs)
    if (leaving?.aborted)
      throw new ElfmemError('CANCELLED', `${name} was cancelled.`, {
        recovery: 'Call it again; if it was under way, the service may have done it.',
      })
    if (isLast || over.aborted) throw failure
  }
}

/** Returns a request with one key for all its attempts: a write whose answer was lost is not done twice. */
function postOf(name: string, body: object, once: string = crypto.randomUUID()): RequestInit {
  mustBeKey(once)
  const headers = { 'content-type': 'application/json', 'idempotency-key': once }
  try {
    return { method: 'POST', headers, body: JSON.stringify(body) }
  } catch (cause) {
    const recovery = 'Pass texts, finite numbers, true, false, null, and lists and objects of these.'
    throw new ElfmemError('INVALID_INPUT', `${name}: an argument is no plain JSON.`, { recovery, cause })
  }
}

/** The answer to one attempt, or its failure; with `afterMs` it may pass by then. */
type Tried = { readonly value: Told } | { readonly failure: ElfmemError; readonly afterMs?: number }

async function answerTo(address: Address, name: string, init: RequestInit): Promise<Tried> {
  const answer = await fetched(address, name, init)
  let text = ''
  for await (const part of textsOf(answer)) {
    text += part
    if (text.length > MOST.answer) throw foreign(address, 'is longer than 64 MB')
  }
  const value = jsonOf(text)
  if (!answer.ok) {
    const seconds = Number(answer.headers.get('retry-after')) || 0
    const failure = toldFailure(address, answer.status, value, seconds)
    return PASSING.includes(answer.status) ? { failure, afterMs: seconds * 1_000 } : { failure }
  }
  if (isObject(value)) return { value }
  throw foreign(address, 'is no JSON object')
}

/** Returns what a line that broke means: any error but one of ours is of the network. */
function failedLine(address: Address, cause: unknown, over: AbortSignal): Tried {
  if (ElfmemError.is(cause)) return { failure: cause }
  const { code } = Object(Object(cause).cause ?? cause) as { readonly code?: unknown }
  const why = over.aborted ? 'did not answer in time' : 'cannot be reached'
  const failure = new ElfmemError('STORE_FAILED', `The service at ${address.url} ${why}.`, {
    recovery: 'Look whether it runs and can be reached from here, then call again.',
    details: { location: address.url, ...(typeof code === 'string' ? { code } : {}) },
  })
  return { failure, afterMs: 0 }
}

/** Yields new entries of the log; connects again after the last one when the line breaks, and ends with the signal. */
export async function* watchService(
  address: Address,
  { scope, signal }: WatchOptions & { readonly signal: AbortSignal },
  begin: Promise<number | undefined>,
): AsyncGenerator<Watched> {
  const query = scope === undefined ? '' : `?scope=${encodeURIComponent(scope)}`
  let after = await begin
  for (let failures = 0; !signal.aborted; failures += 1) {
    const last = after === undefined ? {} : { 'last-event-id': String(after) }
    try {
      for await (const entry of entriesOf(address, `watch${query}`, { headers: last, signal })) {
        failures = 0
        after = entry.id
        yield entry
      }
    } catch (cause) {
      if (signal.aborted) return
      if (ElfmemError.is(cause)) throw cause
    }
    await pause(failures, signal)
  }
}

/** Yields the entries of one connection; throws `ElfmemError` for what will not pass, another error for a line that broke. */
async function* entriesOf(
  address: Address,
  name: string,
  init: RequestInit & { readonly signal: AbortSignal },
) {
  const silence = new AbortController()
  const wait = () => setTimeout(() => silence.abort(), SILENCE_MS)
  let [timer, text] = [wait(), '']
  try {
    const signal = AbortSignal.any([init.signal, silence.signal])
    const answer = await fetched(address, name, { ...init, signal })
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (answer.status === 429 || answer.status >= 500) throw new Error('The service has no room.')
    if (answer.ok && !isStream) throw foreign(address, 'is no stream of events')
    for await (const part of textsOf(answer)) {
      clearTimeout(timer)
      timer = wait()
      const events = `${text}${part}`.replaceAll('\r\n', '\n').split('\n\n')
      text = events.pop() ?? ''
      if (text.length > MOST.event) throw foreign(address, 'has an event without an end')
      if (answer.ok) for (const event of events) yield* entryIn(address, event)
    }
    if (!answer.ok) throw toldFailure(address, answer.status, jsonOf(text))
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

function* entryIn(address: Address, event: string): Generator<Watched> {
  const data = event.split('\n').filter((line) => line.startsWith('data:'))
  if (data.length === 0) return
  const entry = jsonOf(data.map((line) => line.slice(5)).join('\n'))
  if (typeof Object(entry).id !== 'number') throw foreign(address, 'has an event that is no entry')
  yield entry as Watched
}

/** Asks without following a redirect, which could lead the token elsewhere. */
async function fetched(address: Address, name: string, init: RequestInit): Promise<Response> {
  const { fetch, url, token } = address
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` }
  // A page of another origin would otherwise send its cookies along.
  const how = { ...init, headers, redirect: 'manual', credentials: 'omit' } as const
  const answer = await fetch(`${url}/v1/${name}`, how)
  if (answer.type !== 'opaqueredirect' && (answer.status < 300 || answer.status >= 400)) return answer
  await answer.body?.cancel().catch(() => undefined)
  throw foreign(address, 'leads to another address, and no token is sent there')
}

/** Yields the text of an answer as it comes, and lets go of the line when nobody reads on. */
async function* textsOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Waits before a call is sent again, not equally long for all who lost their line at once; ends early with the signal. */
function pause(attempt: number, signal: AbortSignal, leastMs = 0): Promise<void> {
  const growing = Math.min(10_000, 100 * 2 ** attempt) * (0.5 + Math.random() / 2)
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.max(leastMs, growing))
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}

export function isObject(value: unknown): value is Told {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a parsed text; undefined if it is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the failure of an answer that no service of elfmem gives. */
export function foreign({ url }: Address, what: string, more = ''): ElfmemError {
  return new ElfmemError('STORE_FAILED', `The answer of ${url} ${what}.${more}`, {
    recovery: 'Name the address of elfmem serve --http without a path, and look what is in front of it.',
    details: { location: url },
  })
}

/** Returns the failure that a service told, with its code, message, recovery and facts. */
function toldFailure(address: Address, status: number, body: unknown, seconds = 0): ElfmemError {
  const { code, error, recovery = 'Call again later.', details = {} } = Object(body) as Told
  const isNew = seconds > 0 && Object(details).retryAfterSeconds === undefined
  const when = isNew ? ` It may be asked again in ${seconds} seconds.` : ''
  if (status === 401)
    return new ElfmemError('CONFIG_INVALID', `The service at ${address.url} does not know this token.`, {
      recovery: 'It was revoked, is over, or is for another service: ask for a new one (elfmem tokens add).',
      details: { option: 'token' },
    })
  if (typeof code !== 'string' || typeof error !== 'string')
    return foreign(address, `has the status ${status} and says no reason`, when)
  const known = ERROR_CODES.find((each) => each === code) ?? 'STORE_FAILED'
  // A text of others is shown without the token and of bounded length.
  const clean = (text: unknown) => shown(String(text).slice(0, 4_000).replaceAll(address.token, '…'))
  return new ElfmemError(known, clean(error) + when, {
    recovery: clean(recovery),
    details: isObject(details) ? details : {},
  })
}
