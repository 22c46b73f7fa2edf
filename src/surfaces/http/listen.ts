import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ElfmemError } from '../../errors.ts'
import type { DASHBOARD_BOUNDS, HTTP_BOUNDS } from '../bounds.ts'
import type { App } from './app.ts'
import { type Gate, refusalOf } from './gate.ts'

/** An import statement reads every name of the module, and one of them loads a whole client: 40 ms of a start. */
const { createServer } = process.getBuiltinModule('node:http')

/** Bounds on what connections may cost: milliseconds, bytes and numbers. */
type Bounds = Readonly<Record<keyof typeof HTTP_BOUNDS & keyof typeof DASHBOARD_BOUNDS, number>>

/** Milliseconds between two looks at which connections a server that ends needs no longer. */
const IDLE_LOOK_MS = 20

/** A place to listen at: a port of a host, or a socket file. */
export type Place = { readonly host: string; readonly port: number } | { readonly path: string }

/** The parts of a server. */
interface ServerParts {
  readonly bounds: Bounds
  /** Returns the gate of a server that listens at a port. */
  readonly gate: (port: number) => Gate
  readonly app: App
  /** Ends the work under way when the server is closed. */
  readonly endWork: () => Promise<void>
  readonly onerror: (error: Error) => void
}

/** A server that listens. */
export interface AppServer {
  /** The port it listens at; undefined for a socket. */
  readonly port: number | undefined
  /** The address it listens at; undefined for a socket. */
  readonly address: string | undefined
  /** Takes no more connections, ends the work under way, gives answers some time to get out, and closes what is left. */
  close(): Promise<void>
}

/** Serves an app within bounds, behind its gate. Rejects with `INVALID_INPUT`, and the system's error as its cause, if it cannot listen. */
export async function listenApp(
  place: Place,
  { bounds, gate, app, endWork, onerror }: ServerParts,
): Promise<AppServer> {
  const { getRequestListener } = await import('@hono/node-server')
  const server = boundedServer(bounds)
  const strangers = strangersOf(server, bounds.strangers)
  server.listen({ ...place, backlog: bounds.connections })
  await once(server, 'listening').catch((cause) => {
    throw notListening(place, cause)
  })
  const address = server.address() as AddressInfo | string | null
  const found = typeof address === 'object' && address !== null ? address : undefined
  const door = gate(found?.port ?? 0)
  const taking = { app, gate: door, strangers, unreadMs: bounds.unreadMs, getRequestListener }
  server.on('request', (incoming, outgoing) => take(taking, incoming, outgoing))
  // A connection that the system could not hand over ends no server.
  server.on('error', onerror)
  return {
    ...{ port: found?.port, address: found?.address },
    close: () => closed(server, strangers, endWork, bounds.closingMs),
  }
}

interface Taking {
  readonly app: App
  readonly gate: Gate
  readonly strangers: Set<Socket>
  readonly unreadMs: number
  readonly getRequestListener: typeof import('@hono/node-server').getRequestListener
}

/** Passes one request to the app, with what the gate says of it. */
function take(
  { app, gate, strangers, unreadMs, getRequestListener }: Taking,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  incoming.on('error', () => undefined)
  outgoing.on('error', () => undefined)
  outgoing.setTimeout(unreadMs, () => {
    // A client that does not read its answer is given up; an answer that takes long is not.
    if (outgoing.writableLength > 0) outgoing.destroy()
  })
  outgoing.once('finish', () => incoming.resume())
  const refusal = refusalOf(incoming, gate)
  const more = { refusal, know: () => void strangers.delete(incoming.socket) }
  // A request is made of its address even if it is refused for that; the gate looked at the host already.
  if (refusal !== undefined) incoming.url = '/'
  incoming.headers.host = 'localhost'
  const listener = getRequestListener((request, env) => app.fetch(request, { ...env, ...more }), {
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
  })
  void listener(incoming, outgoing)
}

function boundedServer(bounds: Bounds): Server {
  const { headersMs, requestMs, lookMs, idleMs, headerBytes, connections, requestsPerConnection } = bounds
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: lookMs,
    keepAliveTimeout: idleMs,
    maxHeaderSize: headerBytes,
    // The gate refuses a request without a host, as one for another.
    requireHostHeader: false,
    keepAlive: true,
    noDelay: true,
  })
  server.maxConnections = connections
  server.maxRequestsPerSocket = requestsPerConnection
  return server
}

function notListening(place: Place, cause: NodeJS.ErrnoException): ElfmemError {
  const at = 'path' in place ? place.path : `${place.host}:${place.port}`
  const recovery =
    cause.code === 'EADDRINUSE'
      ? 'Stop what listens there, or choose another with --port; --port 0 takes one that is free.'
      : 'Choose another place to listen at.'
  return new ElfmemError('INVALID_INPUT', `${at} cannot be listened at: ${cause.message}.`, {
    recovery,
    cause,
  })
}

/**
 * Returns the connections on which nobody has shown a token yet, the oldest first. Of one too many, the oldest is closed: however many
 * say nothing, a client with a token, which it sends at once, is heard.
 */
function strangersOf(server: Server, most: number): Set<Socket> {
  const strangers = new Set<Socket>()
  server.on('connection', (socket) => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    const [oldest] = strangers
    if (strangers.size <= most || oldest === undefined) return
    strangers.delete(oldest)
    oldest.destroy()
  })
  return strangers
}

async function closed(
  server: Server,
  strangers: Iterable<Socket>,
  endWork: () => Promise<void>,
  closingMs: number,
): Promise<void> {
  const ended = new Promise<void>((resolve) => void server.close(() => resolve()))
  // A connection on which nothing was asked is not among the idle ones.
  for (const stranger of strangers) stranger.destroy()
  // The others become idle with the end of their answers.
  const closing = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS)
  await endWork()
  await Promise.race([ended, sleep(closingMs, undefined, { ref: false })])
  clearInterval(closing)
  server.closeAllConnections()
  await ended
}

/**
 * Returns the port that somebody names; throws `INVALID_INPUT` for what is none.
 *
 * @param usual the port without a name, in words
 */
export function portFrom(given: unknown, usual: string): number {
  if (/^\d{1,5}$/.test(String(given)) && Number(given) <= 65_535) return Number(given)
  throw new ElfmemError('INVALID_INPUT', '--port is a whole number from 0 to 65535.', {
    recovery: `Leave it out for ${usual}; 0 takes one that is free.`,
  })
}
