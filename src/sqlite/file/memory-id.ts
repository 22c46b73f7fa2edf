import { randomBytes } from 'node:crypto'
import { type BusyRetry, whileBusy } from '../connection/busy-retry.ts'
import type { Connection } from '../connection/driver.ts'
import { MEMORY_ID } from './bytes/stored-schema.ts'

const SELECT = `SELECT value FROM meta WHERE key = '${MEMORY_ID}'`

/** Who was first named it. */
const INSERT = `INSERT INTO meta (key, value) VALUES ('${MEMORY_ID}', ?1) ON CONFLICT (key) DO NOTHING`

const REPLACE = `INSERT INTO meta (key, value) VALUES ('${MEMORY_ID}', ?1)
ON CONFLICT (key) DO UPDATE SET value = excluded.value`

/** The memory's random name; undefined if it has none yet. */
export function memoryIdOf(connection: Connection): string | undefined {
  const value = connection.control(SELECT)?.value
  return typeof value === 'string' ? value : undefined
}

/** Names a memory that has no name yet: 16 random hex digits. */
export async function nameMemory(writer: Connection, busyRetry: BusyRetry): Promise<string> {
  const known = memoryIdOf(writer)
  if (known !== undefined) return known
  const id = randomBytes(8).toString('hex')
  await whileBusy(busyRetry, () => writer.run(INSERT, id))
  return memoryIdOf(writer) ?? id
}

/** Gives a copy the name of the memory whose place it takes. */
export function renameMemory(copy: Connection, id: string): void {
  copy.run(REPLACE, id)
}
