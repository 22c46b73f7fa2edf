import { realpathSync } from 'node:fs'
import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Timer } from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { DASHBOARD_BOUNDS } from '../bounds.ts'
import { type App, answer, createApp, only, refused } from '../http/app.ts'
import { machineTimer } from '../http/events.ts'
import { gateOfAddresses } from '../http/gate.ts'
import { type AppServer, listenApp } from '../http/listen.ts'
import { createDesk, type Desk, servePage, unknownCaller, withFields } from './api.ts'
import { findRunning, Instance, type InstanceFacts, type Running } from './instance.ts'
import { portsFor } from './link.ts'
import { tellPage } from './routes.ts'
import { Session } from './session.ts'
import { loadAssets } from './static.ts'

/** The only address that is listened at. */
export const HOST = '127.0.0.1'

/** The options of a dashboard. */
export interface DashboardOptions {
  readonly version: string
  readonly readOnly: boolean
  /** The one port to listen at; 0 takes one that is free. Without it one is chosen by the path of the memory. */
  readonly port?: number | undefined
  /** Another address of the page, for a forwarded port. */
  readonly origin?: string | undefined
  /** Says when calls took too long; the machine's time unless given. */
  readonly timer?: Timer | undefined
  /** The name of a memory that is made anew at each start; the ports are chosen by it and not by the path. */
  readonly name?: string | undefined
  /** The folder of the page; that of this package unless given. */
  readonly page?: URL | undefined
  readonly onerror: (error: Error) => void
}

/** A dashboard of this process. */
export interface Dashboard {
  readonly port: number
  /** A code for a link, which opens the page once. */
  readonly newCode: () => string
  /** Loads in the background what the first call needs. */
  readonly warm: () => void
  /** Says goodbye, ends its calls and removes its file; the memory stays open. */
  readonly close: () => Promise<void>
}

/** Serves the dashboard of an open memory, or returns how to reach the one that runs already. */
export async function serveDashboard(
  memory: OpenMemory,
  options: DashboardOptions,
): Promise<Dashboard | Running> {
  const { scope } = memory
  const { readOnly, onerror, origin, timer = machineTimer } = options
  const location = attempt(() => realpathSync(memory.location)) ?? memory.location
  const running = () => (memory.isLasting ? runningAs(location, { readOnly, scope }) : undefined)
  const before = await running()
  if (before !== undefined) return before
  const instance = new Instance(location, { readOnly, ...(scope === undefined ? {} : { scope }) })
  const session = new Session(() => performance.now())
  const desk = createDesk(memory, memory, { ...options, timer })
  const app = appOf(desk, { session, instance, page: options.page, onerror })
  const ports = options.port === undefined ? portsFor(options.name ?? location) : [options.port]
  const server = await listenFirst(ports, (port) => {
    const gate = (bound: number) =>
      gateOfAddresses([`http://${HOST}:${bound}`, `http://localhost:${bound}`, ...(origin ? [origin] : [])])
    const endWork = async () => desk.streams.close()
    return listenApp({ host: HOST, port }, { bounds: DASHBOARD_BOUNDS, gate, app, endWork, onerror })
  })
  const port = server.port ?? 0
  // False if another start was sooner. Where no file can be written a second start finds nothing, and begins another dashboard.
  const claimed = () => attempt(() => ({ isOurs: instance.claim(port) }))?.isOurs ?? true
  if (!claimed()) {
    const sooner = await running()
    if (sooner !== undefined) {
      await server.close()
      return sooner
    }
    claimed()
  }
  return {
    port,
    newCode: () => session.newCode(),
    warm: () => {
      memory.warm()
      // A call that needs what cannot be loaded says so.
      desk.routes.load().catch(() => undefined)
    },
    close: async () => {
      instance.release()
      await server.close()
    },
  }
}

/** True for a dashboard of another process. */
export function isRunning(found: Dashboard | Running): found is Running {
  return 'code' in found
}

/** The app of one page, which shows the code of a link. */
function appOf(
  desk: Desk,
  {
    session,
    instance,
    page,
    onerror,
  }: Pick<DashboardOptions, 'page' | 'onerror'> & {
    readonly session: Session
    readonly instance: Instance
  },
): App {
  const app = createApp({ tell: tellPage, onerror })
  // A code for a second start, which has read the file of this one.
  only(app, 'POST', '/api/code', (c) =>
    withFields(c, async (fields) => {
      const told = instance.answer(fields, () => session.newCode())
      return told === undefined ? refused(c, unknownCaller()) : answer(c, 200, told)
    }),
  )
  servePage(app, {
    assets: loadAssets(page),
    deskOf: (token) => (session.isToken(token) ? desk : undefined),
    trade: async (_, { code }) => {
      const token = typeof code === 'string' ? session.trade(code) : undefined
      return token === undefined ? unknownCaller() : { token, desk }
    },
  })
  return app
}

/** The dashboard that runs already; throws `CONFLICT` if it shows something else than is wanted. */
async function runningAs(location: string, { readOnly, scope }: InstanceFacts): Promise<Running | undefined> {
  const running = await findRunning(location)
  if (running === undefined || (running.readOnly === readOnly && running.scope === scope)) return running
  const how = [
    running.readOnly ? 'read only' : 'for reading and writing',
    running.scope && `of the scope ${running.scope}`,
  ]
  throw new ElfmemError(
    'CONFLICT',
    `A dashboard of this memory runs already, ${how.filter(Boolean).join(', ')}.`,
    { recovery: 'End it first, or start with the same --read-only and --scope to open that one.' },
  )
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
