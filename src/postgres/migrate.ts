import type { Pool, PoolClient } from 'pg'
import { ElfmemError } from '../errors.ts'
import { rollBack } from './connection.ts'
import { postgresFailure } from './failure.ts'
import { grantsTo, MIGRATIONS, type Migration, SCHEMA } from './schema.ts'

/** The number of the lock under which one process at a time changes tables. */
const LOCK = 7_305_912_440_118_553_000n

/** The role of a connection, and the tables that it finds. */
interface Standing {
  /** The version of the tables; 0 if there are none. */
  readonly version: number
  /** True if no policy holds for the role. */
  readonly seesAll: boolean
  /** True if the role may make and change the tables. */
  readonly mayMigrate: boolean
}

const SELECT_ROLE = `SELECT rolsuper OR rolbypassrls, to_regclass('${SCHEMA}.schema_version') IS NOT NULL,
  coalesce((SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = '${SCHEMA}'),
    has_database_privilege(current_database(), 'CREATE'))
FROM pg_roles WHERE rolname = current_user`

const SELECT_VERSION = `SELECT version FROM ${SCHEMA}.schema_version`

const MAKE_VERSION = [
  `CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`,
  `CREATE TABLE IF NOT EXISTS ${SCHEMA}.schema_version (version int4 NOT NULL)`,
  `INSERT INTO ${SCHEMA}.schema_version SELECT 0 WHERE NOT EXISTS (SELECT FROM ${SCHEMA}.schema_version)`,
]

async function standingOf(client: Pool | PoolClient): Promise<Standing> {
  const { rows } = await client.query<number[]>({ text: SELECT_ROLE, rowMode: 'array' })
  const [seesAll, hasVersion, mayMigrate] = (rows[0] ?? []).map((each) => each === 1)
  const version = hasVersion === true ? await versionIn(client) : 0
  return { version, seesAll: seesAll === true, mayMigrate: mayMigrate === true }
}

async function versionIn(client: Pool | PoolClient): Promise<number> {
  const { rows } = await client.query<number[]>({ text: SELECT_VERSION, rowMode: 'array' })
  return rows[0]?.[0] ?? 0
}

/** Makes sure that the tables are those of this code and that the policy holds for the role; makes them if the role may. */
export async function prepareTables(pool: Pool, location: string): Promise<void> {
  const { version, seesAll, mayMigrate } = await standingOf(pool).catch((error) => {
    throw postgresFailure(error, location)
  })
  if (seesAll)
    throw new ElfmemError('CONFIG_INVALID', 'This role of the database sees the rows of every memory.', {
      recovery: 'Connect as a role that is no superuser and has no BYPASSRLS.',
    })
  mustBeKnown(version, MIGRATIONS)
  if (version === MIGRATIONS.length) return
  if (!mayMigrate)
    throw new ElfmemError('CONFIG_INVALID', `The tables in ${location} are not those of this elfmem.`, {
      recovery: 'Run `elfmem migrate --store <address>` as the role that owns them, or is to own them.',
    })
  await migrate(pool, location)
}

/** Options of a migration. */
export interface MigrateOptions {
  /** A role that may work with the tables afterwards. */
  readonly grantTo?: string | undefined
  /** All migrations from an empty schema; those of elfmem unless a test has others. */
  readonly migrations?: readonly Migration[]
}

/**
 * Brings the tables to the newest version, in one transaction under a lock; returns the version before and after. Throws
 * `STORE_TOO_NEW` if they are of a newer elfmem.
 */
export async function migrate(
  pool: Pool,
  location: string,
  { grantTo, migrations = MIGRATIONS }: MigrateOptions = {},
): Promise<{ readonly from: number; readonly to: number }> {
  const to = migrations.length
  const client = await pool.connect().catch((error) => {
    throw postgresFailure(error, location)
  })
  try {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`)
    await client.query([...MAKE_VERSION, `SET LOCAL search_path = ${SCHEMA}`].join('; '))
    const from = await versionIn(client)
    mustBeKnown(from, migrations)
    for (const migration of migrations.slice(from)) await client.query(migration.join(';\n'))
    await client.query(`UPDATE schema_version SET version = ${to} WHERE version <> ${to}`)
    for (const grant of grantTo === undefined ? [] : grantsTo(grantTo)) await client.query(grant)
    await client.query('COMMIT')
    client.release()
    return { from, to }
  } catch (error) {
    await rollBack(client)
    throw postgresFailure(error, location)
  }
}

/** Returns all statements of a migration from an empty schema, as a script that an owner can read and run. */
export function scriptOf(grantTo: string | undefined): string {
  const made = [...MAKE_VERSION, `SET search_path = ${SCHEMA}`, ...MIGRATIONS.flat()]
  const version = `UPDATE schema_version SET version = ${MIGRATIONS.length}`
  const statements = ['BEGIN', ...made, version, ...grantsTo(grantTo ?? 'elfmem'), 'COMMIT']
  return statements.map((each) => `${each};\n`).join('')
}

function mustBeKnown(version: number, migrations: readonly Migration[]): void {
  const supported = migrations.length
  if (version <= supported) return
  const message = `The tables have version ${version}, and this elfmem knows them up to version ${supported}.`
  throw new ElfmemError('STORE_TOO_NEW', message, {
    recovery: 'Use the elfmem that made them, or a newer one.',
    details: { version, supported },
  })
}
