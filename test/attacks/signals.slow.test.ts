import { type ChildProcess, spawn } from 'node:child_process'
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
  say(child, MESSAGES)
  await until(() => existsSync(mark))
  await sleep(300)
  expect(child.exitCode).toBeNull()
  return child
}

const MESSAGES = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'elfmem_status', arguments: {} } },
]

function say(child: ChildProcess, messages: readonly object[]): void {
  for (const message of messages) child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

/** Of what does not end the test is not to wait long. */
const STUCK = { timeout: 30_000 }

const COUNTS = 'SELECT (SELECT count(*) FROM blocks)'
const STATUS = "SELECT\n  (SELECT count(*) FROM blocks WHERE status = 'inbox'"

test.each([
  ['SIGTERM', 'a server', STATUS, ['serve', '--quiet']],
  ['SIGINT', 'a server', STATUS, ['serve', '--quiet']],
  ['SIGTERM', 'a backup', COUNTS, ['backup']],
  ['SIGTERM', 'a status', STATUS, ['status']],
] as const)('%s ends %s while a statement of it never ends', STUCK, async (signal, _, beginning, argv) => {
  const path = await memoryFile()
  const child = await stuck(path, beginning, ...argv)
  expect(await endsAfter(child, signal)).toBeLessThan(END_MS)
  expect(child.signalCode).toBe(signal)
  const memory = await openMemory(path, CONFIG)
  expect((await memory.inbox()).blocks).toHaveLength(1)
  await memory.close()
})

test('SIGTERM ends a server that heard it and whose closing never ends', STUCK, async () => {
  const path = await memoryFile()
  const mark = join(temporaryFolder(), 'begun')
  const child = command(path, ['serve', '--quiet'], {
    flags: ['--import', join(import.meta.dirname, 'children', 'endless-statement.ts')],
    env: { TEST_ENDLESS: 'PRAGMA wal_checkpoint(PASSIVE)', TEST_MARK: mark },
  })
  const remember = {
    ...MESSAGES[2],
    params: { name: 'elfmem_remember', arguments: { content: 'The lamp was lit' } },
  }
  say(child, [...MESSAGES.slice(0, 2), remember])
  await until(() => kept(path) === 2)
  await sleep(700)
  expect(await endsAfter(child, 'SIGTERM')).toBeLessThan(END_MS)
  expect(existsSync(mark)).toBe(true)
  expect(child.signalCode).toBe('SIGTERM')
})

function kept(path: string): number {
  const raw = new DatabaseSync(path, { readOnly: true })
  const row = raw.prepare('SELECT count(*) AS total FROM blocks').get()
  raw.close()
  return Number(row?.total)
}

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

test.each(['elfmem:work', 'elfmem:statement'])(
  'a signal that has come just before %s is heard, and is not lost',
  async (begins) => {
    const program = `
      import { channel } from 'node:diagnostics_channel'
      import { abortedBySignals } from ${JSON.stringify(new URL('../../src/surfaces/cli/interrupts.ts', import.meta.url).href)}
      abortedBySignals().addEventListener('abort', () => process.exit(0))
      setTimeout(() => process.exit(3), ${END_MS})
      process.kill(process.pid, 'SIGTERM')
      channel('${begins}').publish(undefined)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
    expect(await once(child, 'exit')).toEqual([0, null])
  },
)
