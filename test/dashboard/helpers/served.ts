import { mkdirSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openLifetime } from '../../../src/engine/open-memory.ts'
import type { Embedder, Timer } from '../../../src/engine/ports.ts'
import { settingsSchema } from '../../../src/engine/settings.ts'
import { type Dashboard, serveDashboard } from '../../../src/surfaces/dashboard/dashboard.ts'
import { createTestClock, type TestClock } from '../../helpers/clock.ts'
import { temporaryFolder } from '../../helpers/memory.ts'

/** An answer of a dashboard. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // The operations answer with forty types.
  readonly body: Readonly<Record<string, never>> & Readonly<Record<string, unknown>>
}

/** A request as it is written, headers of any kind among them. */
export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** The head is sent, and nothing of the body. */
  readonly isHeadOnly?: boolean
  /** The request says for which host it is, unless false. */
  readonly setHost?: boolean
}

/** Sends one request to a port of this machine. */
export function send(port: number, path: string, sent: Sent = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, signal, isHeadOnly = false, setHost = true } = sent
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const options = {
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...length, ...headers } as never,
      signal,
      setHost,
      agent: false,
    }
    const outgoing = request(options as never, (incoming: IncomingMessage) => {
      const parts: Buffer[] = []
      incoming.on('data', (part: Buffer) => parts.push(part))
      incoming.on('error', reject)
      incoming.on('end', () => {
        outgoing.destroy()
        const text = Buffer.concat(parts).toString('utf8')
        const isJson = String(incoming.headers['content-type']).startsWith('application/json')
        const parsed = isJson && text !== '' ? JSON.parse(text) : {}
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed })
      })
    })
    outgoing.on('error', reject)
    if (isHeadOnly) outgoing.flushHeaders()
    else outgoing.end(body)
  })
}

/** Makes a page of two files and an index, and returns its folder. */
export function builtPage(): URL {
  const folder = join(temporaryFolder(), 'page')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  const files = [
    ['index.html', '<!doctype html><title>elfmem</title>'],
    ['assets/main-Ab12cd34.js', `export const words = '${'tea '.repeat(900)}'`],
    ['assets/main-Ef56gh78.css', 'body { margin: 0 }'],
  ] as const
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  // This file is of a kind that the page does not serve.
  writeFileSync(join(folder, 'assets', 'secret.txt'), 'not for anybody')
  return pathToFileURL(`${folder}/`)
}

export interface ServeOptions {
  readonly path?: string
  readonly clock?: TestClock
  readonly readOnly?: boolean
  readonly scope?: string
  readonly page?: URL
  readonly embedder?: Embedder
  readonly timer?: Timer
}

/** A dashboard in this process, and a page that was let in. */
export interface Served {
  readonly path: string
  readonly port: number
  readonly token: string
  readonly dashboard: Dashboard
  /** The headers of a request that is let in. */
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly Error[]
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  operation(name: string, input?: unknown): Promise<Answer>
  view(name: string, input?: unknown): Promise<Answer>
}

/** Serves a memory until the test ends. */
export async function serve(options: ServeOptions = {}): Promise<Served> {
  const { readOnly = false, clock = createTestClock(), scope, page = builtPage(), timer } = options
  const path = options.path ?? join(temporaryFolder(), 'memory.db')
  const settings = settingsSchema.parse({ session: { gapCapMinutes: 10_000_000 } })
  const memory = await openLifetime(
    { settings, database: { path, rule: '--db' }, env: {}, surface: 'dashboard' },
    {
      ...{ clock, embedder: options.embedder ?? createHashingEmbedder(), sessionMode: 'resume', scope },
      as: readOnly ? 'reader' : 'owner',
    },
    'wait',
  )
  const errors: Error[] = []
  const found = await serveDashboard(memory, {
    ...{ version: '0.0.0-test', readOnly, port: 0, page, timer },
    onerror: (error) => void errors.push(error),
  })
  onTestFinished(async () => {
    await found.close()
    await memory.close()
  })
  const { port } = found
  const json = { 'content-type': 'application/json' }
  const traded = await send(port, '/api/session', {
    ...{ method: 'POST', headers: json, body: JSON.stringify({ code: found.code }) },
  })
  const token = String(traded.body.token)
  const headers = { ...json, authorization: `Bearer ${token}` }
  const post: Served['post'] = (at, body = {}, more = {}) =>
    send(port, at, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })
  return {
    ...{ path, port, token, dashboard: found, headers, errors, post },
    operation: (name, input) => post(`/api/operations/${name}`, input),
    view: (name, input) => post(`/api/views/${name}`, input),
  }
}

/** One event of a stream. */
export interface StreamEvent {
  readonly event: string
  readonly id?: string
  readonly data: unknown
}

/** An open stream of events. */
export interface OpenStream {
  /** Resolves to the events so far, once one of them fits. */
  until(fits: (event: StreamEvent) => boolean): Promise<readonly StreamEvent[]>
  readonly ended: Promise<void>
  close(): void
}

/** Opens a stream; it is closed when the test ends. */
export async function stream({ port, headers }: Served): Promise<OpenStream> {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await fetch(`http://127.0.0.1:${port}/api/events`, {
    headers: { authorization: headers.authorization ?? '' },
    signal: leaving.signal,
  })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  const events: StreamEvent[] = []
  const waiting = new Set<() => void>()
  const ended = (async () => {
    let text = ''
    try {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        const whole = (text + part).split('\n\n')
        text = whole.pop() ?? ''
        events.push(...whole.filter((each) => !each.startsWith(':')).map(eventOf))
        for (const wake of waiting) wake()
      }
    } catch {
      // Closing the stream aborts it.
    }
  })()
  return {
    ended,
    close: () => leaving.abort(),
    until: async (fits) => {
      while (!events.some(fits)) {
        const more = Promise.withResolvers<void>()
        waiting.add(more.resolve)
        await more.promise
        waiting.delete(more.resolve)
      }
      return [...events]
    },
  }
}

function eventOf(text: string): StreamEvent {
  const lines = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const id = lines.get('id')
  return {
    event: lines.get('event') ?? '',
    data: JSON.parse(lines.get('data') ?? 'null'),
    ...(id === undefined ? {} : { id }),
  }
}
