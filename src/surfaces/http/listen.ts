import type { Server } from 'node:http'
import type { ListenOptions } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** An import statement reads every name of the module, and one of them loads a whole client: 40 ms of a start. */
const { createServer } = process.getBuiltinModule('node:http')

/** Bounds on what connections may cost: milliseconds, bytes and numbers, as `HTTP_BOUNDS` explains them. */
export interface ConnectionBounds {
  readonly headersMs: number
  readonly requestMs: number
  readonly lookMs: number
  readonly idleMs: number
  readonly headerBytes: number
  readonly connections: number
  readonly requestsPerConnection: number
}

/** A server of HTTP that holds connections to bounds; it does not listen yet. */
export function boundedServer(bounds: ConnectionBounds): Server {
  const { headersMs, requestMs, lookMs, idleMs, headerBytes, connections, requestsPerConnection } = bounds
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: lookMs,
    keepAliveTimeout: idleMs,
    maxHeaderSize: headerBytes,
    keepAlive: true,
    noDelay: true,
  })
  server.maxConnections = connections
  server.maxRequestsPerSocket = requestsPerConnection
  return server
}

/** Resolves once a server listens; rejects with the system's error if it cannot. */
export function listening(server: Server, place: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(place, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/**
 * Takes no more connections, ends the work under way, and closes what is left of the connections after a while.
 *
 * @param closingMs milliseconds that answers under way have to get out
 */
export async function closed(server: Server, endWork: () => Promise<void>, closingMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => void server.close(() => resolve()))
  server.closeIdleConnections()
  await endWork()
  await Promise.race([ended, sleep(closingMs, undefined, { ref: false })])
  server.closeAllConnections()
  await ended
}
