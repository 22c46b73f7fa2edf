import { createMcpHandler, type McpHttpHandler, type Server } from '@modelcontextprotocol/server'
import { HTTP_BOUNDS, WATCH_BOUNDS } from '../../../config/http.ts'
import { CallRate } from '../../../flow/guard/call-rate.ts'
import type { KnownCaller } from '../caller.ts'
import type { Holder } from './holders.ts'

/** Makes the server of one request. */
export type ServerFor = (
  holder: Holder,
  request: { readonly caller: KnownCaller; readonly era: 'legacy' | 'modern' },
) => Server

/** The handler of one token, over all connections. */
interface Endpoint {
  readonly handler: McpHttpHandler
}

/** One endpoint for each token, made when it is first used: a rate, and changes that no other token hears of. */
export class Endpoints {
  readonly #serverFor: ServerFor
  readonly #onerror: (error: Error) => void
  readonly #now: () => number
  readonly #endpoints = new Map<Holder, Endpoint>()

  constructor(
    serverFor: ServerFor,
    { now, onerror }: { readonly now: () => number; readonly onerror: (error: Error) => void },
  ) {
    this.#serverFor = serverFor
    this.#now = now
    this.#onerror = onerror
  }

  /** Answers one request of a holder. */
  fetch(holder: Holder, request: Request, parsedBody: unknown): Promise<Response> {
    return this.#of(holder).handler.fetch(request, { parsedBody })
  }

  /** Ends the answers to holders that are none any more. */
  keep(holders: readonly Holder[]): void {
    for (const [holder, { handler }] of this.#endpoints)
      if (!holders.includes(holder)) {
        this.#endpoints.delete(holder)
        void handler.close()
      }
  }

  /** Ends all. */
  async close(): Promise<void> {
    const open = [...this.#endpoints.values()]
    this.#endpoints.clear()
    await Promise.all(open.map(({ handler }) => handler.close()))
  }

  #of(holder: Holder): Endpoint {
    const known = this.#endpoints.get(holder)
    if (known !== undefined) return known
    const rate = new CallRate(this.#now)
    const { name, scope } = holder
    const handler = createMcpHandler(
      ({ era }) => this.#serverFor(holder, { era, caller: { name, scope, rate } }),
      {
        onerror: this.#onerror,
        keepAliveMs: HTTP_BOUNDS.aliveMs,
        maxSubscriptions: WATCH_BOUNDS.streams,
      },
    )
    const endpoint = { handler }
    this.#endpoints.set(holder, endpoint)
    return endpoint
  }
}
