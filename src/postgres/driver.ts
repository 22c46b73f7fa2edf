import type { Pool, PoolClient, PoolConfig } from 'pg'
import { ElfmemError } from '../errors.ts'

/** The module of the driver, as far as it is used. */
type Driver = Pick<typeof import('pg'), 'Pool' | 'types'>

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
  try {
    const loaded = (await import('pg')) as unknown as { readonly default: Driver }
    return loaded.default
  } catch (cause) {
    const message = 'A memory in PostgreSQL needs the package pg, which is not installed.'
    const recovery = 'Run `npm install pg` beside elfmem.'
    throw new ElfmemError('CONFIG_INVALID', message, { recovery, details: { package: 'pg' }, cause })
  }
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
