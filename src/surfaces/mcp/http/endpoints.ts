import { createMcpHandler, type McpHttpHandler, type Server } from '@modelcontextprotocol/server'
import type { Settings } from '../../../engine/settings.ts'
import { ElfmemError } from '../../../errors.ts'
import { HTTP_BOUNDS, WATCH_BOUNDS } from '../../bounds.ts'
import type { CallRate } from '../../call-rate.ts'
import type { KnownCaller } from '../caller.ts'
import type { ResourceWatch } from '../resources/watch.ts'
import { refused } from '../tools.ts'
import type { Holder } from './holders.ts'

/** The parts of which endpoints for holders of tokens are made. */
export interface EndpointParts {
  /** The server of one request. */
  readonly serverFor: (
    holder: Holder,
    request: { readonly caller: KnownCaller; readonly era: 'legacy' | 'modern' },
  ) => Server
  /** Watches resources as a holder may read them. */
  readonly watchFor: (holder: Holder, changed: (uri: string) => void) => ResourceWatch
  readonly limits: () => Settings['limits']
  /** Counts the calls of a holder, whichever way they come in. */
  readonly rateOf: (holder: Holder) => CallRate
  readonly onerror: (error: Error) => void
}

/** The handler of one token, over all connections. */
interface Endpoint {
  readonly handler: McpHttpHandler
  readonly watch: ResourceWatch
  /** An owner has none. */
  readonly rate: CallRate | undefined
}

/** Keeps one endpoint for each token, made when it is first used: a rate, and changes that no other token hears of. */
export class Endpoints {
  readonly #parts: EndpointParts
  readonly #endpoints = new Map<Holder, Endpoint>()

  constructor(parts: EndpointParts) {
    this.#parts = parts
  }

  /**
   * Answers one request of a holder.
   *
   * @param parsed its body; the request itself is passed without one
   */
  async fetch(holder: Holder, request: Request, parsed: unknown): Promise<Response> {
    const { handler, watch, rate } = this.#of(holder)
    const listening = listeningIn(parsed)
    if (listening === undefined) return handler.fetch(request, { parsedBody: parsed })
    const letGo: (() => void)[] = []
    request.signal.addEventListener('abort', () => {
      for (const each of letGo) each()
    })
    try {
      // Each resource is read at once, and after each change.
      rate?.take(this.#parts.limits(), 1 + listening.uris.length)
      for (const uri of listening.uris) letGo.push(await watch.watch(uri))
      if (request.signal.aborted)
        throw new ElfmemError('CANCELLED', 'The client left.', { recovery: 'Ask again.' })
    } catch (cause) {
      for (const each of letGo) each()
      const { capability, tools } = holder
      const { code, message, data } = await refused(cause, { capability, tools, token: holder })
      return Response.json({ jsonrpc: '2.0', id: listening.id, error: { code, message, data } })
    }
    return handler.fetch(request, { parsedBody: parsed })
  }

  /** Ends the answers to holders that are none any more. */
  leave(gone: readonly Holder[]): void {
    for (const holder of gone) {
      const endpoint = this.#endpoints.get(holder)
      this.#endpoints.delete(holder)
      endpoint?.watch.close()
      void endpoint?.handler.close()
    }
  }

  /** Ends all. */
  async close(): Promise<void> {
    const open = [...this.#endpoints.values()]
    this.#endpoints.clear()
    for (const { watch } of open) watch.close()
    await Promise.all(open.map(({ handler }) => handler.close()))
  }

  #of(holder: Holder): Endpoint {
    const known = this.#endpoints.get(holder)
    if (known !== undefined) return known
    const { serverFor, watchFor, rateOf, onerror } = this.#parts
    const rate = rateOf(holder)
    const { name, scope, capability } = holder
    const handler = createMcpHandler(({ era }) => serverFor(holder, { era, caller: { name, scope, rate } }), {
      onerror,
      keepAliveMs: HTTP_BOUNDS.aliveMs,
      maxSubscriptions: WATCH_BOUNDS.streams,
    })
    const watch = watchFor(holder, (uri) => handler.notify.resourceUpdated(uri))
    const endpoint = { handler, watch, rate: capability === 'owner' ? undefined : rate }
    this.#endpoints.set(holder, endpoint)
    return endpoint
  }
}

interface ListenRequest {
  readonly id?: string | number
  readonly method?: unknown
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } }
}

/** The resources that a request asks to hear of; undefined for any other request. */
function listeningIn(
  parsed: unknown,
): { readonly id: unknown; readonly uris: readonly string[] } | undefined {
  const { id = null, method, params } = Object(parsed) as ListenRequest
  if (method !== 'subscriptions/listen') return undefined
  const wanted = Object(Object(params).notifications).resourceSubscriptions as unknown
  const uris = Array.isArray(wanted) ? wanted.filter((uri): uri is string => typeof uri === 'string') : []
  return { id, uris: [...new Set(uris)] }
}
