import { ElfmemError } from '../../errors.ts'
import { type BusyRetry, whileBusy } from '../connection/busy-retry.ts'
import type { Connection } from '../connection/driver.ts'
import { FIRST } from './001-first.ts'
import { GRAPH } from './002-graph.ts'
import { INDEX_CHANGES } from './003-index-changes.ts'
import { SCOPES } from './004-scope.ts'
import { VECTORS } from './005-vectors.ts'
import { JUDGEMENT } from './006-judgement.ts'
import { UNDO } from './007-undo.ts'
import { SOURCE_CLASS } from './008-source-class.ts'
import { SESSION_ORDER } from './009-session-order.ts'
import { WORDS } from './010-words.ts'
import { TEXT_KEY } from './011-text-key.ts'
import { WAITING } from './012-waiting.ts'
import { fillTextKeys } from './text-keys.ts'

/** Marks a SQLite file as a memory of elfmem ("elfm"). */
const APPLICATION_ID = 0x656c666d

/** Entry n brings a file from version n to n + 1; entries are never changed once released. */
const MIGRATIONS: readonly string[] = [
  FIRST,
  GRAPH,
  INDEX_CHANGES,
  SCOPES,
  VECTORS,
  JUDGEMENT,
  UNDO,
  SOURCE_CLASS,
  SESSION_ORDER,
  WORDS,
  TEXT_KEY,
  WAITING,
]

/** The version this code reads and writes; `PRAGMA user_version` holds a file's. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Refuses a file that is not ours or newer than this code, without writing to it. */
export function assertOurs(connection: Connection): void {
  const application = pragma(connection, 'application_id')
  const tables = connection.control('SELECT count(*) AS total FROM sqlite_schema')?.total
  if (application !== APPLICATION_ID && (application !== 0 || tables !== 0)) {
    throw new ElfmemError('STORE_FAILED', 'The file is a SQLite database of another program.', {
      recovery: 'Choose another path for the memory.',
      details: { location: connection.location },
    })
  }
  const version = pragma(connection, 'user_version')
  if (version > SCHEMA_VERSION) {
    throw new ElfmemError('STORE_TOO_NEW', 'The memory was written by a newer elfmem.', {
      recovery: 'Update elfmem; the file was left as it is.',
      details: { location: connection.location, version, supported: SCHEMA_VERSION },
    })
  }
}

/**
 * Brings the file to `SCHEMA_VERSION`, each step in a transaction of its own. The version is read again under the
 * lock, because another process may have taken the step meanwhile.
 */
export async function migrate(connection: Connection, busyRetry: BusyRetry): Promise<void> {
  while (pragma(connection, 'user_version') < SCHEMA_VERSION) {
    await whileBusy(busyRetry, () => connection.control('BEGIN IMMEDIATE'))
    try {
      const version = pragma(connection, 'user_version')
      const step = MIGRATIONS[version]
      if (step !== undefined) {
        connection.script(step)
        if (step === TEXT_KEY || step === WAITING) fillTextKeys(connection)
        connection.script(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version + 1}`)
      }
      connection.control('COMMIT')
    } catch (error) {
      connection.rollback()
      throw error
    }
  }
}

/** Version of the file's tables; 0 of one without any. */
export function versionOf(connection: Connection): number {
  return pragma(connection, 'user_version')
}

function pragma(connection: Connection, name: 'application_id' | 'user_version'): number {
  return Number(connection.control(`PRAGMA ${name}`)?.[name])
}
