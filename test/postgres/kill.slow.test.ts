import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServer } from '../../src/postgres/server.ts'
import type { Database } from '../../src/store/database.ts'
import { pagesOf } from '../../src/store/records.ts'
import { meta } from '../../src/store/tables.ts'
import {
  type Cluster,
  canStartServers,
  makeDatabase,
  ownCluster,
  type TestDatabase,
} from '../helpers/postgres.ts'
import { START_MS, scratch } from './served.ts'

const WRITERS = 4
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 24) / 6

/** A process that writes, with the keys that it said were kept. */
interface Writer {
  readonly process: ChildProcess
  readonly kept: string[]
  /** Keys of writes that failed, whose outcome may not be known. */
  readonly failed: string[]
}

describe.skipIf(!canStartServers)('nothing that was acknowledged is lost', () => {
  let cluster: Cluster & { remove(): Promise<void> }
  let database: TestDatabase
  beforeAll(async () => {
    cluster = await ownCluster()
    database = await makeDatabase(cluster)
    await (await openServer(database.owner, { scratch })).close()
  }, START_MS)
  afterAll(() => cluster.remove())

  const start = (memory: string, name: string): Writer => {
    const child = join(import.meta.dirname, 'children/write.ts')
    const args = ['--no-warnings', child, database.owner, memory, name]
    const process_ = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const writer: Writer = { process: process_, kept: [], failed: [] }
    createInterface({ input: process_.stdout as NonNullable<typeof process_.stdout> }).on('line', (line) => {
      const [what, key = ''] = line.split(' ')
      writer[what === 'kept' ? 'kept' : 'failed'].push(key)
    })
    return writer
  }
  const until = async (writers: readonly Writer[], more: number) => {
    const least = writers.map(({ kept }) => kept.length + more)
    while (
      writers.some(({ kept, process: { exitCode } }, i) => exitCode === null && kept.length < (least[i] ?? 0))
    )
      await new Promise((done) => setImmediate(done))
  }
  const end = async ({ process: child }: Writer) => {
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
  }
  const keysIn = async (memory: Database) =>
    memory.read(async (rows) => {
      const keys = new Map<string, string>()
      for await (const page of pagesOf(rows, meta))
        for (const { key, value } of page) keys.set(String(key), String(value))
      return keys
    })
  /** Each write puts two rows, so that half of one would show. */
  const check = async (memory: string, writers: readonly Writer[]) => {
    const server = await openServer(database.owner, { scratch })
    const keys = await keysIn(await server.memory(memory))
    await server.close()
    expect(writers.flatMap(({ kept }) => kept).filter((key) => !keys.has(key))).toEqual([])
    const halves = [...keys.keys()].filter(
      (key) => key.startsWith('one-') && !keys.has(key.replace('one-', 'two-')),
    )
    expect(halves).toEqual([])
    expect(writers.every(({ kept }) => kept.length > 0)).toBe(true)
  }

  test.each(['killed', 'crashed'])(
    'when the writers are killed, or the server is and comes back: %s',
    async (how) => {
      for (let round = 0; round < ROUNDS; round++) {
        const memory = `${how}-${round}`
        const writers = Array.from({ length: WRITERS }, (_, i) => start(memory, `w${i}`))
        await until(writers, 5 + round)
        if (how === 'crashed') {
          await cluster.stop('immediate')
          await cluster.start()
          // Processes that lived through it write again.
          await until(writers, 5)
          expect(writers.map(({ process: { exitCode } }) => exitCode)).toEqual(writers.map(() => null))
        }
        await Promise.all(writers.map(end))
        await check(memory, writers)
      }
    },
  )
})
