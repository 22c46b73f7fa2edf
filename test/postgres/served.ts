import type { Server, ServerOptions } from '../../src/postgres/server.ts'
import { migrateServer, openServer } from '../../src/postgres/server.ts'
import { openSqliteDatabase } from '../../src/sqlite/store.ts'
import type { Database } from '../../src/store/database.ts'
import { makeDatabase, type TestDatabase, WORKER } from '../helpers/postgres.ts'

/** Makes the database of scratch work, in SQLite. */
export const scratch: ServerOptions['scratch'] = ({ isLarge = false } = {}) =>
  openSqliteDatabase(isLarge ? '' : ':memory:', { name: 'scratch' })

/** Milliseconds in which a server is made on a busy machine. */
export const START_MS = 120_000

/** A database with the tables of elfmem, opened as a role that may change rows alone. */
export interface Served {
  readonly database: TestDatabase
  readonly server: Server
  /** Closes all connections and drops the database. */
  end(): Promise<void>
}

/** Makes a database with tables, and opens it. */
export async function serve(): Promise<Served> {
  const database = await makeDatabase()
  await migrateServer(database.owner, { grantTo: WORKER })
  const server = await openServer(database.worker, { scratch, connections: 6 })
  const end = async () => {
    await server.close()
    await database.drop()
  }
  return { database, server, end }
}

let served: Promise<Served> | undefined
const names = new Map<string, string>()

/** Opens the memory that stands for a path, in the one database of this process, which ends with the run. */
export async function openTestDatabase(path: string): Promise<Database> {
  served ??= serve()
  const name = names.get(path) ?? `test-${names.size}`
  names.set(path, name)
  return (await served).server.memory(name)
}
