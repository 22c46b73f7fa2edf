import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { elfmem, HASHING } from '../surfaces/helpers/cli.ts'
import { sql } from './crafted.ts'
import { wholeMemories } from './whole-memories.ts'

const CONFIG = { as: 'owner', config: { embeddings: { provider: 'hashing' } } } as const

const memoryFile = wholeMemories()

/** Values of the types that the tables take, which no elfmem writes. */
const WRONG: readonly (readonly [name: string, table: string, statement: string])[] = [
  ['a date that is none', 'blocks', "UPDATE blocks SET created_at = 'yesterday' WHERE arrival = 3"],
  ['a date of a word SQLite knows', 'blocks', "UPDATE blocks SET occurred_at = 'now' WHERE arrival = 3"],
  ['tags that are an object', 'blocks', `UPDATE blocks SET tags = '{"length":9}' WHERE arrival = 3`],
  ['tags that are no texts', 'blocks', `UPDATE blocks SET tags = '[["deep"]]' WHERE arrival = 3`],
  [
    'a number beyond all counting',
    'blocks',
    'UPDATE blocks SET position = 9223372036854775807 WHERE arrival = 3',
  ],
  ['evidence without end', 'blocks', 'UPDATE blocks SET successes = 9e999 WHERE arrival = 3'],
  [
    'a log entry of blocks that are no list',
    'operations',
    `UPDATE operations SET block_ids = '7' WHERE id = 1`,
  ],
]

test.each(WRONG)('%s is found by doctor, with the table', async (_, table, statement) => {
  const path = memoryFile()
  sql(path, statement)
  const memory = await openMemory(path, CONFIG)
  const { checks } = await memory.doctor({})
  expect(checks.find(({ name }) => name === 'values')).toMatchObject({
    outcome: 'fail',
    message: expect.stringContaining(`1 in ${table}`),
  })
  await memory.close()
})

test.each(WRONG)('a backup with %s is not restored, and the memory stays', async (_, table, statement) => {
  const path = memoryFile()
  sql(path, statement)
  const memory = await openMemory(memoryFile(), CONFIG)
  const refused = await refusal(memory.restoreBackup({ path }))
  expect(refused).toMatchObject({ code: 'STORE_CORRUPT', message: expect.stringContaining(`1 in ${table}`) })
  expect((await memory.status()).activeCount).toBe(12)
  await memory.close()
})

/** The export itself refuses a number that JSON cannot hold. */
const TOLD = WRONG.filter(([name]) => name !== 'a number beyond all counting')

test.each(TOLD)(
  'an export with %s is refused by its line, and nothing is taken',
  async (_, _table, statement) => {
    const path = memoryFile()
    sql(path, statement)
    const file = `${temporaryFolder()}/told.jsonl`
    await telling(path, file)
    const memory = await openMemory(`${temporaryFolder()}/new.db`, CONFIG)
    const refused = await refusal(memory.import({ path: file, trusted: true }))
    expect(refused).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(/\bLine \d+\b/) })
    expect((await memory.status()).activeCount).toBe(0)
    await memory.close()
  },
)

const UNREADABLE: typeof WRONG = [
  ...WRONG.filter(([, , statement]) => statement.includes('_at = ')),
  [
    'a vector cut in the middle of a number',
    'block_vectors',
    "UPDATE block_vectors SET vector = x'0102030405'",
  ],
]

test.each(UNREADABLE)(
  'recall over %s says that the file is damaged, and how to go on',
  async (_, _table, statement) => {
    const path = memoryFile()
    sql(path, statement)
    const memory = await openMemory(path, CONFIG)
    expect(await refusal(memory.recall({ query: 'what is there' }))).toMatchObject({
      code: 'STORE_CORRUPT',
      recovery: expect.stringContaining('doctor'),
    })
    await memory.close()
  },
)

async function telling(path: string, file: string): Promise<void> {
  const memory = await openMemory(path, CONFIG)
  await memory.export({ path: file }).finally(() => memory.close())
}

/** Times as somebody may write them by hand: a right one, of which some signs became others. */
const writtenTimes = fc
  .tuple(
    fc.constantFrom(
      '2026-03-18T15:30:00.000Z',
      '+012026-03-18T15:30:00.000Z',
      '2026-03-18',
      '2026-03-18T15:30+02:00',
    ),
    fc.array(fc.tuple(fc.nat(30), fc.constantFrom(..."09-+:.TZ 'e")), { maxLength: 3 }),
  )
  .map(([time, changes]): string =>
    changes.reduce<string>((text, [at, sign]) => `${text.slice(0, at)}${sign}${text.slice(at + 1)}`, time),
  )

test('however a time is written, an import refuses it or doctor takes it for one', async () => {
  const folder = temporaryFolder()
  const [told, given] = [join(folder, 'told.jsonl'), join(folder, 'given.jsonl')]
  await telling(memoryFile(), told)
  let taken = 0
  const lines = readFileSync(told, 'utf8')
  const written = /"occurred_at":"[^"]+"/
  await fc.assert(
    fc.asyncProperty(writtenTimes, async (time) => {
      writeFileSync(given, lines.replace(written, `"occurred_at":${JSON.stringify(time)}`))
      const memory = await openMemory(join(folder, `${taken++}.db`), CONFIG)
      const refused = await memory.import({ path: given, trusted: true }).then(() => undefined, String)
      const { checks } = await memory.doctor({})
      await memory.close()
      if (refused !== undefined) expect(refused).toMatch(/\bLine \d+\b/)
      expect(checks.find(({ name }) => name === 'values')?.outcome).toBe('ok')
    }),
    { numRuns: 40 },
  )
})

test('rescue brings the blocks of such a file into a new memory', async () => {
  const path = memoryFile()
  for (const [, , statement] of WRONG) sql(path, statement)
  const home = temporaryFolder()
  const to = `${home}/new.db`
  const { code } = await elfmem(['rescue', path, '--to', to], { home, cwd: home, env: HASHING })
  expect(code).toBe(0)
  const memory = await openMemory(to, CONFIG)
  expect((await memory.inbox({ maxCount: 20 })).blocks.length).toBeGreaterThanOrEqual(11)
  await memory.close()
})

test('dates before the year 0 and after 9999 are dates', async () => {
  const path = memoryFile()
  const memory = await openMemory(path, CONFIG)
  await memory.remember({ content: 'The first harvest was told of', at: '0000-01-01T00:00:00+05:00' })
  await memory.remember({ content: 'The last harvest is planned', at: '9999-12-31T23:00:00-05:00' })
  const { checks } = await memory.doctor({})
  expect(checks.find(({ name }) => name === 'values')).toMatchObject({ outcome: 'ok' })
  await memory.close()
})

test.each([
  [
    'an entry of the log with the greatest number',
    "INSERT INTO operations (id, operation, at, hours, actor, block_ids, summary) VALUES (9223372036854775807, 'remember', '2026-01-01T00:00:00.000Z', 0, 'cli', '[]', 'x')",
  ],
  [
    'a block with the greatest sequence',
    'UPDATE blocks SET sequence = 9223372036854775807 WHERE arrival = 3',
  ],
])('%s is a damaged file with a way out, whatever reads it', async (_, statement) => {
  const path = memoryFile()
  sql(path, statement)
  const home = temporaryFolder()
  const world = { home, cwd: home, env: HASHING }
  const failed = []
  for (const argv of [
    ['status'],
    ['recall', 'crane 7'],
    ['history'],
    ['ls'],
    ['remember', 'The crane rests'],
    ['dream'],
    ['backup'],
    ['export', `${home}/all.jsonl`],
  ]) {
    const { out, code } = await elfmem([...argv, '--db', path, '--json'], world)
    if (code === 0) continue
    failed.push(argv[0])
    expect({ argv, ...JSON.parse(out) }).toMatchObject({
      code: 'STORE_CORRUPT',
      error: expect.stringContaining('a number that no elfmem writes'),
      recovery: expect.stringContaining(`elfmem rescue ${path}`),
    })
  }
  expect(failed.length).toBeGreaterThan(0)
  const memory = await openMemory(memoryFile(), CONFIG)
  const refused = await refusal(memory.restoreBackup({ path }))
  expect(refused).toMatchObject({ code: 'STORE_CORRUPT', recovery: expect.stringContaining('rescue') })
  expect((await memory.status()).activeCount).toBe(12)
  await memory.close()
})

test.each([
  ['block', "UPDATE blocks SET content = printf('%.*c', 90000000, 'x') WHERE arrival = 1"],
  ['setting', "INSERT INTO meta VALUES ('long', printf('%.*c', 90000000, 'x'))"],
])('a %s of 90 MB is refused before anything reads it, and the others are rescued', async (_, statement) => {
  const path = memoryFile()
  sql(path, statement)
  const begun = performance.now()
  expect(await refusal(openMemory(path, CONFIG))).toMatchObject({
    code: 'STORE_CORRUPT',
    message: expect.stringContaining('more than 64 MB'),
    recovery: expect.stringContaining(`rescue ${path}`),
  })
  const own = await openMemory(memoryFile(), CONFIG)
  expect((await refusal(own.restoreBackup({ path }))).code).toBe('STORE_CORRUPT')
  await own.close()
  expect(performance.now() - begun).toBeLessThan(5_000)
  const home = temporaryFolder()
  const { code } = await elfmem(['rescue', path, '--to', `${home}/new.db`], { home, cwd: home, env: HASHING })
  expect(code).toBe(0)
})
