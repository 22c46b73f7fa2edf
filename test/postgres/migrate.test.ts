import { describe, expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../src/postgres/driver.ts'
import { migrate, scriptOf } from '../../src/postgres/migrate.ts'
import { MIGRATIONS } from '../../src/postgres/schema.ts'
import { openServer } from '../../src/postgres/server.ts'
import { refusal } from '../helpers/memory.ts'
import { asSuperuser, hasPostgres, makeDatabase, type TestDatabase, WORKER } from '../helpers/postgres.ts'

const noScratch = () => Promise.reject(new Error('no scratch here'))
const open = (url: string) => openServer(url, { scratch: noScratch })
const codeOf = async (work: Promise<unknown>) => (await refusal(work)).code

/** A made-up second version, which a process can be killed in the middle of. */
const NEXT = [
  ...MIGRATIONS,
  ['ALTER TABLE blocks ADD COLUMN mood text', 'CREATE TABLE moods (name text)', 'SELECT pg_sleep(0)'],
]

describe.skipIf(!hasPostgres)('the tables of a database', () => {
  const made = async () => {
    const database = await makeDatabase()
    onTestFinished(database.drop)
    return database
  }
  const migrated = async (url: string, migrations = NEXT) => {
    const pool = await openPool(url, { connections: 2 })
    return migrate(pool, 'here', { migrations }).finally(() => pool.end())
  }
  const versionOf = async ({ superuser }: TestDatabase) => {
    const asked = "SELECT version, to_regclass('elfmem.moods') AS moods FROM elfmem.schema_version"
    return (await asSuperuser(superuser, asked)).rows[0]
  }

  test('are made by the first opening of their owner, and by no other role', async () => {
    const database = await made()
    expect(await codeOf(open(database.worker))).toBe('CONFIG_INVALID')
    await (await open(database.owner)).close()
    expect(await versionOf(database)).toMatchObject({ version: MIGRATIONS.length })
    expect(await codeOf(open(database.superuser))).toBe('CONFIG_INVALID')
  })

  test('all but those of the service set memories apart, whatever the role', async () => {
    const { owner, superuser } = await made()
    await (await open(owner)).close()
    const { rows } = await asSuperuser(
      superuser,
      `SELECT relname FROM pg_class WHERE relnamespace = 'elfmem'::regnamespace AND relkind = 'r'
AND NOT (relrowsecurity AND relforcerowsecurity AND EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid)) ORDER BY 1`,
    )
    expect(rows).toEqual([{ relname: 'schema_version' }, { relname: 'tokens' }])
  })

  test('are brought to the next version once, by two processes at the same time', async () => {
    const { owner } = await made()
    await (await open(owner)).close()
    const both = await Promise.all([migrated(owner), migrated(owner)])
    const [was, is] = [MIGRATIONS.length, NEXT.length]
    const steps = both.map(({ from, to }) => `${from} ${to}`).sort()
    expect(steps).toEqual([`${was} ${is}`, `${is} ${is}`])
  })

  test('of a newer elfmem are refused', async () => {
    const { owner } = await made()
    await migrated(owner)
    expect(await refusal(open(owner))).toMatchObject({
      code: 'STORE_TOO_NEW',
      details: { version: NEXT.length, supported: MIGRATIONS.length },
    })
    expect(await codeOf(migrated(owner, [...MIGRATIONS]))).toBe('STORE_TOO_NEW')
  })

  test.each(['SELECT no_such_column FROM moods', 'SELECT pg_sleep(60)'])(
    'are those of before if a migration ends in the middle: %s',
    async (last) => {
      const database = await made()
      await (await open(database.owner)).close()
      const ending = codeOf(
        migrated(database.owner, [...MIGRATIONS, ['CREATE TABLE moods (name text)', last]]),
      )
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()`
      if (last.includes('sleep')) while ((await asSuperuser(database.superuser, end)).rowCount === 0);
      expect(await ending).toBe('STORE_FAILED')
      expect(await versionOf(database)).toEqual({ version: MIGRATIONS.length, moods: null })
      expect(await migrated(database.owner)).toMatchObject({ to: NEXT.length })
    },
  )

  test('made by the printed script serve the role that was named', async () => {
    const database = await made()
    await asSuperuser(database.owner, scriptOf(WORKER))
    await (await open(database.worker)).close()
    expect(await versionOf(database)).toMatchObject({ version: MIGRATIONS.length })
  })
})
