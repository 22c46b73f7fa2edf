import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { elfmem, HASHING } from '../surfaces/helpers/cli.ts'
import { closedMemory, contentsIn, open, sql } from './files.ts'

interface Foreign {
  readonly name: string
  /** Changes the memory at the path, or puts something else there. */
  readonly make: (path: string) => void
  readonly code: string
  /** The message of the refusal must match this pattern. */
  readonly says: RegExp
  /** False: it cannot be given as a backup either way. */
  readonly isBackup?: false
}

/** Puts something in the place of the memory. */
function replaced(path: string, make: (path: string) => void): void {
  rmSync(path)
  make(path)
}

const PYTHON = ['blocks (id)', 'block_tags (id)', 'system_config (key)', 'edges (a)']
const TEXT = 'no database '.repeat(500)

const FOREIGN: readonly Foreign[] = [
  {
    name: 'a trigger',
    make: (path) => sql(path, 'CREATE TRIGGER evil AFTER INSERT ON blocks BEGIN DELETE FROM meta; END'),
    code: 'STORE_FOREIGN',
    says: /a foreign trigger evil/,
  },
  {
    name: 'a view with a name of SQLite',
    make: (path) =>
      sql(
        path,
        'PRAGMA writable_schema = ON',
        `INSERT INTO sqlite_schema VALUES ('view', 'sqlite_stat1', 'sqlite_stat1', 0, 'CREATE VIEW sqlite_stat1 AS SELECT 1')`,
      ),
    code: 'STORE_FOREIGN',
    says: /a foreign view sqlite_stat1/,
  },
  {
    name: 'a schema that cannot be read',
    make: (path) =>
      sql(
        path,
        'PRAGMA writable_schema = ON',
        `INSERT INTO sqlite_schema VALUES ('table', 'evil', 'evil', 0, 'CREATE TABLE evil (')`,
      ),
    code: 'STORE_CORRUPT',
    says: /damaged/,
  },
  {
    name: 'the tables of an older elfmem',
    make: (path) => sql(path, 'DROP TABLE proposals', 'PRAGMA user_version = 19'),
    code: 'STORE_FOREIGN',
    says: /tables have version 19/,
  },
  {
    name: 'another application id',
    make: (path) => sql(path, 'PRAGMA application_id = 7'),
    code: 'STORE_FOREIGN',
    says: /a database of another program/,
  },
  {
    name: 'the database of the Python elfmem',
    make: (path) =>
      replaced(path, () =>
        sql(path, 'PRAGMA journal_mode = WAL', ...PYTHON.map((each) => `CREATE TABLE ${each}`)),
      ),
    code: 'STORE_FOREIGN',
    says: /the database of the Python elfmem/,
  },
  {
    name: 'an export of elfmem',
    make: (path) => writeFileSync(path, '{"format":"elfmem-export","version":1}\n'),
    code: 'STORE_FOREIGN',
    says: /an export of elfmem/,
  },
  {
    name: 'a log with other permissions than the memory',
    make: (path) => writeFileSync(`${path}-wal`, TEXT, { mode: 0o644 }),
    code: 'STORE_FOREIGN',
    says: /-wal was not made beside this memory/,
  },
  {
    name: 'a journal that is a named pipe',
    make: (path) => execFileSync('mkfifo', [`${path}-journal`]),
    code: 'STORE_FOREIGN',
    says: /-journal, which is no regular file/,
  },
  {
    name: 'a named pipe',
    make: (path) => replaced(path, () => execFileSync('mkfifo', [path])),
    code: 'STORE_FOREIGN',
    says: /no regular file/,
    isBackup: false,
  },
  {
    name: 'a folder',
    make: (path) => replaced(path, () => mkdirSync(path)),
    code: 'STORE_FOREIGN',
    says: /a folder/,
    isBackup: false,
  },
]

/** Names and contents of all that lies in a folder. */
function contentsOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder).map((name) => {
    const path = join(folder, name)
    return [name, lstatSync(path).isFile() ? readFileSync(path).toString('base64') : 'no file'] as const
  })
  return Object.fromEntries(entries)
}

test.skipIf(process.platform === 'win32').each(FOREIGN)(
  'opening a file with $name is refused with what was found, and changes nothing',
  async ({ make, code, says }) => {
    const path = await closedMemory()
    make(path)
    const before = contentsOf(dirname(path))
    const refused = await refusal(open(path))
    expect(refused).toMatchObject({ code, message: expect.stringMatching(says) })
    expect(refused.recovery).not.toBe('')
    expect(contentsOf(dirname(path))).toEqual(before)
  },
)

test.skipIf(process.platform === 'win32').each(FOREIGN.filter(({ isBackup }) => isBackup !== false))(
  'restoring a backup with $name is refused, and the memory stays as it was without a safety backup',
  async ({ make, code }) => {
    const [backup, own] = [await closedMemory('other'), await closedMemory()]
    make(backup)
    const memory = await open(own)
    expect((await refusal(memory.restoreBackup({ path: backup }))).code).toBe(code)
    await memory.close()
    expect(contentsIn(own)).toEqual(['own fact 1', 'own fact 2', 'own fact 3'])
    expect(existsSync(`${own}.backups`) ? readdirSync(`${own}.backups`) : []).toEqual([])
  },
)

test('a file of another version is refused with the way out, which an export of that version takes', async () => {
  const path = await closedMemory()
  const memory = await open(path)
  const told = join(temporaryFolder(), 'told.jsonl')
  await memory.export({ path: told })
  await memory.close()
  sql(path, 'PRAGMA user_version = 23')
  expect(await refusal(open(path))).toMatchObject({
    code: 'STORE_FOREIGN',
    message: expect.stringContaining('version 23'),
    recovery: expect.stringMatching(/[Ee]xport .+ import/),
  })
  // Builds of before said the version of their tables in the head.
  writeFileSync(told, readFileSync(told, 'utf8').replace('"version":1', '"version":1,"schema":23'))
  const fresh = await open(join(temporaryFolder(), 'new.db'))
  onTestFinished(() => fresh.close())
  await fresh.import({ path: told, trusted: true })
  expect((await fresh.inbox()).blocks).toHaveLength(3)
})

test('a file with statistics of the query planner opens', async () => {
  const path = await closedMemory()
  sql(path, 'ANALYZE')
  await (await open(path)).close()
  expect(contentsIn(path)).toHaveLength(3)
})

test('a row of 200 MB is refused before it is in memory, also in a backup', async () => {
  const [path, own] = [await closedMemory('other'), await closedMemory()]
  sql(path, 'UPDATE blocks SET content = CAST(zeroblob(200000000) AS TEXT) WHERE arrival = 1')
  const memory = await open(path)
  const before = process.memoryUsage().rss
  expect((await refusal(memory.dream())).code).toBe('STORE_CORRUPT')
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  await memory.close()
  const other = await open(own)
  onTestFinished(() => other.close())
  expect((await refusal(other.restoreBackup({ path }))).code).toBe('STORE_CORRUPT')
})

/** Values of the right type that no elfmem writes. */
const WRONG: readonly (readonly [name: string, statement: string])[] = [
  ['a date that is none', "UPDATE blocks SET created_at = 'yesterday' WHERE arrival = 3"],
  ['tags that are no texts', `UPDATE blocks SET tags = '[["deep"]]' WHERE arrival = 3`],
  ['a number beyond all counting', 'UPDATE blocks SET position = 9223372036854775807 WHERE arrival = 3'],
]

test.each(WRONG)('%s is found by doctor, and a backup with it is not restored', async (_, statement) => {
  const [path, own] = [await closedMemory('other'), await closedMemory()]
  sql(path, statement)
  const memory = await open(path)
  const { checks } = await memory.doctor({})
  await memory.close()
  expect(checks.find(({ name }) => name === 'values')).toMatchObject({ outcome: 'fail' })
  const other = await open(own)
  onTestFinished(() => other.close())
  expect((await refusal(other.restoreBackup({ path }))).code).toBe('STORE_CORRUPT')
  expect((await other.inbox()).blocks).toHaveLength(3)
})

test.each(['empty', 'gone'])(
  'a file that is %s beside its backups is refused until the backup is restored or a new memory asked for',
  async (state) => {
    const path = await closedMemory()
    const first = await open(path)
    const { name } = await first.backup()
    await first.close()
    if (state === 'empty') truncateSync(path, 0)
    else rmSync(path)
    expect(await refusal(open(path))).toMatchObject({
      code: 'STORE_MISSING',
      recovery: expect.stringContaining(`elfmem restore-backup ${name}`),
    })
    const home = temporaryFolder()
    const world = { home, cwd: home, env: HASHING }
    expect(await elfmem(['restore-backup', 'none.db', '--db', path], world)).toMatchObject({ code: 1 })
    expect(await elfmem(['restore-backup', name, '--db', path], world)).toMatchObject({ code: 0 })
    expect(contentsIn(path)).toHaveLength(3)
    rmSync(path)
    expect(await elfmem(['remember', 'Tea is at five', '--new', '--db', path], world)).toMatchObject({
      code: 0,
    })
    expect(contentsIn(path)).toEqual(['Tea is at five'])
  },
)

test('restoring a database of the same shape from elsewhere leaves nothing beside it', async () => {
  const path = await closedMemory('other', 5)
  chmodSync(path, 0o400)
  const before = readdirSync(dirname(path))
  const own = await closedMemory()
  const memory = await open(own)
  await memory.restoreBackup({ path })
  await memory.remember({ content: 'own fact 4' })
  await memory.close()
  expect(readdirSync(dirname(path))).toEqual(before)
  expect(contentsIn(own)).toHaveLength(6)
})
