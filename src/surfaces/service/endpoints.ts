import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { ElfmemError } from '../../errors.ts'
import { HTTP_BOUNDS, WATCH_BOUNDS } from '../bounds.ts'
import { watchResources } from '../mcp/resources/read.ts'
import type { ResourceWatch } from '../mcp/resources/watch.ts'
import { createMcpServer } from '../mcp/server.ts'
import { refused } from '../mcp/tools.ts'
import { type Calls, principalOf, type ServiceParts } from './calls.ts'
import type { Holder } from './holders.ts'

/** The handler of one token, over all connections. */
interface Endpoint {
  readonly handler: McpHttpHandler
  readonly watch: ResourceWatch
}

/** Keeps one endpoint for each token, made when it is first used: a rate, and changes that no other token hears of. */
export class Endpoints {
  readonly #parts: ServiceParts
  readonly #calls: Calls
  readonly #endpoints = new Map<Holder, Endpoint>()

  constructor(parts: ServiceParts, calls: Calls) {
    this.#parts = parts
    this.#calls = calls
  }

  /**
   * Answers one request of a holder.
   *
   * @param parsed its body; the request itself is passed without one
   */
  async fetch(holder: Holder, request: Request, parsed: unknown): Promise<Response> {
    const { handler, watch } = this.#of(holder)
    const listening = listeningIn(parsed)
    if (listening === undefined) return handler.fetch(request, { parsedBody: parsed })
    const letGo: (() => void)[] = []
    request.signal.addEventListener('abort', () => {
      for (const each of letGo) each()
    })
    try {
      // Each resource is read at once, and after each change.
      this.#calls.count(holder, 1 + listening.uris.length)
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
    const { version, outputSchemas, onerror } = this.#parts
    const { name, scope, capability, tools } = holder
    const memory = this.#calls.callableOf(holder)
    const handler = createMcpHandler(
      ({ era }) =>
        createMcpServer(Promise.resolve(memory), {
          ...{
            version,
            as: capability,
            tools,
            outputSchemas,
            caller: { name, scope, rate: this.#calls.rateOf(holder) },
          },
          ...(era === 'modern' ? { changes: 'stream' as const } : {}),
        }),
      { onerror, keepAliveMs: HTTP_BOUNDS.aliveMs, maxSubscriptions: WATCH_BOUNDS.streams },
    )
    const served = { capability, tools, token: holder }
    const watch = watchResources(memory, served, {
      context: async () => ({ principal: await principalOf('mcp', holder) }),
      changed: (uri) => handler.notify.resourceUpdated(uri),
    })
    const endpoint = { handler, watch }
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
