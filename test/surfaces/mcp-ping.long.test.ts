import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/engine/memory.ts'
import { hostileText, SHAPES } from '../attacks/texts/shapes.ts'
import { HASHING } from './helpers/cli.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')
const BLOCKS = 10_000
/** One ping of a hundred may take longer. */
const ANSWER_MS = 150
/** The limit while the file as a whole is copied or read. */
const FILE_MS = 1_000
const PING_EVERY_MS = 2
const ROUNDS = 4

let client: Client

beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), 'elfmem-ping-'))
  const path = join(home, 'memory.db')
  await fill(path)
  client = new Client({ name: 'test', version: '0' })
  // A rate would end the test before the time is up.
  const env = { PATH: process.env.PATH ?? '', HOME: home, ELFMEM_LIMITS_BURST_CALLS: '100000', ...HASHING }
  const args = [BIN, 'serve', '--quiet', '--as', 'owner', '--tools', 'all', '--db', path]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: home }))
  await called('recall', { query: 'gate' })
  return async () => {
    await client.close()
    rmSync(home, { recursive: true, force: true })
  }
})

const THINGS = ['gate', 'tea', 'key', 'boat', 'lamp', 'road', 'door', 'fish', 'bell', 'tree']

function facts(from: number, count: number): { content: string }[] {
  return Array.from({ length: count }, (_, i) => {
    const at = from + i
    return {
      content: `Fact ${at}: the ${THINGS[at % 10]} of house ${at * 7} opens at ${at % 24} for ${THINGS[(at * 3) % 10]}`,
    }
  })
}

async function fill(path: string): Promise<void> {
  const memory = await openMemory(path, {
    embedder: createHashingEmbedder(),
    config: { memory: { autoDream: 'off', dreamSeconds: 300 } },
  })
  await memory.rememberMany({ blocks: facts(0, BLOCKS) })
  await memory.dream()
  await memory.close()
}

function called(name: string, args: Record<string, unknown>): Promise<unknown> {
  return client.callTool({ name: `elfmem_${name}`, arguments: args }, { timeout: 240_000 })
}

/** How long the server took to answer each ping while the calls ran, in milliseconds. */
async function pingsDuring(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let running = true
  const done = work().finally(() => {
    running = false
  })
  while (running) {
    const begun = performance.now()
    await client.ping()
    times.push(performance.now() - begun)
    await pause(PING_EVERY_MS)
  }
  await done
  return times
}

/** The limit of the slowest answer of all. */
const SLOWEST_MS = 1_000

/** Runs the work again if it is too slow: another process may have had the processors. */
async function answersWithin(ms: number, work: (round: number) => Promise<unknown>) {
  let times: number[] = []
  for (
    let round = 0;
    round < ROUNDS && (round === 0 || p99(times) > ms || Math.max(...times) > SLOWEST_MS);
    round++
  )
    times = await pingsDuring(() => work(round))
  expect(times.length).toBeGreaterThan(1)
  expect(Math.max(...times)).toBeLessThanOrEqual(SLOWEST_MS)
  expect(p99(times)).toBeLessThanOrEqual(ms)
}

function p99(times: readonly number[]): number {
  const descending = times.toSorted((one, other) => other - one)
  return descending[Math.floor(times.length / 100)] ?? Number.POSITIVE_INFINITY
}

/** Makes hostile texts that are new in each round. */
const texts = (bytes: number, round: number) =>
  Object.keys(SHAPES).map((shape) => `${'abcdefgh'.charAt(round)} ${hostileText(shape, bytes)}`)

async function each(name: string, calls: readonly Record<string, unknown>[]): Promise<void> {
  for (const args of calls) await called(name, args)
}

test('a ping is answered within 150 ms while hostile texts are remembered', async () => {
  await answersWithin(ANSWER_MS, (round) =>
    each(
      'remember',
      texts(32_000, round).map((content) => ({ content })),
    ),
  )
})

test.each(['sentences', 'one long word', 'nested quotes', 'table rows', 'connection strings'])(
  'a ping is answered within 150 ms while a megabyte is learned: %s',
  async (shape) => {
    await answersWithin(ANSWER_MS, (round) =>
      called('learn_document', { text: `${'abcdefgh'.charAt(round)} ${hostileText(shape, 1_000_000)}` }),
    )
  },
)

test('a ping is answered within a second during backup, export, import and restore', async () => {
  await answersWithin(FILE_MS, async (round) => {
    await called('backup', {})
    await called('export', { name: `ping-${round}.jsonl` })
    await called('import', { name: `ping-${round}.jsonl` })
    await called('restore_backup', {})
  })
})
