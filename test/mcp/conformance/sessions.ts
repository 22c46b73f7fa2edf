import { randomUUID } from 'node:crypto'
import {
  isInitializeRequest,
  isLegacyRequest,
  type JSONRPCMessage,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Endpoints } from '../../../src/surfaces/mcp/http/endpoints.ts'
import type { Holder } from '../../../src/surfaces/mcp/http/holders.ts'
import type { Answers } from '../../../src/surfaces/mcp/http/http-server.ts'

/** Milliseconds after which a client asks for the rest of a stream that was cut. */
const RETRY_MS = 50

interface Session {
  readonly holder: Holder
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** The revision that was agreed on. */
  readonly revision: string
}

/**
 * Keeps a session for each client of 2025, behind our own gate and bridge. elfmem keeps none, because none of its tools asks
 * its client anything; those of the suite do. A client of 2026 needs none, and gets our endpoints.
 */
export class Sessions implements Answers {
  readonly methods = ['POST', 'GET', 'DELETE']
  readonly #endpoints: Endpoints
  readonly #serverFor: (holder: Holder) => Server
  readonly #sessions = new Map<string, Session>()

  constructor(endpoints: Endpoints, serverFor: (holder: Holder) => Server) {
    this.#endpoints = endpoints
    this.#serverFor = serverFor
  }

  async fetch(holder: Holder, request: Request, parsed: unknown): Promise<Response> {
    if (!(await isLegacyRequest(request, parsed))) return this.#endpoints.fetch(holder, request, parsed)
    const id = request.headers.get('mcp-session-id')
    if (id === null) return this.#begin(holder, request, parsed)
    const session = this.#sessions.get(id)
    if (session?.holder !== holder) return new Response(null, { status: 404 })
    // The suite calls the revision by another name than the one it agreed on.
    request.headers.set('mcp-protocol-version', session.revision)
    return session.transport.handleRequest(request, { parsedBody: parsed })
  }

  async #begin(holder: Holder, request: Request, parsed: unknown): Promise<Response> {
    if (!isInitializeRequest(parsed)) return new Response(null, { status: 400 })
    const revision = parsed.params.protocolVersion
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: keptEvents(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => void this.#sessions.set(id, { holder, transport, revision }),
      onsessionclosed: (id) => void this.#sessions.delete(id),
    })
    await this.#serverFor(holder).connect(transport)
    return transport.handleRequest(request, { parsedBody: parsed })
  }

  keep(holders: readonly Holder[]): void {
    this.#endpoints.keep(holders)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()))
    await this.#endpoints.close()
  }
}

/** The events of a session, so that the rest of a stream can be asked for. */
function keptEvents() {
  const events: { readonly stream: string; readonly message: JSONRPCMessage }[] = []
  return {
    storeEvent: async (stream: string, message: JSONRPCMessage) => String(events.push({ stream, message })),
    replayEventsAfter: async (
      last: string,
      { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
    ) => {
      const { stream } = events[Number(last) - 1] ?? { stream: '' }
      for (const [at, event] of events.entries())
        if (at >= Number(last) && event.stream === stream) await send(String(at + 1), event.message)
      return stream
    },
  }
}
