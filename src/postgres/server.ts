import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { memoryName, shownPlace, shownUrl } from '../engine/address.ts'
import { ElfmemError } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { MEMORY_ID, meta } from '../store/tables.ts'
import { rollBack } from './connection.ts'
import { BUSY_TIMEOUT_MS, openPool, type PoolOptions } from './driver.ts'
import { postgresFailure } from './failure.ts'
import { type MigrateOptions, migrate, prepareTables } from './migrate.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { SCHEMA } from './schema.ts'

/** These options say how the memories of a server are opened. */
export interface ServerOptions extends PoolOptions {
  /** Opens a database for the scratch work of a memory, which ends with it. */
  readonly scratch: Database['scratch']
}

/** These say how one memory is opened. */
interface MemoryHow {
  /** True: a memory that is not there is refused with `STORE_MISSING`, and not made. */
  readonly mustExist?: boolean | undefined
  /** Called once the memory is closed. */
  readonly closed?: () => Promise<void>
}

/** A server is a PostgreSQL database with many memories, which share the connections of this process. */
export interface Server {
  readonly pool: Pool
  /** Opens a memory by its name, and makes it if there is none. Closing it leaves the server open. */
  memory(name: string, how?: MemoryHow): Promise<Database>
  close(): Promise<void>
}

/** Opens the database of an address, whose tables are made if the role may make them. */
export async function openServer(url: string, options: ServerOptions): Promise<Server> {
  const { busyTimeoutMs = BUSY_TIMEOUT_MS, scratch } = options
  const location = shownUrl(url)
  const pool = await openPool(url, options)
  try {
    await prepareTables(pool, location)
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    pool,
    memory: async (given, { mustExist = false, closed = async () => undefined } = {}) => {
      const name = memoryName(given)
      const place = shownPlace({ url, memory: name })
      const memory = await numberOf(pool, name, mustExist).catch((error) => {
        throw postgresFailure(error, place)
      })
      if (memory === undefined)
        throw new ElfmemError('STORE_MISSING', `There is no memory at ${place}.`, {
          recovery: 'Check its name, and the database in the address.',
          details: { location: place, beside: [] },
        })
      const database = new PostgresDatabase({ pool, memory, location: place, busyTimeoutMs, scratch, closed })
      await nameMemory(database)
      return database
    },
    close: () => pool.end(),
  }
}

/** Opens one memory with connections of its own, which end with it. */
export async function openPostgresDatabase(
  { url, memory }: { readonly url: string; readonly memory: string },
  options: ServerOptions & Pick<MemoryHow, 'mustExist'>,
): Promise<Database> {
  const server = await openServer(url, options)
  try {
    return await server.memory(memory, { mustExist: options.mustExist, closed: () => server.close() })
  } catch (error) {
    await server.close()
    throw error
  }
}

/** Brings the tables of a database to the newest version (`migrate`). */
export async function migrateServer(url: string, options: MigrateOptions) {
  const pool = await openPool(url, { connections: 1 })
  try {
    return await migrate(pool, shownUrl(url), options)
  } finally {
    await pool.end()
  }
}

/** Returns the number of the memory with a name, which is made if there is none and it need not exist. */
async function numberOf(pool: Pool, name: string, mustExist: boolean): Promise<number | undefined> {
  const client = await pool.connect()
  try {
    const ask = (text: string) => client.query<number[]>({ text, values: [name], rowMode: 'array' })
    const select = 'SELECT memory FROM memories WHERE name = $1'
    const [, , { rows: found }] = await Promise.all([
      client.query(`BEGIN; SET LOCAL search_path = ${SCHEMA}`),
      ask(`SELECT set_config('elfmem.name', $1, true)`),
      ask(select),
    ])
    if (found.length === 0 && !mustExist)
      await ask('INSERT INTO memories (name) VALUES ($1) ON CONFLICT DO NOTHING')
    const [[memory] = []] = found.length > 0 ? found : (await ask(select)).rows
    await client.query('COMMIT')
    client.release()
    return memory
  } catch (error) {
    await rollBack(client)
    throw error
  }
}

/** Gives a memory its random name if it has none. */
async function nameMemory(database: Database): Promise<void> {
  const isNamed = await database.read(async (rows) => (await rows.get(meta, [[MEMORY_ID]])).length > 0)
  if (isNamed) return
  await database.write(async (rows) => {
    const known = await rows.get(meta, [[MEMORY_ID]])
    if (known.length === 0)
      await rows.insert(meta, [{ key: MEMORY_ID, value: randomBytes(8).toString('hex') }])
  }, {})
}
