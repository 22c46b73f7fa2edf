import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { columnsOf } from '../../src/sqlite/maintenance/read-foreign.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { elfmem, HASHING } from '../surfaces/helpers/cli.ts'
import { CRAFTED, foreignLog, sql } from './crafted.ts'
import { wholeMemories } from './whole-memories.ts'

const CONFIG = { config: { embeddings: { provider: 'hashing' } } } as const

const memoryFile = wholeMemories()

async function rescue(...argv: readonly string[]) {
  const home = temporaryFolder()
  return elfmem(['rescue', ...argv], { home, cwd: home, env: HASHING })
}

interface Rescued {
  readonly code: number
  readonly result: Readonly<Record<string, unknown>>
  readonly contents: readonly string[]
  readonly classes: readonly string[]
}

/** What is in the new memory after a rescue, and what the command said. */
async function rescued(path: string, ...more: readonly string[]): Promise<Rescued> {
  const to = join(temporaryFolder(), 'new.db')
  const { code, out } = await rescue(path, '--to', to, '--json', ...more)
  const result = JSON.parse(out) as Record<string, unknown>
  if (code !== 0) return { code, result, contents: [], classes: [] }
  const memory = await openMemory(to, CONFIG)
  const { blocks } = await memory.inbox({ maxCount: 500 })
  await memory.close()
  return {
    code,
    result,
    contents: blocks.map(({ content }) => content),
    classes: [...new Set(blocks.map(({ sourceClass }) => sourceClass))],
  }
}

const FACTS = Array.from({ length: 12 }, (_, i) => `The harbour crane ${i + 1} lifts ${(i + 1) * 3} tons`)

const READABLE = [
  'a version below zero',
  'a version nobody wrote yet',
  'a trigger that authorises words',
  'a view that never ends',
  'a virtual table',
  'a check that calls a function',
  'a generated column',
  'a table less',
  'a schema that cannot be read',
  'another application',
  'texts in UTF-16le',
  'texts in UTF-16be',
  'the log of another database',
  'the journal of another database',
]

test.each(CRAFTED.filter(({ name }) => READABLE.includes(name)))(
  'what was remembered is rescued from a file with $name, unchanged and as words of an import',
  async ({ make }) => {
    const path = memoryFile()
    make(path)
    const before = readFileSync(path)
    const { code, result, contents, classes } = await rescued(path)
    expect(code).toBe(0)
    expect(result).toMatchObject({ blocks: 12, left: 0, lost: 0 })
    expect(contents.toSorted()).toEqual(FACTS.toSorted())
    expect(classes).toEqual(['import'])
    expect(readFileSync(path).equals(before)).toBe(true)
  },
)

test('a view in the place of the blocks is not read, and nothing is left behind', async () => {
  const path = memoryFile()
  sql(
    path,
    'PRAGMA foreign_keys = OFF',
    'ALTER TABLE blocks RENAME TO blocks_before',
    `CREATE VIEW blocks AS WITH RECURSIVE e(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM e) SELECT x AS id, 'Obey' AS content FROM e`,
  )
  const to = join(temporaryFolder(), 'new.db')
  const { code, out } = await rescue(path, '--to', to, '--json')
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ code: 'STORE_FOREIGN' })
  expect(readdirSync(dirname(to))).toEqual([])
})

test('a torn page costs its own rows alone', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await openMemory(path, CONFIG)
  const texts = Array.from(
    { length: 120 },
    (_, i) => `The lamp ${i} burns ${i * 7} hours. ${'It is lit.'.repeat(30)}`,
  )
  await memory.rememberMany({ blocks: texts.map((content) => ({ content })) })
  await memory.close()
  const raw = new DatabaseSync(path)
  const root = Number(raw.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'blocks'`).get()?.rootpage)
  raw.close()
  const bytes = readFileSync(path)
  // The fourth leaf of the blocks, whose root is an interior page.
  const above = bytes.subarray((root - 1) * 4_096)
  const page = above.readUInt32BE(above.readUInt16BE(12 + 2 * 3))
  bytes.fill(0x5a, (page - 1) * 4_096, page * 4_096)
  writeFileSync(path, bytes)
  const { result, contents } = await rescued(path)
  expect(contents.length).toBeGreaterThan(100)
  expect(contents.length).toBeLessThan(120)
  expect(contents.filter((content) => !texts.includes(content))).toEqual([])
  expect(Number(result.lost)).toBeGreaterThan(0)
})

test('pages that lead in circles are read once', async () => {
  const path = memoryFile()
  const raw = new DatabaseSync(path)
  const root = Number(raw.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'blocks'`).get()?.rootpage)
  raw.close()
  const bytes = readFileSync(path)
  const page = bytes.subarray((root - 1) * 4_096, root * 4_096)
  // An interior page whose every child is itself.
  page.fill(0)
  page.writeUInt8(5, 0)
  page.writeUInt16BE(300, 3)
  page.writeUInt32BE(root, 8)
  for (let i = 0; i < 300; i += 1) page.writeUInt16BE(4_000, 12 + 2 * i)
  page.writeUInt32BE(root, 4_000)
  writeFileSync(path, bytes)
  expect((await rescued(path)).result).toMatchObject({ blocks: 0 })
})

test('words of the owner keep their class only when the owner says that they are his', async () => {
  const path = memoryFile()
  sql(path, `UPDATE blocks SET source_class = 'user' WHERE arrival = 1`, 'PRAGMA user_version = -5')
  expect((await rescued(path)).classes).toEqual(['import'])
  const { contents, classes } = await rescued(path, '--trusted')
  expect(contents).toHaveLength(12)
  expect(classes.toSorted()).toEqual(['agent', 'user'])
})

test('of the Python elfmem’s database the contents come, without what its tables have beside them', async () => {
  const path = join(temporaryFolder(), 'python.db')
  sql(
    path,
    `CREATE TABLE blocks (id TEXT PRIMARY KEY, content TEXT NOT NULL, category VARCHAR(20) DEFAULT ('a, b'), source TEXT,
      created_at TEXT, status TEXT, CONSTRAINT one CHECK (length(id) > 0))`,
    `INSERT INTO blocks VALUES ('0123456789abcdef', 'Tea is at four', 'knowledge', 'api', '2026-01-02T03:04:05+00:00', 'active')`,
    `INSERT INTO blocks VALUES ('x', 'Coffee is at ten', NULL, NULL, 'once', 'inbox'), ('y', 'gone', '', '', '', 'archived')`,
  )
  const { contents, result } = await rescued(path)
  expect(contents).toEqual(['Tea is at four', 'Coffee is at ten'])
  expect(result).toMatchObject({ blocks: 2, left: 1 })
})

test('secrets and limits of an import hold for what is rescued', async () => {
  const path = memoryFile()
  const key = `AKIA${'ABCDEFGHIJKLMNOP'}`
  sql(
    path,
    `UPDATE blocks SET content = 'The key is ${key}' WHERE arrival = 1`,
    `UPDATE blocks SET content = printf('%.*c', 300000, 'x') WHERE arrival = 2`,
    'PRAGMA user_version = -5',
  )
  const { contents, result } = await rescued(path)
  expect(result).toMatchObject({ blocks: 11, left: 1 })
  expect(contents.join()).not.toContain(key)
})

test('nothing is written over, and a file without blocks leaves nothing', async () => {
  const path = memoryFile()
  const taken = join(temporaryFolder(), 'taken.db')
  writeFileSync(taken, 'mine')
  expect((await rescue(path, '--to', taken)).code).toBe(2)
  expect(readFileSync(taken, 'utf8')).toBe('mine')
  const text = join(temporaryFolder(), 'text.db')
  writeFileSync(text, 'no database '.repeat(100))
  expect((await rescue(text)).code).toBe(1)
  expect(existsSync(`${text}.rescued.db`)).toBe(false)
  foreignLog(path, 0o600, 'CREATE TABLE theirs (x)')
  expect((await rescued(path)).result).toMatchObject({ blocks: 12 })
})

test('the columns of a table are read from its text, whatever stands between them', () => {
  expect(
    columnsOf(`CREATE TABLE "t" (a TEXT DEFAULT ('x, (y'), "b c" INT CHECK (b > 1), [d], PRIMARY KEY (a))`),
  ).toEqual(['a', 'b c', 'd'])
  expect(columnsOf('CREATE TABLE t (')).toEqual([])
})
