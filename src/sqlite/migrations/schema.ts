import type { Connection } from '../connection/driver.ts'
import { type BusyRetry, whileBusy } from '../connection/transaction.ts'
import type { LoggedFile } from '../file/belonging.ts'
import { APPLICATION_ID } from '../file/bytes/header.ts'
import { assertLoggedSchema, assertSchema, versionOf } from '../file/expected-schema.ts'
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
import { fillTextKeys, TEXT_KEY } from './011-text-key.ts'
import { WAITING } from './012-waiting.ts'
import { VECTOR_SETS } from './013-vector-sets.ts'
import { QUESTIONS } from './014-questions.ts'
import { EDGE_NOTES } from './015-edge-notes.ts'
import { NAMES } from './016-names.ts'
import { readValidity, VALIDITY } from './017-validity.ts'
import { GROUNDS } from './018-grounds.ts'
import { ITEMS } from './019-items.ts'
import { DAYS, FILL_DAYS } from './020-days.ts'
import { PROPOSALS } from './021-proposals.ts'
import { LOG_BY_BLOCKS } from './022-log-by-blocks.ts'
import { NO_RECENCY } from './023-no-recency.ts'
import NEWEST from './newest.json' with { type: 'json' }

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
  VECTOR_SETS,
  QUESTIONS,
  EDGE_NOTES,
  NAMES,
  VALIDITY,
  GROUNDS,
  ITEMS,
  DAYS,
  PROPOSALS,
  LOG_BY_BLOCKS,
  NO_RECENCY,
]

/** The version this code reads and writes; `PRAGMA user_version` holds a file's. */
export const SCHEMA_VERSION = MIGRATIONS.length

/**
 * Refuses a file whose tables, indexes and triggers are not those of its version, without writing to it.
 *
 * @param path what the refusal calls it
 */
export function assertOurs(connection: Connection, path = connection.location): void {
  assertSchema(connection, makeTables, path)
}

/** The same of a file with its log, before SQLite opens it. */
export function assertLoggedOurs(logged: LoggedFile, path: string): void {
  assertLoggedSchema(logged, makeTables, path)
}

/** Makes the tables of a version in an empty database. */
export function makeTables(empty: Connection, version: number): void {
  for (const step of MIGRATIONS.slice(0, version)) empty.script(step)
}

/** True of a memory that `migrate` would change, and not of a new one. */
export function isOld(connection: Connection): boolean {
  const version = versionOf(connection)
  return version > 0 && version < SCHEMA_VERSION
}

/**
 * Brings the file to `SCHEMA_VERSION`, each step in a transaction of its own; a new file at once, by what all steps come to. The
 * version is read again under the lock, because another process may have taken the step meanwhile.
 */
export async function migrate(connection: Connection, busyRetry: BusyRetry): Promise<void> {
  while (versionOf(connection) < SCHEMA_VERSION) {
    await whileBusy(busyRetry, () => connection.control('BEGIN IMMEDIATE'))
    try {
      const version = versionOf(connection)
      if (version < SCHEMA_VERSION) {
        const next = version === 0 ? makeNewest(connection) : takeStep(connection, version)
        connection.script(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${next}`)
      }
      connection.control('COMMIT')
    } catch (error) {
      connection.rollback()
      throw error
    }
  }
}

function makeNewest(connection: Connection): number {
  connection.script(NEWEST.join(';\n'))
  return SCHEMA_VERSION
}

/** Takes a file of a version to the next, with what is in it. */
function takeStep(connection: Connection, version: number): number {
  const step = MIGRATIONS[version] as string
  connection.script(step)
  if (step === TEXT_KEY || step === WAITING) fillTextKeys(connection)
  if (step === VALIDITY) readValidity(connection)
  if (step === DAYS) connection.script(FILL_DAYS)
  return version + 1
}
