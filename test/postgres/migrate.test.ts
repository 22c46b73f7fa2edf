import type { Pool } from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { openPool } from '../../src/postgres/driver.ts'
import { migrate, scriptOf } from '../../src/postgres/migrate.ts'
import { MIGRATIONS } from '../../src/postgres/schema.ts'
import { openServer } from '../../src/postgres/server.ts'
import { asSuperuser, hasPostgres, makeDatabase, type TestDatabase, WORKER } from '../helpers/postgres.ts'

const noScratch = () => Promise.reject(new Error('no scratch here'))
const open = (url: string) => openServer(url, { scratch: noScratch })
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: { code: string }) => error.code,
  )

/** A made-up second version, which a process can be killed in the middle of. */
const NEXT = [
  ...MIGRATIONS,
  ['ALTER TABLE blocks ADD COLUMN mood text', 'CREATE TABLE moods (name text)', 'SELECT pg_sleep(0)'],
]

describe.skipIf(!hasPostgres)('the tables of a database', () => {
  const databases: TestDatabase[] = []
  const pools: Pool[] = []
  const made = async () => {
    const database = await makeDatabase()
    databases.push(database)
    return database
  }
  const poolOf = async (url: string) => {
    const pool = await openPool(url, { connections: 2 })
    pools.push(pool)
    return pool
  }
  afterAll(async () => {
    for (const pool of pools) await pool.end()
    for (const each of databases) await each.drop()
  })

  test('are made by the first opening of their owner, and by no other role', async () => {
    const { owner, worker, superuser } = await made()
    expect(await codeOf(open(worker))).toBe('CONFIG_INVALID')
    await (await open(owner)).close()
    const { rows } = await asSuperuser(superuser, 'SELECT version FROM elfmem.schema_version')
    expect(rows).toEqual([{ version: MIGRATIONS.length }])
    expect(await codeOf(open(superuser))).toBe('CONFIG_INVALID')
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
    const both = await Promise.all(
      [owner, owner].map(async (url) => migrate(await poolOf(url), 'here', { migrations: NEXT })),
    )
    const steps = both.map(({ from, to }) => `${from} ${to}`).sort()
    const [was, is] = [MIGRATIONS.length, NEXT.length]
    expect(steps).toEqual([`${was} ${is}`, `${is} ${is}`])
    expect(await migrate(await poolOf(owner), 'here', { migrations: NEXT })).toEqual({ from: is, to: is })
  })

  test('of a newer elfmem are refused', async () => {
    const { owner } = await made()
    await migrate(await poolOf(owner), 'here', { migrations: NEXT })
    await expect(open(owner)).rejects.toMatchObject({
      code: 'STORE_TOO_NEW',
      details: { version: NEXT.length, supported: MIGRATIONS.length },
    })
    expect(await codeOf(migrate(await poolOf(owner), 'here'))).toBe('STORE_TOO_NEW')
  })

  test('are those of before if a migration ends in the middle', async () => {
    const { owner, superuser } = await made()
    await (await open(owner)).close()
    const failing = [...MIGRATIONS, ['CREATE TABLE moods (name text)', 'SELECT no_such_column FROM moods']]
    expect(await codeOf(migrate(await poolOf(owner), 'here', { migrations: failing }))).toBe('STORE_FAILED')
    const endless = [...MIGRATIONS, ['CREATE TABLE moods (name text)', 'SELECT pg_sleep(60)']]
    const pool = await poolOf(owner)
    const hanging = codeOf(migrate(pool, 'here', { migrations: endless }))
    const isAsleep =
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()"
    let asleep: { pid: number }[] = []
    while (asleep.length === 0) asleep = (await asSuperuser(superuser, isAsleep)).rows
    await asSuperuser(superuser, `SELECT pg_terminate_backend(${asleep[0]?.pid})`)
    expect(await hanging).toBe('STORE_FAILED')
    const { rows } = await asSuperuser(
      superuser,
      "SELECT version, to_regclass('elfmem.moods') AS moods FROM elfmem.schema_version",
    )
    expect(rows).toEqual([{ version: MIGRATIONS.length, moods: null }])
    expect(await migrate(await poolOf(owner), 'here', { migrations: NEXT })).toMatchObject({
      to: NEXT.length,
    })
  })

  test('made by the printed script serve the role that was named', async () => {
    const { superuser, owner, worker } = await made()
    await asSuperuser(owner, scriptOf(WORKER))
    await (await open(worker)).close()
    const { rows } = await asSuperuser(superuser, 'SELECT version FROM elfmem.schema_version')
    expect(rows).toEqual([{ version: MIGRATIONS.length }])
  })
})
