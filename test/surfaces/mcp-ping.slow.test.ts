import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/memory.ts'
import { hostileText, SHAPES } from '../attacks/texts/shapes.ts'
import { HASHING } from './helpers/cli.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')
const BLOCKS = 10_000
/** Of a hundred pings one may take longer; on the slowest machine seen 125 were the most. */
const ANSWER_MS = 150
/** While the file as a whole is copied or read. */
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

/** The slowest answer of all may take so long: one in a hundred is no excuse for a server that is deaf. */
const SLOWEST_MS = 1_000

/**
 * The work is done in rounds until so many pings were sent that one of them may be slow. A round in which another process
 * had the processors does not count if a whole one without it does.
 */
async function mostAnswersWithin(ms: number, work: (round: number) => Promise<unknown>) {
  const all: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const times = await pingsDuring(() => work(round))
    all.push(...times)
    const whole = [times, all].filter(({ length }) => length >= 100)
    if (whole.some((each) => p99(each) <= ms && Math.max(...each) <= SLOWEST_MS)) return
  }
  expect(Math.max(...all), slowestOf(all)).toBeLessThanOrEqual(SLOWEST_MS)
  expect(p99(all), slowestOf(all)).toBeLessThanOrEqual(ms)
}

/** What is too slow once is tried again: another process may have had the processors. */
async function allAnswersWithin(ms: number, work: (round: number) => Promise<unknown>) {
  let times: number[] = []
  for (let round = 0; round < ROUNDS && (round === 0 || Math.max(...times) > ms); round++)
    times = await pingsDuring(() => work(round))
  expect(times.length).toBeGreaterThan(1)
  expect(Math.max(...times), slowestOf(times)).toBeLessThanOrEqual(ms)
}

function p99(times: readonly number[]): number {
  return descending(times)[Math.floor(times.length / 100)] ?? Number.POSITIVE_INFINITY
}

const slowestOf = (times: readonly number[]) =>
  `the slowest of ${times.length}: ${descending(times).slice(0, 5).map(Math.round).join(', ')}`

const descending = (times: readonly number[]) => times.toSorted((one, other) => other - one)

/** The same hostile text in a form that is not known yet. */
const texts = (bytes: number, round: number) =>
  Object.keys(SHAPES).map((shape) => `${'abcdefgh'.charAt(round)} ${hostileText(shape, bytes)}`)

async function each(name: string, calls: readonly Record<string, unknown>[]): Promise<void> {
  for (const args of calls) await called(name, args)
}

test('a ping is answered while hostile texts are remembered', async () => {
  await mostAnswersWithin(ANSWER_MS, (round) =>
    each(
      'remember',
      texts(32_000, round).map((content) => ({ content })),
    ),
  )
})

test('a ping is answered while hostile questions are asked', async () => {
  await mostAnswersWithin(ANSWER_MS, (round) =>
    each(
      'recall',
      texts(19_900, round).map((query) => ({ query })),
    ),
  )
})

test.each([
  'sentences',
  'one long word',
  'paragraphs',
  'nested quotes',
  'list lines',
  'blanks',
  'Chinese',
  'table rows',
  'frame lines',
  'column names',
  'connection strings',
])('a ping is answered while a megabyte of it is learned: %s', async (shape) => {
  await mostAnswersWithin(ANSWER_MS, (round) =>
    called('learn_document', { text: `${'abcdefgh'.charAt(round)} ${hostileText(shape, 1_000_000)}` }),
  )
})

test('a ping is answered while many things are remembered, dreamt and curated', async () => {
  await mostAnswersWithin(ANSWER_MS, async (round) => {
    await called('remember_many', { blocks: facts(BLOCKS * (round + 2), 3_000) })
    await called('dream', {})
    await called('curate', {})
  })
})

test('a ping is answered within a second while the file is backed up, exported, taken in and restored', async () => {
  await allAnswersWithin(FILE_MS, async (round) => {
    await called('backup', {})
    await called('export', { name: `ping-${round}.jsonl` })
    await called('import', { name: `ping-${round}.jsonl` })
    await called('restore_backup', {})
  })
})

test('a ping is answered within a second while words are erased', async () => {
  await allAnswersWithin(FILE_MS, async (round) => {
    const tag = `secret-${round}`
    await called('remember', { content: `Evangeline ${round} stowed away in the bilge`, tags: [tag] })
    await called('backup', {})
    const args = { name: 'elfmem_erase', arguments: { tags: [tag], yes: true } }
    const { structuredContent } = await client.callTool(args, { timeout: 240_000 })
    expect(structuredContent).toMatchObject({ finished: true })
  })
})
