import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { Connection } from '../../src/sqlite/connection/driver.ts'
import { SCHEMA_HASHES, schemaOf } from '../../src/sqlite/file/expected-schema.ts'
import { vectorTriggers } from '../../src/sqlite/migrations/005-vectors.ts'
import { makeTables, SCHEMA_VERSION } from '../../src/sqlite/migrations/schema.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { elfmem, HASHING, NODE_OPTIONS } from '../surfaces/helpers/cli.ts'
import { CRAFTED } from './crafted.ts'
import { wholeMemories } from './whole-memories.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')
const CONFIG = { as: 'owner', config: { embeddings: { provider: 'hashing' } } } as const
/** Two seconds on a machine that does nothing else; these tests share theirs. */
const ANSWER_MS = 6_000

const memoryFile = wholeMemories()

/** Names and contents of all that lies in a folder. */
function contentsOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder).map((name) => {
    const path = join(folder, name)
    return [name, lstatSync(path).isFile() ? readFileSync(path).toString('base64') : 'no file'] as const
  })
  return Object.fromEntries(entries)
}

test.each(CRAFTED)(
  '$name is refused at once with what was found, and nothing is changed',
  async ({ make, code, says }) => {
    const path = memoryFile()
    make(path)
    const before = contentsOf(dirname(path))
    const begun = performance.now()
    const refused = await refusal(openMemory(path, CONFIG))
    expect(performance.now() - begun).toBeLessThan(ANSWER_MS)
    expect(refused).toMatchObject({ code, message: expect.stringMatching(says) })
    expect(refused.recovery).not.toBe('')
    expect(contentsOf(dirname(path))).toEqual(before)
  },
)

/** Those at which a command hung, ran what it found or wrote through it before. */
const HUNG = [
  'a version below zero',
  'a view that never ends in the place of a table',
  'a named pipe',
  'a device',
  'the log of another database',
]

test.each(CRAFTED.filter(({ name }) => HUNG.includes(name)))(
  '$name ends a command at once with the same refusal',
  ({ make, code, says }) => {
    const path = memoryFile()
    make(path)
    const home = temporaryFolder()
    const child = spawnSync(process.execPath, [BIN, 'recall', 'crane', '--db', path, '--json'], {
      env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING, ...NODE_OPTIONS },
      cwd: home,
      encoding: 'utf8',
      timeout: 5 * ANSWER_MS,
    })
    expect(child.signal).toBeNull()
    expect(JSON.parse(child.stdout)).toMatchObject({ code, error: expect.stringMatching(says) })
    expect(child.status).toBe(1)
  },
)

test.each(CRAFTED.filter(({ isDatabase }) => isDatabase !== false))(
  'a backup with $name is not restored',
  async ({ make, code }) => {
    const path = memoryFile()
    make(path)
    const own = memoryFile()
    const memory = await openMemory(own, CONFIG)
    const before = (await memory.status()).activeCount
    const begun = performance.now()
    expect((await refusal(memory.restoreBackup({ path }))).code).toBe(code)
    expect(performance.now() - begun).toBeLessThan(ANSWER_MS)
    expect((await memory.status()).activeCount).toBe(before)
    await memory.close()
    expect(existsSync(`${own}.backups`) ? readdirSync(`${own}.backups`) : []).toEqual([])
  },
)

test('a whole memory opens, and its file is as it was but for the session', async () => {
  const memory = await openMemory(memoryFile(), CONFIG)
  expect((await memory.recall({ query: 'crane 7' })).blocks[0]?.content).toContain('crane 7 lifts 21')
  await memory.close()
})

test('each version of the file has the tables that its hash was made of', () => {
  const hashes = Array.from({ length: SCHEMA_VERSION + 1 }, (_, version) => {
    const empty = new Connection(':memory:')
    makeTables(empty, version)
    const { hash } = schemaOf(empty)
    empty.close()
    return hash
  })
  expect(SCHEMA_HASHES).toEqual(hashes)
})

/** As elfmem up to version 12 let two tables of vectors change places. */
const SWAPPED = `ALTER TABLE block_vectors RENAME TO vectors_before; ALTER TABLE spare_vectors RENAME TO block_vectors;
  ALTER TABLE vectors_before RENAME TO spare_vectors; DROP TRIGGER vectors_inserted; DROP TRIGGER vectors_changed;
  DROP TRIGGER vectors_deleted; ${vectorTriggers()}`

test('a memory of version 12 whose vectors changed places is no foreign one, and keeps both sets', async () => {
  const path = join(dirname(memoryFile()), 'twelve.db')
  const made = new Connection(path)
  makeTables(made, 12)
  made.script(`INSERT INTO blocks (arrival, id, sequence, content, category, tags, status, created_at, occurred_at, session,
    position, successes, failures, reinforcement_count, last_reinforced_at, last_useful_at, decay_lambda, token_count)
    VALUES (1, 'a', 1, 'The crane lifts.', 'knowledge', '[]', 'active', '2026-01-01', '2026-01-01', 's', 0, 0, 0, 0, 0, 0, 0, 4);
    INSERT INTO meta VALUES ('spare_vectors', '1');
    INSERT INTO block_vectors VALUES (1, x'00000000'); INSERT INTO spare_vectors VALUES (1, x'0000803f');
    DELETE FROM spare_missing; ${SWAPPED}
    PRAGMA application_id = 0x656c666d; PRAGMA user_version = 12`)
  made.close()
  const memory = await openMemory(path, CONFIG)
  expect((await memory.status()).activeCount).toBe(1)
  await memory.close()
  const raw = new DatabaseSync(path)
  expect(
    raw.prepare('SELECT set_number AS number, hex(vector) AS hex FROM block_vectors ORDER BY 1').all(),
  ).toEqual([
    { number: 0, hex: '0000803F' },
    { number: 1, hex: '00000000' },
  ])
  raw.close()
})

test('statistics of the query planner that a person had made are no reason to refuse', async () => {
  const path = memoryFile()
  const raw = new DatabaseSync(path)
  raw.exec('ANALYZE')
  raw.close()
  const memory = await openMemory(path, CONFIG)
  expect((await memory.status()).activeCount).toBe(12)
  await memory.close()
})

/** A memory whose process was killed: what was written last lies in the log alone. */
async function killed(): Promise<string> {
  const from = memoryFile()
  const memory = await openMemory(from, CONFIG)
  for (let i = 1; i <= 5; i += 1) await memory.remember({ content: `The lamp ${i} burns ${i * 7} hours` })
  const path = join(temporaryFolder(), 'memory.db')
  for (const ending of ['', '-wal']) {
    copyFileSync(`${from}${ending}`, `${path}${ending}`)
    chmodSync(`${path}${ending}`, 0o600)
  }
  await memory.close()
  return path
}

test('the log of a killed process belongs to its memory and is read', async () => {
  const path = await killed()
  const memory = await openMemory(path, CONFIG)
  expect((await memory.inbox()).blocks).toHaveLength(5)
  await memory.close()
})

test('a log cut off anywhere keeps what was committed before the cut', async () => {
  for (const share of [0.02, 0.3, 0.5, 0.8, 0.99]) {
    const path = await killed()
    truncateSync(`${path}-wal`, Math.floor(readFileSync(`${path}-wal`).length * share))
    const memory = await openMemory(path, CONFIG)
    expect((await memory.inbox()).blocks.length).toBeLessThanOrEqual(5)
    expect((await memory.status()).activeCount).toBe(12)
    expect(
      (await memory.doctor({ resolve: true })).checks.filter(({ outcome }) => outcome === 'fail'),
    ).toEqual([])
    await memory.close()
  }
})

test('the log of another memory of elfmem is refused, and without it the memory is as it was', async () => {
  const path = memoryFile()
  copyFileSync(`${await foreignMemory()}-wal`, `${path}-wal`)
  chmodSync(`${path}-wal`, 0o600)
  expect(await refusal(openMemory(path, CONFIG))).toMatchObject({
    code: 'STORE_FOREIGN',
    message: expect.stringContaining('log of another database'),
  })
  rmSync(`${path}-wal`)
  const memory = await openMemory(path, CONFIG)
  expect((await memory.status()).activeCount).toBe(12)
  await memory.close()
})

test('a log of the memory’s own that somebody added to is refused, left as it is, and named with what helps', async () => {
  const [path, other] = [memoryFile(), memoryFile()]
  copyFileSync(path, other)
  const raw = new DatabaseSync(other)
  raw.exec(
    `PRAGMA journal_mode = WAL; CREATE TRIGGER evil AFTER INSERT ON blocks BEGIN DELETE FROM meta; END`,
  )
  copyFileSync(`${other}-wal`, `${path}-wal`)
  raw.close()
  chmodSync(`${path}-wal`, 0o600)
  const before = contentsOf(dirname(path))
  for (let i = 0; i < 2; i += 1) {
    const refused = await refusal(openMemory(path, CONFIG))
    expect(refused).toMatchObject({ code: 'STORE_FOREIGN', message: expect.stringContaining('trigger evil') })
    expect([refused.message, refused.recovery]).toEqual([
      expect.stringContaining(`${path}-wal`),
      expect.stringContaining(`move ${path}-wal away`),
    ])
    expect(contentsOf(dirname(path))).toEqual(before)
  }
  rmSync(`${path}-wal`)
  const memory = await openMemory(path, CONFIG)
  expect((await memory.status()).activeCount).toBe(12)
  await memory.close()
})

/** A memory of its own that was killed before anything was moved out of its log. */
async function foreignMemory(): Promise<string> {
  const path = join(temporaryFolder(), 'memory.db')
  const other = await openMemory(`${path}.open`, CONFIG)
  await other.remember({ content: 'Theirs is another harbour' })
  copyFileSync(`${path}.open-wal`, `${path}-wal`)
  await other.close()
  return path
}

// Restoring ends in a refusal on Node 22 before 22.16, which the next test holds.
test.skipIf(!Connection.canCopy).each(['empty', 'gone'])(
  'a memory whose file is %s beside its backups is no new one without a word',
  async (state) => {
    const path = memoryFile()
    const first = await openMemory(path, CONFIG)
    const { name } = await first.backup()
    await first.close()
    if (state === 'empty') truncateSync(path, 0)
    else rmSync(path)
    const refused = await refusal(openMemory(path, CONFIG))
    expect(refused).toMatchObject({ code: 'STORE_MISSING', message: expect.stringContaining(name) })
    expect(refused.recovery).toContain(`elfmem restore-backup ${name} --db ${path}`)
    const home = temporaryFolder()
    const world = { home, cwd: home, env: HASHING }
    expect(await elfmem(['status', '--db', path], world)).toMatchObject({ code: 1 })
    expect(await elfmem(['restore-backup', name, '--db', path], world)).toMatchObject({ code: 0 })
    const again = await openMemory(path, CONFIG)
    expect((await again.status()).activeCount).toBe(12)
    await again.close()
  },
)

test.skipIf(Connection.canCopy)(
  'a whole backup is refused by a Node that cannot restore it (22 before 22.16), with the version that can',
  async () => {
    const memory = await openMemory(memoryFile(), CONFIG)
    expect(await refusal(memory.restoreBackup({ path: memoryFile() }))).toMatchObject({
      code: 'STORE_FAILED',
      recovery: expect.stringContaining('22.16'),
    })
    expect((await memory.status()).activeCount).toBe(12)
    await memory.close()
  },
)

test('a lost memory stays lost when the backup that was named is not there', async () => {
  const path = memoryFile()
  const first = await openMemory(path, CONFIG)
  await first.backup()
  await first.close()
  rmSync(path)
  const home = temporaryFolder()
  const world = { home, cwd: home, env: HASHING }
  expect(await elfmem(['restore-backup', 'none.db', '--db', path], world)).toMatchObject({ code: 1 })
  expect((await refusal(openMemory(path, CONFIG))).code).toBe('STORE_MISSING')
})

test('who says so begins a new memory beside old backups, exports or a log', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const first = await openMemory(path, CONFIG)
  await first.remember({ content: 'The harbour opens at dawn' })
  await first.export({ name: 'all.jsonl' })
  await first.close()
  rmSync(path)
  expect((await refusal(openMemory(path, CONFIG))).message).toContain('exports')
  const home = temporaryFolder()
  const { code } = await elfmem(['remember', 'Tea is at five', '--new', '--db', path], {
    home,
    cwd: home,
    env: HASHING,
  })
  expect(code).toBe(0)
  expect(existsSync(path)).toBe(true)
})

test('a packed index that is a named pipe keeps nobody waiting', async () => {
  const path = memoryFile()
  execFileSync('mkfifo', [`${path}-index`])
  const memory = await openMemory(path, CONFIG)
  expect((await memory.recall({ query: 'crane 7' })).blocks[0]?.content).toContain('crane 7 lifts 21')
  await memory.close()
})

test('a database given to import is named as one', async () => {
  const memory = await openMemory(memoryFile(), CONFIG)
  expect(await refusal(memory.import({ path: memoryFile() }))).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('a database'),
    recovery: expect.stringContaining('rescue'),
  })
  await memory.close()
})

test.skipIf(process.platform !== 'linux')(
  'looking at a file takes no lock from another store of the process (the system lists its locks on Linux alone)',
  async () => {
    const path = memoryFile()
    const locks = () => {
      const held = readFileSync('/proc/locks', 'utf8').split('\n')
      return held.filter((line) => line.includes(`:${statSync(path).ino} `)).length
    }
    const first = await openMemory(path, CONFIG)
    expect(locks()).toBe(1)
    const second = await openMemory(path, CONFIG)
    expect(locks()).toBe(1)
    await second.close()
    expect(locks()).toBe(1)
    await first.close()
    expect(locks()).toBe(0)
  },
)
