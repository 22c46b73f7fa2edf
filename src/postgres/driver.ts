import type { Pool, PoolClient, PoolConfig } from 'pg'
import { ElfmemError } from '../errors.ts'

/** The module of the driver, as far as it is used. */
type Driver = Pick<typeof import('pg'), 'Pool' | 'types'>

/** The version from which the driver sends statements without waiting for the answer of the one before. */
const LEAST_VERSION = [8, 23] as const

/** Milliseconds for which an idle connection is kept: a new one plans each statement anew, which takes longer than its run. */
const IDLE_MS = 600_000

/** Milliseconds after which a statement is given up. Nothing that elfmem asks takes a tenth of that; a dead line takes for ever. */
const STATEMENT_MS = 300_000

/** These options say how a process connects to a server; each may be left out. */
export interface PoolOptions {
  /** The most connections of this process; 4 by default. */
  readonly connections?: number
  /** The most milliseconds to wait for a connection, and for the lock of another process. */
  readonly busyTimeoutMs?: number
}

/** The milliseconds of `busyTimeoutMs` unless given. */
export const BUSY_TIMEOUT_MS = 10_000

const CONNECTIONS = 4

/** Loads the driver, which only those install who use PostgreSQL. */
async function loadDriver(): Promise<Driver> {
  const recovery = 'Run `npm install pg` beside elfmem.'
  const details = { package: 'pg' }
  let loaded: { readonly default: Driver }
  try {
    loaded = (await import('pg')) as unknown as { readonly default: Driver }
  } catch (cause) {
    const message = 'A memory in PostgreSQL needs the package pg, which is not installed.'
    throw new ElfmemError('CONFIG_INVALID', message, { recovery, details, cause })
  }
  const version = await versionOfDriver()
  if (isOldDriver(version))
    throw new ElfmemError('CONFIG_INVALID', `The installed package pg ${version} is older than 8.23.`, {
      recovery,
      details,
    })
  return loaded.default
}

async function versionOfDriver(): Promise<string> {
  const options = { with: { type: 'json' } } as const
  const described = (await import('pg/package.json', options)) as { default: { version: string } }
  return described.default.version
}

/** Returns true if a version of the driver cannot do what is needed of it. */
export function isOldDriver(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1])
}

/** The numbers by which PostgreSQL names the types that rows have: whole numbers and booleans as SQLite gives them. */
const READERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => Number(text === 't'),
  17: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  20: Number,
  1700: Number,
}

/** Makes the pool of connections to a server; nothing is asked of it yet. */
export async function openPool(url: string, options: PoolOptions): Promise<Pool> {
  const { Pool, types } = await loadDriver()
  const { connections = CONNECTIONS, busyTimeoutMs = BUSY_TIMEOUT_MS } = options
  const config = {
    connectionString: url,
    max: connections,
    pipeline: true,
    keepAlive: true,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    connectionTimeoutMillis: busyTimeoutMs,
    query_timeout: STATEMENT_MS,
    fallback_application_name: 'elfmem',
    types: { getTypeParser: (type: number) => READERS[type] ?? types.getTypeParser(type) },
  }
  const pool = new Pool(config as unknown as PoolConfig)
  // A connection that breaks tells whoever waits for it; without a listener the event would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client: PoolClient) => client.on('error', () => undefined))
  return pool
}
