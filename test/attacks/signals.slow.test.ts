import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { HASHING, NODE_OPTIONS } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')
const CONFIG = { config: { embeddings: { provider: 'hashing' } } } as const
const END_MS = 2_000

async function memoryFile(): Promise<string> {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await openMemory(path, CONFIG)
  await memory.remember({ content: 'The harbour opens at dawn' })
  await memory.close()
  return path
}

interface CommandOptions {
  /** Options of Node. */
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

function command(
  path: string,
  argv: readonly string[],
  { flags = [], env = {} }: CommandOptions = {},
): ChildProcess {
  const home = temporaryFolder()
  const child = spawn(process.execPath, [...flags, BIN, ...argv, '--db', path], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING, ...NODE_OPTIONS, ...env },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10)
}

/** Milliseconds from the signal to the end. */
async function endsAfter(child: ChildProcess, signal: 'SIGTERM' | 'SIGINT'): Promise<number> {
  const ended = once(child, 'exit')
  const sent = performance.now()
  child.kill(signal)
  await ended
  return performance.now() - sent
}

/** Holds the lock of a memory, so that whoever writes waits. */
function locked(path: string): void {
  const raw = new DatabaseSync(path)
  raw.exec('BEGIN IMMEDIATE')
  onTestFinished(() => raw.close())
}

test.each([
  ['SIGTERM', ['remember', 'The crane was painted']],
  ['SIGINT', ['dream']],
  ['SIGTERM', ['curate']],
] as const)('%s ends a command that waits for a lock (%s)', async (signal, argv) => {
  const path = await memoryFile()
  locked(path)
  const child = command(path, argv)
  // The connection of the command has made its shared memory when it is open.
  await until(() => existsSync(`${path}-shm`))
  await sleep(700)
  expect(child.exitCode).toBeNull()
  expect(await endsAfter(child, signal)).toBeLessThan(END_MS)
  expect(child.signalCode === signal || child.exitCode !== 0).toBe(true)
})

/** A command in which a statement with such a beginning runs and never ends. */
async function stuck(path: string, beginning: string, ...argv: readonly string[]): Promise<ChildProcess> {
  const mark = join(temporaryFolder(), 'begun')
  const child = command(path, argv, {
    flags: ['--import', join(import.meta.dirname, 'children', 'endless-statement.ts')],
    env: { TEST_ENDLESS: beginning, TEST_MARK: mark },
  })
  await until(() => existsSync(mark))
  await sleep(300)
  expect(child.exitCode).toBeNull()
  return child
}

/** Of what does not end the test is not to wait long. */
const STUCK = { timeout: 30_000 }

const STATUS = "SELECT\n  (SELECT count(*) FROM blocks WHERE status = 'inbox'"

test.each([['SIGTERM', 'a status', STATUS, ['status']]] as const)(
  '%s ends %s while a statement of it never ends',
  STUCK,
  async (signal, _, beginning, argv) => {
    const path = await memoryFile()
    const child = await stuck(path, beginning, ...argv)
    expect(await endsAfter(child, signal)).toBeLessThan(END_MS)
    expect(child.signalCode).toBe(signal)
    const memory = await openMemory(path, CONFIG)
    expect((await memory.inbox()).blocks).toHaveLength(1)
    await memory.close()
  },
)

test('the check of a file ends when its process does, though a statement of it is running', async () => {
  const path = await memoryFile()
  const raw = new DatabaseSync(path)
  // Looked at without what comes before a file is opened, which would refuse it.
  raw.exec(`ALTER TABLE operations RENAME TO operations_before;
    CREATE VIEW operations AS WITH RECURSIVE e(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM e)
    SELECT x AS id, x AS at, x AS hours FROM e`)
  raw.close()
  const script = join(import.meta.dirname, '..', '..', 'src', 'sqlite', 'maintenance', 'check-child.ts')
  const child = fork(script, { stdio: 'ignore' })
  // Without an end of its own it would be busy for ever.
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  child.send({ does: 'look', path, full: true })
  await sleep(700)
  expect(child.exitCode).toBeNull()
  const left = performance.now()
  child.disconnect()
  await ended
  expect(performance.now() - left).toBeLessThan(END_MS)
  expect(child.signalCode).toBe('SIGKILL')
})

test('a killed command leaves a memory that opens and holds what was acknowledged', async () => {
  const path = await memoryFile()
  const child = command(path, ['remember', 'The lamp was lit'])
  await until(() => existsSync(`${path}-shm`))
  await endsAfter(child, 'SIGTERM')
  const memory = await openMemory(path, CONFIG)
  const { blocks } = await memory.inbox()
  expect(blocks.map(({ content }) => content)).toContain('The harbour opens at dawn')
  expect((await memory.doctor()).checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  await memory.close()
})
