import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isJsonContentType } from '@modelcontextprotocol/server'
import { tokenHash } from '../../../adapters/project/tokens/token-store.ts'
import type { Settings } from '../../../engine/settings.ts'
import { attempt } from '../../../errors.ts'
import { HTTP_BOUNDS } from '../../bounds.ts'
import { answerJson, readBody } from '../../http/body.ts'
import { bearerOf, holderOf } from '../../http/head.ts'
import { boundedServer, closed, listening } from '../../http/listen.ts'
import { Strangers } from '../../http/strangers.ts'
import { errorText, refuse, webRequest, writeAnswer } from './bridge.ts'
import { type Listening, methodNotAllowed, type Refusal, refusalOf, unauthorised } from './front.ts'
import type { Holder, Holders } from './holders.ts'

/** Answers the requests of holders, after it was checked who asks. */
export interface Answers {
  /** The methods of HTTP that have an answer. */
  readonly methods: readonly string[]
  /** Answers one request; its body is passed beside it, as the JSON it is. */
  fetch(holder: Holder, request: Request, parsed: unknown): Promise<Response>
  /** Ends the answers to holders that are none any more. */
  keep(holders: readonly Holder[]): void
  /** Ends all. */
  close(): Promise<void>
}

/** The parts of a server. */
export interface HttpServerParts {
  readonly listening: Listening
  readonly holders: Holders
  readonly endpoints: Answers
  readonly limits: () => Settings['limits']
  readonly onerror: (error: Error) => void
}

/** A place to listen at: a port of a host, or a socket file. */
export type Place = { readonly host: string; readonly port: number } | { readonly path: string }

/** A server that listens. */
export interface HttpServer {
  /** The port it listens at; undefined for a socket. */
  readonly port: number | undefined
  /** The address it listens at; undefined for a socket. */
  readonly address: string | undefined
  /** Gives running calls some time to end, then closes all connections. */
  close(): Promise<void>
}

/** Listens for MCP over HTTP; nothing is answered without a token. Rejects with the system's error if it cannot listen. */
export async function listenHttp(place: Place, parts: HttpServerParts): Promise<HttpServer> {
  const gate = new Gate(parts)
  const server = boundedServer(HTTP_BOUNDS)
  server.on('connection', (socket) => gate.strangers.meet(socket))
  server.on('request', (request, response) => void gate.answer(request, response))
  // The body is sent for after it was looked who asks.
  server.on('checkContinue', (request, response) => {
    void gate.answer(request, response, () => response.writeContinue())
  })
  await listening(server, { ...place, backlog: HTTP_BOUNDS.connections })
  // A connection that the system could not hand over ends no server.
  server.on('error', parts.onerror)
  const looking = setInterval(() => gate.look(), HTTP_BOUNDS.lookMs).unref()
  const address = server.address() as AddressInfo | string | null
  const found = typeof address === 'object' && address !== null ? address : undefined
  return {
    port: found?.port,
    address: found?.address,
    close: async () => {
      clearInterval(looking)
      await closed(server, () => parts.endpoints.close(), HTTP_BOUNDS.closingMs)
    },
  }
}

/** The order in which a request is looked at, and who has how many of them. */
class Gate {
  readonly strangers = new Strangers(HTTP_BOUNDS.strangers)
  readonly #parts: HttpServerParts
  /** The answers under way of each holder. */
  readonly #open = new Map<Holder, Set<ServerResponse>>()
  readonly #reading = new Map<Holder, number>()

  constructor(parts: HttpServerParts) {
    this.#parts = parts
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
      const refusal = refusalOf(request, this.#parts.listening)
      if (refusal !== undefined) return refuse(request, response, refusal)
      const holder = this.#holderOf(request)
      if (holder === undefined)
        return refuse(request, response, unauthorised(bearerOf(request) !== undefined))
      this.strangers.know(request.socket)
      const unfit = this.#unfit(request, holder)
      if (unfit !== undefined) return refuse(request, response, unfit)
      sendsBody()
      if (request.method !== 'POST')
        return await this.#serve(request, response, { holder, parsed: undefined })
      const body = await this.#read(request, holder)
      if (body === undefined) return refuse(request, response, this.#tooLarge())
      await this.#serveBody(request, response, body)
    } catch (cause) {
      if (!request.destroyed) this.#parts.onerror(cause instanceof Error ? cause : new Error(String(cause)))
      answerJson(response, { status: 500, body: errorText(-32_603, 'Internal error') })
    }
  }

  /** Ends the answers to holders whose token was revoked. */
  look(): void {
    const holders = attempt(() => this.#parts.holders.all()) ?? []
    for (const [holder, answers] of this.#open) {
      if (holders.includes(holder)) continue
      this.#open.delete(holder)
      for (const answer of answers) answer.destroy()
    }
    this.#parts.endpoints.keep(holders)
  }

  #holderOf(request: IncomingMessage): Holder | undefined {
    const token = bearerOf(request)
    const holders = this.#parts.holders.all()
    return token === undefined ? undefined : holderOf(tokenHash(token), holders)
  }

  #unfit({ method, headers }: IncomingMessage, holder: Holder): Refusal | undefined {
    const { methods } = this.#parts.endpoints
    if (!methods.includes(method ?? '')) return methodNotAllowed(methods)
    if (method !== 'POST') return undefined
    if (Number(headers['content-length'] ?? 0) > this.#parts.limits().requestBytes) return this.#tooLarge()
    if (!isJsonContentType(headers['content-type'] ?? null))
      return { status: 415, message: 'Unsupported Media Type: Content-Type must be application/json.' }
    if (headers['content-encoding'] !== undefined)
      return { status: 415, message: 'Unsupported Media Type: the body must not be compressed.' }
    if ((this.#reading.get(holder) ?? 0) >= HTTP_BOUNDS.bodies)
      return { status: 503, message: 'Too many requests are sent at once.', headers: { 'retry-after': '1' } }
    return undefined
  }

  #tooLarge(): Refusal {
    const { requestBytes } = this.#parts.limits()
    return {
      status: 413,
      message: `The request has more than ${requestBytes} bytes (limits.request_bytes). Send less at once.`,
    }
  }

  async #read(request: IncomingMessage, holder: Holder): Promise<Buffer | undefined> {
    this.#reading.set(holder, (this.#reading.get(holder) ?? 0) + 1)
    try {
      return await readBody(request, this.#parts.limits().requestBytes)
    } finally {
      const left = (this.#reading.get(holder) ?? 1) - 1
      if (left === 0) this.#reading.delete(holder)
      else this.#reading.set(holder, left)
    }
  }

  async #serveBody(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    // The token may have been revoked while the body came.
    const holder = this.#holderOf(request)
    if (holder === undefined) return refuse(request, response, unauthorised(true))
    const parsed = attempt(() => ({ value: JSON.parse(body.toString('utf8')) as unknown }))
    if (parsed === undefined) {
      const message = 'Parse error: the request body is not valid JSON.'
      return answerJson(response, { status: 400, body: errorText(-32_700, message) })
    }
    await this.#serve(request, response, { holder, parsed: parsed.value })
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    { holder, parsed }: { readonly holder: Holder; readonly parsed: unknown },
  ): Promise<void> {
    const leaving = new AbortController()
    const answers = this.#open.get(holder) ?? new Set()
    this.#open.set(holder, answers.add(response))
    response.once('close', () => {
      answers.delete(response)
      leaving.abort()
    })
    const web = webRequest(request, leaving.signal)
    await writeAnswer(await this.#parts.endpoints.fetch(holder, web, parsed), response)
  }
}
