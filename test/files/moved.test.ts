import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { HASHING } from '../surfaces/helpers/cli.ts'
import { closedMemory, contentsIn, open } from './files.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')

/** Makes calls that read and write; returns the codes they were refused with. */
async function codesOf(memory: Memory): Promise<string[]> {
  const calls = [
    memory.remember({ content: 'kept nowhere' }),
    memory.recall({ query: 'fact' }),
    memory.status(),
    memory.dream(),
    memory.backup(),
  ]
  return Promise.all(calls.map(async (call) => (await refusal(call)).code))
}

const MOVED = Array.from({ length: 5 }, () => 'STORE_MOVED')

/** An open memory with three facts in its file and a fourth in its log. */
async function memoryWithLog() {
  const path = await closedMemory()
  const memory = await open(path)
  onTestFinished(() => memory.close())
  await memory.remember({ content: 'own fact 4' })
  return { path, memory }
}

const FACTS = ['own fact 1', 'own fact 2', 'own fact 3', 'own fact 4']

test('after a move of its file a memory refuses every call, and the moved file has all it acknowledged', async () => {
  const { path, memory } = await memoryWithLog()
  renameSync(path, `${path}.moved`)
  expect(await codesOf(memory)).toEqual(MOVED)
  expect((await refusal(open(`${path}.moved`))).code).toBe('STORE_MOVED')
  await memory.close()
  expect(contentsIn(`${path}.moved`)).toEqual(FACTS)
})

test('after its file was emptied a memory refuses every call and leaves its log', async () => {
  const { path, memory } = await memoryWithLog()
  truncateSync(path, 0)
  expect(await codesOf(memory)).toEqual(MOVED)
  await memory.close()
  expect([statSync(path).size, statSync(`${path}-wal`).size > 0]).toEqual([0, true])
})

test('after its file was deleted a memory refuses every call, makes no new file and leaves its log', async () => {
  const { path, memory } = await memoryWithLog()
  rmSync(path)
  expect(await codesOf(memory)).toEqual(MOVED)
  await memory.close()
  expect(existsSync(path)).toBe(false)
  expect(readFileSync(`${path}-wal`, 'latin1')).toContain('own fact 4')
  expect((await refusal(open(path))).code).toBe('STORE_MISSING')
})

test('after another file was moved in its place a memory refuses every call and leaves that file as it is', async () => {
  const { path, memory } = await memoryWithLog()
  const other = await closedMemory('other', 5)
  const before = readFileSync(other)
  renameSync(other, path)
  expect(await codesOf(memory)).toEqual(MOVED)
  await memory.close()
  expect(readFileSync(path).equals(before)).toBe(true)
})

test.each(['-wal', '-shm'])(
  'after its %s was deleted a memory refuses every call and opening, and closing saves all it acknowledged',
  async (ending) => {
    const { path, memory } = await memoryWithLog()
    rmSync(`${path}${ending}`)
    expect((await refusal(open(path))).code).toBe('STORE_MOVED')
    expect(await codesOf(memory)).toEqual(MOVED)
    await memory.close()
    const again = await open(path)
    await again.remember({ content: 'own fact 5' })
    await again.close()
    expect(contentsIn(path)).toEqual([...FACTS, 'own fact 5'])
  },
)

test.skipIf(process.platform === 'win32').each(['-wal', '-shm'])(
  'after its %s was replaced by a copy a memory refuses every call, and its file stays whole',
  async (ending) => {
    const { path, memory } = await memoryWithLog()
    copyFileSync(`${path}${ending}`, `${path}.copy`)
    renameSync(`${path}.copy`, `${path}${ending}`)
    expect(await codesOf(memory)).toEqual(MOVED)
    await memory.close()
    const raw = new DatabaseSync(path)
    expect(raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    raw.close()
    expect(contentsIn(path).slice(0, 3)).toEqual(FACTS.slice(0, 3))
  },
)

test('after another process began a new log in place of a deleted one, a memory leaves the file to that process', async () => {
  const { path, memory } = await memoryWithLog()
  for (const ending of ['-wal', '-shm']) rmSync(`${path}${ending}`)
  const home = temporaryFolder()
  for (let i = 1; i <= 3; i += 1)
    spawnSync(process.execPath, [BIN, 'remember', `other fact ${i}`, '--db', path], {
      env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING },
      cwd: home,
    })
  expect(await codesOf(memory)).toEqual(MOVED)
  await memory.close()
  const raw = new DatabaseSync(path)
  expect(raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  raw.close()
  expect(contentsIn(path)).toEqual([...FACTS.slice(0, 3), 'other fact 1', 'other fact 2', 'other fact 3'])
})

test('a memory that another process wrote to, checkpointed and restored goes on', async () => {
  const path = await closedMemory()
  const [one, two] = [await open(path), await open(path)]
  const { name } = await one.backup()
  await two.remember({ content: 'own fact 4' })
  for (const mode of ['TRUNCATE', 'RESTART', 'PASSIVE', 'FULL']) {
    const raw = new DatabaseSync(path)
    raw.exec(`PRAGMA wal_checkpoint(${mode})`)
    raw.close()
    for (const each of [one, two]) await each.remember({ content: `after ${mode}` })
  }
  await one.restoreBackup({ name })
  await two.remember({ content: 'own fact 5' })
  await one.close()
  await two.close()
  expect(contentsIn(path)).toEqual(['own fact 1', 'own fact 2', 'own fact 3', 'own fact 5'])
})

test.skipIf(process.platform !== 'linux')(
  'opening and closing a memory a second time takes no lock from the first (Linux alone lists its locks)',
  async () => {
    const path = await closedMemory()
    const locks = () => {
      const { ino } = statSync(path)
      return readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter((line) => line.includes(`:${ino} `)).length
    }
    const first = await open(path)
    const held = locks()
    const second = await open(path)
    await second.close()
    expect([held, locks()]).toEqual([1, 1])
    await first.close()
    expect(locks()).toBe(0)
  },
)

test('a file with a hard link is refused under both names, and whoever has it open goes on', async () => {
  const { path, memory } = await memoryWithLog()
  const link = join(dirname(path), 'link.db')
  linkSync(path, link)
  for (const name of [link, path]) expect((await refusal(open(name))).code).toBe('STORE_FOREIGN')
  await memory.remember({ content: 'own fact 5' })
  await memory.close()
  rmSync(link)
  expect(contentsIn(path)).toEqual([...FACTS, 'own fact 5'])
  await (await open(path)).close()
})

test.each(['-wal', '-shm', '-journal'])(
  'a %s that is a hard link to another file is refused, and that file stays as it is',
  async (ending) => {
    const path = await closedMemory()
    const precious = join(temporaryFolder(), 'precious.txt')
    const words = 'Words of somebody else.\n'.repeat(2_000)
    writeFileSync(precious, words, { mode: 0o600 })
    linkSync(precious, `${path}${ending}`)
    expect((await refusal(open(path))).code).toBe('STORE_FOREIGN')
    expect(readFileSync(precious, 'utf8')).toBe(words)
  },
)
