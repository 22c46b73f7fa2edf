import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { attempt } from '../../errors.ts'
import { DASHBOARD_BOUNDS } from '../bounds.ts'
import { answerJson, answerUnread, readBody } from '../http/body.ts'
import { boundedServer, closed, listening } from '../http/listen.ts'
import { Strangers } from '../http/strangers.ts'
import type { Streams } from './events.ts'
import {
  type Gate,
  isPassed,
  missing,
  type Passed,
  type Refusal,
  tooLarge,
  tooMany,
  unknownCaller,
  verdictOf,
} from './gate.ts'
import type { Instance } from './instance.ts'
import { type Answer, answerOf, type Routes } from './routes.ts'
import type { Session } from './session.ts'
import { type Assets, SECURITY_HEADERS } from './static.ts'

/** The parts of a server; none of them knows of a browser. */
export interface ServerParts {
  readonly session: Session
  readonly instance: Instance
  readonly assets: Assets
  readonly routes: Routes
  readonly streams: Streams
  /** Another address that pages come from, for a forwarded port. */
  readonly origin?: string | undefined
  readonly onerror: (error: Error) => void
}

/** A dashboard that listens. */
export interface DashboardServer {
  readonly port: number
  /** Says goodbye, lets running calls end, and closes all connections. */
  close(): Promise<void>
}

/** The only address that is listened at. */
export const HOST = '127.0.0.1'
/** Answers below this many bytes go out as they are: a packet holds them. */
const ZIPPED_FROM = 1_400
const zip = promisify(gzip)

/** Listens on this machine alone. Rejects with the system's error if it cannot. */
export async function listenDashboard(port: number, parts: ServerParts): Promise<DashboardServer> {
  const server = boundedServer(DASHBOARD_BOUNDS)
  await listening(server, { host: HOST, port, backlog: DASHBOARD_BOUNDS.connections })
  const bound = (server.address() as AddressInfo).port
  const answering = new Answering(parts, gateOf(bound, parts))
  server.on('connection', (socket) => answering.strangers.meet(socket))
  server.on('request', (request, response) => void answering.answer(request, response))
  // The body is sent for after it was looked who asks.
  server.on('checkContinue', (request, response) => {
    void answering.answer(request, response, () => response.writeContinue())
  })
  server.on('error', parts.onerror)
  const endWork = async () => {
    parts.streams.close()
  }
  return {
    port: bound,
    close: async () => {
      await closed(server, endWork, DASHBOARD_BOUNDS.closingMs)
      parts.routes.close()
    },
  }
}

function gateOf(port: number, { origin, session }: ServerParts): Gate {
  const addresses = [`http://${HOST}:${port}`, `http://localhost:${port}`, ...(origin ? [origin] : [])]
  const urls = addresses.map((each) => new URL(each))
  return {
    hosts: new Set(urls.map(({ host }) => host)),
    origins: new Set(urls.map(({ origin }) => origin)),
    isToken: (given) => session.isToken(given),
  }
}

/** The order in which a request is looked at and answered. */
class Answering {
  readonly strangers = new Strangers(DASHBOARD_BOUNDS.strangers)
  readonly #parts: ServerParts
  readonly #gate: Gate

  constructor(parts: ServerParts, gate: Gate) {
    this.#parts = parts
    this.#gate = gate
  }

  /** Answers one request. Never rejects. */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    sendsBody: () => void = () => undefined,
  ): Promise<void> {
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    try {
      const verdict = verdictOf(request, this.#gate)
      if (!isPassed(verdict)) return refuse(request, response, verdict)
      if (verdict.to === 'page') return this.#page(request, response, verdict.path)
      if (verdict.to === 'events') return await this.#events(request, response)
      sendsBody()
      const body = await readBody(request, DASHBOARD_BOUNDS.bodyBytes)
      if (body === undefined) return refuse(request, response, tooLarge())
      await send(request, response, await this.#called(request, response, verdict, body))
    } catch (cause) {
      if (!request.destroyed) this.#parts.onerror(cause instanceof Error ? cause : new Error(String(cause)))
      await send(request, response, unexpected())
    }
  }

  async #called(
    request: IncomingMessage,
    response: ServerResponse,
    passed: Exclude<Passed, { readonly to: 'page' | 'events' }>,
    body: Buffer,
  ): Promise<Answer> {
    if (passed.to === 'session') return this.#trade(request, body)
    if (passed.to === 'code') return this.#anotherCode(body)
    this.strangers.know(request.socket)
    const leaving = new AbortController()
    response.once('close', () => leaving.abort())
    if (response.destroyed) leaving.abort()
    const [call] = request.headersDistinct['x-call'] ?? []
    const named = call !== undefined && /^[\w-]{1,64}$/.test(call) ? call : undefined
    return this.#parts.routes.answer({ ...passed, body, call: named, signal: leaving.signal })
  }

  /** The token for the code of a link, and what a stream begins with: a page need not wait for one before it asks. */
  async #trade(request: IncomingMessage, body: Buffer): Promise<Answer> {
    const { code } = fieldsOf(body)
    const token = typeof code === 'string' ? this.#parts.session.trade(code) : undefined
    if (token === undefined) return answerOf(unknownCaller())
    this.strangers.know(request.socket)
    return { status: 200, body: { token, ...(await this.#parts.streams.greeting()) } }
  }

  /** A code for a second start, which has read the file of this one. */
  #anotherCode(body: Buffer): Answer {
    const { instance, session } = this.#parts
    const answer = instance.answer(fieldsOf(body), () => session.newCode())
    return answer === undefined ? answerOf(unknownCaller()) : { status: 200, body: answer }
  }

  #page(request: IncomingMessage, response: ServerResponse, path: string): void {
    const asset = this.#parts.assets(path)
    if (asset === undefined) {
      refuse(request, response, missing('The page has no such file.'))
      return
    }
    const headers = {
      ...SECURITY_HEADERS,
      'content-type': asset.type,
      'cache-control': asset.isLasting ? 'private, max-age=31536000, immutable' : 'no-cache',
      etag: `"${asset.tag}"`,
      vary: 'accept-encoding',
    }
    request.resume()
    if (request.headers['if-none-match'] === headers.etag) {
      response.writeHead(304, headers).end()
      return
    }
    const zipped = takesZip(request) ? asset.zipped() : undefined
    const body = zipped ?? asset.bytes
    const encoding = zipped === undefined ? {} : { 'content-encoding': 'gzip' }
    response.writeHead(200, { ...headers, ...encoding, 'content-length': body.length })
    response.end(request.method === 'HEAD' ? undefined : body)
  }

  async #events(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.strangers.know(request.socket)
    request.resume()
    const { streams } = this.#parts
    if (streams.isFull) return refuse(request, response, tooMany('streams'))
    const [last = ''] = request.headersDistinct['last-event-id'] ?? []
    const after = /^\d{1,15}$/.test(last) ? Number(last) : undefined
    await streams.serve(response, { after, headers: { ...SECURITY_HEADERS, 'cache-control': 'no-store' } })
  }
}

function fieldsOf(body: Buffer): Readonly<Record<string, unknown>> {
  return Object(attempt(() => JSON.parse(body.toString('utf8')) as unknown)) as Record<string, unknown>
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, error, message, headers = {} }: Refusal,
): void {
  const body = JSON.stringify({ error, message })
  answerUnread(request, response, { status, headers: { ...apiHeaders(), ...headers }, body })
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers = {} }: Answer,
): Promise<void> {
  const text = Buffer.from(JSON.stringify(body))
  const isZipped = text.length >= ZIPPED_FROM && takesZip(request)
  const encoding = isZipped ? { 'content-encoding': 'gzip' } : {}
  answerJson(response, {
    status,
    headers: { ...apiHeaders(), ...headers, ...encoding },
    body: isZipped ? await zip(text, { level: 5 }) : text,
  })
}

function apiHeaders(): Readonly<Record<string, string>> {
  return {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  }
}

function takesZip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
}

function unexpected(): Answer {
  return {
    status: 500,
    body: { error: 'UNEXPECTED', message: 'The dashboard failed in a way it should not.' },
  }
}
