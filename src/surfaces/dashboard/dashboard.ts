import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Timer } from '../../engine/ports.ts'
import { DASHBOARD_BOUNDS, DASHBOARD_PORTS } from '../bounds.ts'
import { createApp } from '../http/app.ts'
import { machineTimer } from '../http/events.ts'
import { gateOfAddresses } from '../http/gate.ts'
import { type AppServer, listenApp } from '../http/listen.ts'
import { createDesk, servePage, unknownCaller } from './api.ts'
import { tellPage } from './routes.ts'
import { Session } from './session.ts'
import { loadAssets } from './static.ts'

/** The only address that is listened at. */
export const HOST = '127.0.0.1'

/** The options of a dashboard. */
export interface DashboardOptions {
  readonly version: string
  readonly readOnly: boolean
  /** The port to listen at; 0 takes any free port. By default the first free one of `DASHBOARD_PORTS`. */
  readonly port?: number | undefined
  /** Says when calls took too long; the machine's time unless given. */
  readonly timer?: Timer | undefined
  /** The name that is shown for a memory that is made anew at each start. */
  readonly name?: string | undefined
  /** The folder of the page; that of this package unless given. */
  readonly page?: URL | undefined
  readonly onerror: (error: Error) => void
}

/** A dashboard of this process. */
export interface Dashboard {
  readonly port: number
  /** The code of the link, which opens the page once. */
  readonly code: string
  /** Loads in the background what the first call needs. */
  readonly warm: () => void
  /** Tells open pages, and ends their calls; the memory stays open. */
  readonly close: () => Promise<void>
}

/** Serves the dashboard of an open memory. */
export async function serveDashboard(memory: OpenMemory, options: DashboardOptions): Promise<Dashboard> {
  const { onerror, page, timer = machineTimer } = options
  const session = new Session(() => performance.now())
  const desk = createDesk(memory, memory, { ...options, timer })
  const app = createApp({ tell: tellPage, onerror })
  servePage(app, {
    assets: loadAssets(page),
    deskOf: (token) => (session.isToken(token) ? desk : undefined),
    trade: async (_, { code }) => {
      const token = typeof code === 'string' ? session.trade(code) : undefined
      return token === undefined ? unknownCaller() : { token, desk }
    },
  })
  const { first, count } = DASHBOARD_PORTS
  const own = Array.from({ length: count }, (_, at) => first + at)
  const ports = options.port === undefined ? own : [options.port]
  const server = await listenFirst(ports, (port) => {
    const gate = (bound: number) => gateOfAddresses([`http://${HOST}:${bound}`, `http://localhost:${bound}`])
    const endWork = async () => desk.streams.close()
    return listenApp({ host: HOST, port }, { bounds: DASHBOARD_BOUNDS, gate, app, endWork, onerror })
  })
  return {
    port: server.port ?? 0,
    code: session.code,
    warm: () => {
      memory.warm()
      // A call that needs what cannot be loaded says so.
      desk.routes.load().catch(() => undefined)
    },
    close: () => server.close(),
  }
}

/** Listens at the first port that is free. */
async function listenFirst(
  ports: readonly number[],
  listen: (port: number) => Promise<AppServer>,
): Promise<AppServer> {
  for (const [at, port] of ports.entries()) {
    try {
      return await listen(port)
    } catch (cause) {
      const isTaken = (Object(cause).cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'
      if (!isTaken || at === ports.length - 1) throw cause
    }
  }
  throw new Error('No port was named.')
}
