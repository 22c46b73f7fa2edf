import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { newToken, openServiceTokens } from '../../src/adapters/project/tokens/token-store.ts'
import { moveMemory } from '../../src/engine/move.ts'
import type { TokenRecord } from '../../src/engine/ports.ts'
import { DERIVED } from '../../src/store/derived.ts'
import { columnsWhere, type Table } from '../../src/store/description.ts'
import { TABLES } from '../../src/store/tables.ts'
import { openTokens } from '../../src/surfaces/service/place.ts'
import { asSuperuser, makeDatabase } from '../../test/helpers/postgres.ts'
import { peakMegabytes } from '../lib/files.ts'
import type { Line } from './load.ts'

/** The memories of a service, filled, and the flags by which it serves them. */
export interface Side {
  readonly name: 'files' | 'postgres'
  readonly flags: readonly string[]
  readonly tokens: readonly string[]
  readonly bytesPerBlock: number
  readonly remove: () => Promise<void>
}

/** The number of memories, and the file that each of them is a copy of. */
export interface Filling {
  readonly template: string
  readonly memories: number
  readonly blocks: number
  readonly folder: string
}

const nameOf = (memory: number) => `m${memory}`

/** Makes a token for each memory, and hands its record to `add`. */
async function tokensFor(memories: number, add: (record: TokenRecord) => void | Promise<void>) {
  const tokens: string[] = []
  for (let memory = 1; memory <= memories; memory++) {
    const name = nameOf(memory)
    const { token, record } = newToken({ name, memory: name, as: 'owner' })
    await add(record)
    tokens.push(token)
  }
  return tokens
}

/** Copies a memory into a folder of files. */
export async function inFiles({ template, memories, blocks, folder }: Filling): Promise<Side> {
  const place = join(folder, 'memories')
  mkdirSync(place, { recursive: true, mode: 0o700 })
  for (let memory = 1; memory <= memories; memory++)
    copyFileSync(template, join(place, `${nameOf(memory)}.db`))
  const store = openServiceTokens(place, process.getuid?.())
  return {
    name: 'files',
    flags: ['--memories', place],
    tokens: await tokensFor(memories, (record) => store.add(record)),
    bytesPerBlock: statSync(template).size / blocks,
    remove: async () => undefined,
  }
}

/** Moves a memory into a database of PostgreSQL and copies its rows for the other memories. */
export async function inPostgres({ template, memories, blocks }: Filling): Promise<Side> {
  const database = await makeDatabase()
  await moveMemory({ path: template }, `${database.owner}#${nameOf(1)}`)
  const run = (statement: string) => asSuperuser(database.superuser, statement)
  const names = `SELECT 'm' || n FROM generate_series(2, ${memories}) AS n ORDER BY n`
  await run(`INSERT INTO elfmem.memories (name) ${names}`)
  for (const table of [...TABLES, ...DERIVED]) await run(copied(table))
  const renamed = `UPDATE elfmem.meta SET value = left(md5(memory::text), 16) WHERE key = 'memory_id'`
  await run(`${renamed}; ANALYZE`)
  const { rows } = await run('SELECT pg_database_size(current_database()) AS bytes')
  const { tokens, close } = await openTokens({ kind: 'database', url: database.owner })
  const made = await tokensFor(memories, (record) => tokens.add(record))
  await close()
  return {
    name: 'postgres',
    flags: ['--store', database.owner],
    tokens: made,
    bytesPerBlock: Number(rows[0]?.bytes) / (memories * blocks),
    remove: () => database.drop(),
  }
}

/** Returns the statement that copies the rows of the first memory for all others. */
function copied(table: Table): string {
  const columns = columnsWhere(table)
  return `INSERT INTO elfmem.${table.name} (memory, ${columns.join(', ')})
SELECT others.memory, ${columns.map((column) => `one.${column}`).join(', ')}
FROM elfmem.${table.name} AS one CROSS JOIN elfmem.memories AS others
WHERE one.memory = (SELECT memory FROM elfmem.memories WHERE name = '${nameOf(1)}') AND others.memory <> one.memory`
}

/** A service that runs in a process of its own. */
interface Served {
  readonly line: Line
  /** The most megabytes of memory that its process has had. */
  readonly peak: () => number
  readonly stop: () => Promise<void>
}

/** Starts the built command as a service and waits until it listens. */
export async function serve(bin: string, side: Side, home: string): Promise<Served> {
  const args = [bin, 'serve', '--http', ...side.flags, '--port', '0', '--quiet']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: home },
  })
  const url = await firstLine(child)
  return {
    line: { url: new URL(url).origin, tokens: side.tokens },
    peak: () => peakMegabytes(child.pid) ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`the service ended with ${code}`)),
  )
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
  ended.catch(() => undefined)
  return line
}
