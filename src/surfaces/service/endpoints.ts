import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { HTTP_BOUNDS } from '../bounds.ts'
import { createMcpServer } from '../mcp/server.ts'
import type { Calls, ServiceParts } from './calls.ts'
import type { Holder } from './holders.ts'

/** Keeps one MCP handler for each token, made when it is first used. */
export class Endpoints {
  readonly #parts: ServiceParts
  readonly #calls: Calls
  readonly #handlers = new Map<Holder, McpHttpHandler>()

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
    return this.#of(holder).fetch(request, { parsedBody: parsed })
  }

  /** Ends the answers to tokens that were revoked. */
  leave(gone: readonly Holder[]): void {
    for (const holder of gone) {
      void this.#handlers.get(holder)?.close()
      this.#handlers.delete(holder)
    }
  }

  /** Ends all. */
  async close(): Promise<void> {
    const open = [...this.#handlers.values()]
    this.#handlers.clear()
    await Promise.all(open.map((handler) => handler.close()))
  }

  #of(holder: Holder): McpHttpHandler {
    const known = this.#handlers.get(holder)
    if (known !== undefined) return known
    const { version, outputSchemas, onerror } = this.#parts
    const { name, scope, capability: as, tools } = holder
    const memory = Promise.resolve(this.#calls.callableOf(holder))
    const caller = { name, scope, rate: this.#calls.rateOf(holder) }
    const handler = createMcpHandler(
      () => createMcpServer(memory, { version, as, tools, outputSchemas, caller }),
      { onerror, keepAliveMs: HTTP_BOUNDS.aliveMs, maxSubscriptions: HTTP_BOUNDS.streams },
    )
    this.#handlers.set(holder, handler)
    return handler
  }
}
