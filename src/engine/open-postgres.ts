import type { Database } from '../store/database.ts'
import { type ServerPlace, shownPlace, shownUrl } from './address.ts'

/** Milliseconds in which a database answers that is ready. */
const READY_MS = 2_000

/** Options of a connection; each may be left out. */
interface ConnectOptions {
  readonly connections?: number
  readonly busyTimeoutMs?: number
  /** True: a memory that is not there is refused with `STORE_MISSING`, and not made. */
  readonly mustExist?: boolean
}

/** Opens the database of a memory on a server. */
export async function openPostgres(place: ServerPlace, options: ConnectOptions = {}): Promise<Database> {
  const [{ openPostgresDatabase }, { openSqliteDatabase }] = await Promise.all([
    import('../postgres/server.ts'),
    import('../sqlite/store.ts'),
  ])
  const name = shownPlace(place)
  const scratch: Database['scratch'] = ({ isLarge = false } = {}) =>
    openSqliteDatabase(isLarge ? '' : ':memory:', { name })
  return openPostgresDatabase(place, { ...options, scratch })
}

/** Brings the tables of a database to the newest version, and lets a role work with them if one is given. */
export async function migratePostgres(url: string, grantTo: string | undefined) {
  const { migrateServer } = await import('../postgres/server.ts')
  return { location: shownUrl(url), ...(await migrateServer(url, { grantTo })) }
}

/** Returns the statements that make the tables anew and let a role work with them. */
export async function scriptOf(grantTo: string | undefined): Promise<string> {
  return (await import('../postgres/migrate.ts')).scriptOf(grantTo)
}

/** Opens a database of many memories, which share its connections, and the tokens in it. */
export async function openPostgresServer(url: string, options: Omit<ConnectOptions, 'mustExist'> = {}) {
  const [{ openServer }, { postgresFailure }, { postgresTokens }, ...others] = await Promise.all([
    import('../postgres/server.ts'),
    import('../postgres/failure.ts'),
    import('../postgres/tokens.ts'),
    import('../sqlite/store.ts'),
    import('../store/store.ts'),
  ])
  const [{ openSqliteDatabase }, { createStore }] = others
  const name = shownUrl(url)
  const scratch: Database['scratch'] = ({ isLarge = false } = {}) =>
    openSqliteDatabase(isLarge ? '' : ':memory:', { name })
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
