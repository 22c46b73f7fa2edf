import type { Watched, WatchOptions } from '../engine/watch.ts'
import { ElfmemError } from '../errors.ts'
import type { Address } from './address.ts'
import { foreign, toldFailure } from './failures.ts'
import { fetched, jsonOf, textOf, waited } from './line.ts'

/** Characters of one event. */
const EVENT_MOST = 2 ** 20
/** Milliseconds without a sign of life after which a stream counts as broken; a service sends one every 15 seconds. */
const SILENCE_MS = 60_000
const WAIT = { firstMs: 200, mostMs: 15_000 }

/** The entries that a service sends, and the number of the last one. */
interface Watching {
  readonly address: Address
  readonly options: WatchOptions
  readonly signal: AbortSignal
  /** Finds the newest entry, so that none is missed while the line is broken. */
  readonly newest: () => Promise<number | undefined>
}

/** Yields new entries of the log; connects again after the last one when the line breaks, and ends with the signal. */
export async function* watchService({ address, options, signal, newest }: Watching): AsyncGenerator<Watched> {
  let after = options.after ?? (await newest())
  let failures = 0
  while (!signal.aborted) {
    try {
      for await (const entry of eventsOf(address, { ...options, after, signal })) {
        failures = 0
        after = entry.id
        yield entry
      }
    } catch (cause) {
      if (signal.aborted) return
      if (ElfmemError.is(cause)) throw cause
    }
    const backoff = Math.min(WAIT.mostMs, WAIT.firstMs * 2 ** Math.min(failures, 10))
    failures += 1
    await waited(backoff * (0.5 + Math.random() / 2), signal)
  }
}

/** Yields the events of one connection; throws `ElfmemError` for what will not pass, another error for a line that broke. */
async function* eventsOf(address: Address, { scope, after, signal }: WatchOptions): AsyncGenerator<Watched> {
  const silence = new AbortController()
  const ending = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal])
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  const query = scope === undefined ? '' : `?scope=${encodeURIComponent(scope)}`
  const headers = {
    accept: 'text/event-stream',
    ...(after === undefined ? {} : { 'last-event-id': String(after) }),
  }
  try {
    const answer = await fetched(address, `/v1/watch${query}`, { headers, signal: ending })
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (!answer.ok || !isStream) throw await refusalOf(address, answer)
    const reader = answer.body?.getReader()
    if (reader === undefined) throw foreign(address, 'is no stream of events')
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS)
      text = `${text}${decoder.decode(value, { stream: true })}`.replaceAll('\r\n', '\n')
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      if (text.length > EVENT_MOST) throw foreign(address, 'has an event without an end')
      for (const part of parts) yield* entryIn(address, part)
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

/** Returns why there is no stream; an error that is none of ours if it may pass. */
async function refusalOf(address: Address, answer: Response): Promise<Error> {
  if (answer.ok) {
    await answer.body?.cancel().catch(() => undefined)
    return foreign(address, 'is no stream of events')
  }
  const failure = toldFailure(address, answer.status, jsonOf(await textOf(address, answer, EVENT_MOST)))
  return answer.status === 429 || answer.status >= 500 ? new Error(failure.code) : failure
}

function* entryIn(address: Address, part: string): Generator<Watched> {
  const lines = part.split('\n').filter((line) => line.startsWith('data:'))
  if (lines.length === 0) return
  const entry = jsonOf(lines.map((line) => line.slice(5)).join('\n'))
  if (typeof Object(entry).id !== 'number') throw foreign(address, 'has an event that is no entry')
  yield entry as Watched
}
