import { realpathSync } from 'node:fs'
import { settingsInForce } from '../../adapters/project/settings/settings-in-force.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Timer } from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { createViews } from '../../views/table.ts'
import { Streams } from './events.ts'
import { findRunning, Instance, type Running } from './instance.ts'
import { portsFor } from './link.ts'
import { Routes } from './routes.ts'
import { type DashboardServer, listenDashboard, type ServerParts } from './server.ts'
import { Session } from './session.ts'
import { loadAssets } from './static.ts'

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
  const location = attempt(() => realpathSync(memory.location)) ?? memory.location
  const running = await runningAs(memory, location, { ...options, scope })
  if (running !== undefined) return running
  const instance = new Instance(location, {
    readOnly: options.readOnly,
    ...(scope === undefined ? {} : { scope }),
  })
  const session = new Session(() => performance.now())
  const parts = { ...partsOf(memory, options), session, instance }
  const ports = options.port === undefined ? portsFor(options.name ?? location) : [options.port]
  const server = await listenFirst(ports, parts)
  const dashboard: Dashboard = {
    port: server.port,
    newCode: () => session.newCode(),
    warm: () => {
      memory.warm()
      // A call that needs what cannot be loaded says so.
      parts.routes.load().catch(() => undefined)
    },
    close: async () => {
      instance.release()
      await server.close()
    },
  }
  if (claimed(instance, server.port)) return dashboard
  // Somebody else was sooner.
  const sooner = await runningAs(memory, location, { ...options, scope })
  if (sooner === undefined) {
    claimed(instance, server.port)
    return dashboard
  }
  await server.close()
  return sooner
}

/** True for a dashboard of another process. */
export function isRunning(found: Dashboard | Running): found is Running {
  return 'code' in found
}

function partsOf(
  memory: OpenMemory,
  { version, readOnly, origin, page, name, timer = machineTimer, onerror }: DashboardOptions,
): Omit<ServerParts, 'session' | 'instance'> {
  const { project, scope, location } = memory
  const { settings, sourceOf, database, configs = [] } = project
  const views = createViews({
    ...{ database, configs, version, readOnly },
    settings: () => settingsInForce(settings, sourceOf),
  })
  const hello = {
    ...{ version, readOnly, location },
    ...(scope === undefined ? {} : { scope }),
    ...(name === undefined ? {} : { name }),
  }
  const streams = new Streams(memory, hello, timer)
  const routes = new Routes({
    ...{ memory, views, readOnly, timer },
    operations: async () => (await import('../../operations/table.ts')).operations,
    progress: (call, progress) => streams.progress(call, progress),
  })
  return { assets: loadAssets(page), routes, streams, origin, onerror }
}

const machineTimer: Timer = {
  after(milliseconds, work) {
    const timeout = setTimeout(work, milliseconds).unref()
    return () => clearTimeout(timeout)
  },
}

/** The dashboard that runs already; throws `CONFLICT` if it shows something else than is wanted. */
async function runningAs(
  { isLasting }: OpenMemory,
  location: string,
  { readOnly, scope }: { readonly readOnly: boolean; readonly scope: string | undefined },
): Promise<Running | undefined> {
  if (!isLasting) return undefined
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
async function listenFirst(ports: readonly number[], parts: ServerParts): Promise<DashboardServer> {
  for (const [at, port] of ports.entries()) {
    try {
      return await listenDashboard(port, parts)
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && at < ports.length - 1) continue
      throw new ElfmemError('INVALID_INPUT', `127.0.0.1:${port} cannot be listened at: ${message}.`, {
        recovery: 'Stop what listens there, or choose another with --port; --port 0 takes one that is free.',
        cause,
      })
    }
  }
  throw new Error('No port was named.')
}

/** False if there is a file already. Where none can be written a second start finds nothing, and begins another one. */
function claimed(instance: Instance, port: number): boolean {
  return attempt(() => ({ isOurs: instance.claim(port) }))?.isOurs ?? true
}
