import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { Connection } from '../../src/sqlite/connection/driver.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { HASHING, NODE_OPTIONS } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')

const open = (path: string): Promise<Memory> =>
  openMemory(path, { embedder: createHashingEmbedder(), as: 'owner' })

/** A closed memory with so many facts of a name. */
async function closedMemory(name: string, facts: number): Promise<string> {
  const path = join(temporaryFolder(), `${name}.db`)
  const memory = await open(path)
  for (let i = 1; i <= facts; i += 1) await memory.remember({ content: `${name} fact ${i}` })
  await memory.close()
  return path
}

function contentsIn(path: string): string[] {
  const raw = new DatabaseSync(path, { readOnly: true })
  const rows = raw.prepare('SELECT content FROM blocks ORDER BY arrival').all()
  raw.close()
  return rows.map(({ content }) => String(content))
}

/** Calls whatever can be called; returns the codes they were refused with. */
async function codesOf(memory: Memory): Promise<string[]> {
  const calls = [
    memory.remember({ content: 'kept nowhere' }),
    memory.recall({ query: 'fact' }),
    memory.status(),
    memory.dream(),
    memory.curate(),
    memory.backup(),
  ]
  return Promise.all(calls.map(async (call) => (await refusal(call)).code))
}

const MOVED = Array.from({ length: 6 }, () => 'STORE_MOVED')

test('a memory whose file was moved refuses every call, and all it acknowledged is in the moved file', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await open(path)
  const contents = Array.from({ length: 8 }, (_, i) => `before fact ${i}`)
  for (const content of contents) await memory.remember({ content })
  renameSync(path, `${path}.moved`)
  expect(await codesOf(memory)).toEqual(MOVED)
  await memory.close()
  expect(contentsIn(`${path}.moved`)).toEqual(contents)
})

test('a memory whose file was deleted acknowledges nothing, and leaves what its log holds', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await open(path)
  await memory.remember({ content: 'the only fact' })
  rmSync(path)
  expect(await codesOf(memory)).toEqual(MOVED)
  await memory.close()
  expect(existsSync(path)).toBe(false)
  expect(readFileSync(`${path}-wal`, 'latin1')).toContain('the only fact')
  expect((await refusal(open(path))).code).toBe('STORE_MISSING')
})

test('a memory in whose place another was moved leaves that one alone, its log included', async () => {
  const other = await closedMemory('other', 5)
  const path = await closedMemory('own', 3)
  const memory = await open(path)
  await memory.remember({ content: 'own fact 4' })
  const before = readFileSync(other)
  renameSync(other, path)
  expect(await codesOf(memory)).toEqual(MOVED)
  await memory.close()
  expect(readFileSync(path).equals(before)).toBe(true)
  rmSync(`${path}-wal`, { force: true })
  expect(contentsIn(path)).toHaveLength(5)
})

test('a memory that was written over by another leaves that one alone', async () => {
  const other = await closedMemory('other', 5)
  const path = await closedMemory('own', 3)
  const memory = await open(path)
  await memory.remember({ content: 'own fact 4' })
  copyFileSync(other, path)
  expect(await codesOf(memory)).toEqual(MOVED)
  await memory.close()
  expect(readFileSync(path).equals(readFileSync(other))).toBe(true)
  // What was acknowledged before lies in the log, which is not taken for that of the other memory.
  expect((await refusal(open(path))).code).toBe('STORE_FOREIGN')
  expect(readFileSync(`${path}-wal`, 'latin1')).toContain('own fact 4')
})

// Node 22 before 22.16 cannot restore a backup.
test.skipIf(!Connection.canCopy)(
  'a memory that another process restored from a backup goes on, with its name',
  async () => {
    const path = await closedMemory('own', 3)
    const [one, two] = [await open(path), await open(path)]
    const { name } = await one.backup()
    await two.remember({ content: 'own fact 4' })
    await one.restoreBackup({ name })
    await two.remember({ content: 'own fact 5' })
    await one.close()
    await two.close()
    expect(contentsIn(path)).toEqual(['own fact 1', 'own fact 2', 'own fact 3', 'own fact 5'])
  },
)

test.skipIf(!Connection.canCopy)(
  'a backup of another memory that is restored takes the name of the memory here',
  async () => {
    const other = await closedMemory('other', 5)
    const theirs = await open(other)
    const { path: backup } = await theirs.backup({ path: `${other}.copy` })
    await theirs.close()
    const path = await closedMemory('own', 3)
    const [one, two] = [await open(path), await open(path)]
    await one.restoreBackup({ path: backup })
    await two.remember({ content: 'said after' })
    await one.close()
    await two.close()
    expect(contentsIn(path)).toHaveLength(6)
  },
)

test('a running server acknowledges nothing that is not kept, and says so in status', async () => {
  const home = temporaryFolder()
  const path = join(home, 'memory.db')
  const client = new Client({ name: 'test', version: '0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'serve', '--quiet', '--db', path],
    env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING, ...NODE_OPTIONS },
    cwd: home,
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const call = async (name: string, given: Record<string, unknown> = {}) =>
    (await client.callTool({ name: `elfmem_${name}`, arguments: given })).structuredContent
  const acknowledged: string[] = []
  const remember = async (content: string) => {
    const answer = (await call('remember', { content })) as {
      readonly block_id?: string
      readonly code?: string
    }
    if (answer.block_id !== undefined) acknowledged.push(content)
    return answer.code
  }
  for (let i = 0; i < 4; i += 1) await remember(`kept ${i}`)
  renameSync(path, `${path}.moved`)
  const codes: unknown[] = []
  for (let i = 0; i < 6; i += 1) codes.push(await remember(`lost ${i}`))
  expect(codes).toEqual(MOVED)
  expect(await call('status')).toMatchObject({ code: 'STORE_MOVED' })
  await client.close()
  expect(acknowledged).toHaveLength(4)
  expect(contentsIn(`${path}.moved`)).toEqual(acknowledged)
})

test.each(['-wal', '-shm'])(
  'a memory whose %s was deleted refuses every call, and keeps what it acknowledged when it is closed',
  async (ending) => {
    const path = join(temporaryFolder(), 'memory.db')
    const memory = await open(path)
    await memory.remember({ content: 'fact of before' })
    rmSync(`${path}${ending}`)
    expect(await codesOf(memory)).toEqual(MOVED)
    await memory.close()
    const again = await open(path)
    await again.remember({ content: 'fact of after' })
    await again.close()
    expect(contentsIn(path)).toEqual(['fact of before', 'fact of after'])
  },
)

test('a memory whose log was replaced refuses every call, and leaves to the other log what is its', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await open(path)
  await memory.remember({ content: 'fact of before' })
  rmSync(`${path}-wal`)
  rmSync(`${path}-shm`)
  const other = await open(path).catch(() => undefined)
  await other?.remember({ content: 'fact of the other' })
  expect(await codesOf(memory)).toEqual(MOVED)
  await memory.close()
  await other?.close()
  if (other !== undefined) expect(contentsIn(path)).toContain('fact of the other')
})

/** What somebody may do to the log of an open memory, in place. */
const LOG_ATTACKS: readonly (readonly [name: string, attack: (log: string) => void])[] = [
  ['cut to nothing', (log) => truncateSync(log, 0)],
  ['cut to its header', (log) => truncateSync(log, 32)],
  ['cut by a byte', (log) => truncateSync(log, statSync(log).size - 1)],
  ['overwritten with zeros', (log) => writeFileSync(log, Buffer.alloc(statSync(log).size))],
  ['overwritten at its beginning', (log) => overwrite(log, 0, 400)],
  ['overwritten at its end', (log) => overwrite(log, statSync(log).size - 4_100, 100)],
  ['replaced by an older state of its own', (log) => copyFileSync(`${log}.before`, log)],
]

function overwrite(path: string, at: number, bytes: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(bytes, 7), 0, bytes, at)
  closeSync(file)
}

test.skipIf(process.platform === 'win32').each(LOG_ATTACKS)(
  'a memory whose log was %s acknowledges nothing more, and its file stays a whole one',
  async (_, attack) => {
    const path = await closedMemory('own', 3)
    const memory = await open(path)
    await memory.remember({ content: 'own fact 4' })
    copyFileSync(`${path}-wal`, `${path}-wal.before`)
    for (let i = 5; i <= 12; i += 1) await memory.remember({ content: `own fact ${i}` })
    attack(`${path}-wal`)
    expect(await codesOf(memory)).toEqual(MOVED)
    await memory.close()
    rmSync(`${path}-wal.before`)
    const raw = new DatabaseSync(path)
    expect(raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    raw.close()
    expect(contentsIn(path).slice(0, 3)).toEqual(['own fact 1', 'own fact 2', 'own fact 3'])
  },
)

test.skipIf(process.platform === 'win32').each(['-wal', '-shm'])(
  'a memory whose %s was replaced by a copy notices it, whatever time its folder is given',
  async (ending) => {
    const path = await closedMemory('own', 3)
    const memory = await open(path)
    const folder = dirname(path)
    const givenTime = () => utimesSync(folder, 1e9, 1e9)
    givenTime()
    // A folder that has just changed is looked at in any case.
    do await memory.status()
    while (Date.now() - statSync(folder).ctimeMs < 100)
    await memory.remember({ content: 'own fact 4' })
    copyFileSync(`${path}${ending}`, `${path}.copy`)
    renameSync(`${path}.copy`, `${path}${ending}`)
    givenTime()
    expect(await codesOf(memory)).toEqual(MOVED)
    await memory.close()
  },
)

test.skipIf(process.platform === 'win32')(
  'what is written while its log is cut is not acknowledged',
  async () => {
    const path = await closedMemory('own', 3)
    const store = await openSqliteStore(path)
    await store.write((tx) => tx.saveMeta('one', '1'))
    const cut = store.write(async (tx) => {
      truncateSync(`${path}-wal`, 0)
      await tx.saveMeta('two', '2')
    })
    expect((await refusal(cut)).code).toBe('STORE_MOVED')
    await store.close()
    expect(contentsIn(path)).toHaveLength(3)
  },
)

test('logs that other processes empty, begin anew or leave are no loss', async () => {
  const path = await closedMemory('own', 3)
  const [memory, other] = [await open(path), await open(path)]
  const contents = ['own fact 1', 'own fact 2', 'own fact 3']
  for (let round = 0; round < 12; round += 1) {
    for (const [i, each] of [memory, other].entries()) {
      contents.push(`round ${round} of ${i}`)
      await each.remember({ content: `round ${round} of ${i}` })
    }
    const raw = new DatabaseSync(path)
    raw.exec(`PRAGMA wal_checkpoint(${['TRUNCATE', 'RESTART', 'PASSIVE', 'FULL'][round % 4]})`)
    raw.close()
    if (round % 5 === 0) expect((await memory.recall({ query: 'fact' })).blockIds.length).toBeGreaterThan(0)
  }
  await other.close()
  await memory.remember({ content: 'the end' })
  await memory.close()
  expect(contentsIn(path)).toEqual([...contents, 'the end'])
})
