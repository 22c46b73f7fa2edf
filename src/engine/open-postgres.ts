import type { Database } from '../store/database.ts'
import { type ServerPlace, shownPlace, shownUrl } from './address.ts'

/** Milliseconds in which a database answers that is ready. */
const READY_MS = 2_000

/** Options of a connection; each may be left out. */
interface ConnectOptions {
  readonly connections?: number
  readonly busyTimeoutMs?: number
}

/** Loads what opens databases on a server, which work aside in SQLite. */
async function parts(name: string) {
  const [postgres, { openSqliteDatabase }] = await Promise.all([
    import('../postgres/server.ts'),
    import('../sqlite/store.ts'),
  ])
  const scratch: Database['scratch'] = ({ isLarge = false } = {}) =>
    openSqliteDatabase(isLarge ? '' : ':memory:', { name })
  return { ...postgres, scratch }
}

/** Opens the database of a memory on a server; with `mustExist` one that is not there is refused, and not made. */
export async function openPostgres(
  place: ServerPlace,
  options: ConnectOptions & { readonly mustExist?: boolean } = {},
): Promise<Database> {
  const { openPostgresDatabase, scratch } = await parts(shownPlace(place))
  return openPostgresDatabase(place, { ...options, scratch })
}

/** Brings the tables of a database to the newest version, and lets a role work with them if one is given. */
export async function migratePostgres(url: string, grantTo: string | undefined) {
  return (await import('../postgres/server.ts')).migrateServer(url, { grantTo })
}

/** Returns the statements that make the tables anew and let a role work with them. */
export async function scriptOf(grantTo: string | undefined): Promise<string> {
  return (await import('../postgres/migrate.ts')).scriptOf(grantTo)
}

/** Opens a database of many memories, which share its connections, and the tokens in it. */
export async function openPostgresServer(url: string, options: ConnectOptions = {}) {
  const name = shownUrl(url)
  const [{ openServer, scratch }, { postgresTokens }, { createStore }, { postgresFailure }] =
    await Promise.all([
      parts(name),
      import('../postgres/tokens.ts'),
      import('../store/store.ts'),
      import('../postgres/failure.ts'),
    ])
  const server = await openServer(url, { ...options, scratch })
  const { pool } = server
  const query = (text: string, values: unknown[] = [], limits: object = {}) =>
    pool.query({ text, values, ...limits }).catch((error) => {
      throw postgresFailure(error, name)
    })
  return {
    /** Opens the store of a memory, which is made if there is none. */
    store: async (name: string) => createStore(await server.memory(name)),
    tokens: postgresTokens({ query }),
    isReady: async () => void (await query('SELECT 1', [], { query_timeout: READY_MS })),
    gauges: () => ({
      pool_connections: pool.totalCount,
      pool_idle: pool.idleCount,
      pool_waiting: pool.waitingCount,
    }),
    close: () => server.close(),
  }
}
