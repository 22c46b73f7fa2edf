import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteStore, type SqliteOptions } from '../../src/sqlite/store.ts'
import { createTestClock, type TestClock } from '../helpers/clock.ts'
import { createFailingStore } from './failing-store.ts'
import type { FaultLine } from './fault.ts'

/** Blocks of the prepared memory by what they are there for. */
export interface Known {
  readonly a: string
  readonly b: string
  readonly c: string
  readonly d: string
  /** Archived, with an edge to come back to. */
  readonly gone: string
  /** An open pair. */
  readonly older: string
  readonly newer: string
  readonly waiting: string
  /** Another memory: as a backup, and as an export. */
  readonly backup: string
  readonly exported: string
  /** A file of the MCP server "memory". */
  readonly graph: string
}

export interface Prepared {
  readonly path: string
  readonly known: Known
}

export interface Opening {
  /** Hours after the memory was prepared. */
  readonly hours?: number
  readonly dimensions?: number
  readonly sqlite?: SqliteOptions
  readonly name?: string
}

export interface Opened {
  readonly memory: Memory
  readonly clock: TestClock
  /** The port's calls, which can be made to fail. */
  readonly calls: FaultLine
  readonly store: Store
  close(): Promise<void>
}

/** Opens a file the same way every time: its ids, its clock and its vectors are those of the time before. */
export async function openSame(path: string, opening: Opening = {}): Promise<Opened> {
  const { hours = 0, dimensions = 384, name = 'one' } = opening
  const clock = createTestClock()
  clock.advance({ hours })
  const sqlite = await openSqliteStore(path, { busyTimeoutMs: 0, ...opening.sqlite })
  const { store, line: calls } = createFailingStore(sqlite)
  let random = 0
  const memory = await openMemory(path, {
    as: 'owner',
    store,
    clock,
    embedder: createHashingEmbedder({ dimensions }),
    ids: {
      random: () => `random-${name}-${++random}`,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
    },
    config: { memory: { embedBatch: 2 }, session: { gapCapMinutes: 10_000_000 } },
  })
  const close = async () => {
    await memory.close()
    await sqlite.close()
  }
  return { memory, clock, calls, store, close }
}

/** A memory in which every operation has something to do. */
export async function prepare(folder: string): Promise<Prepared> {
  const path = join(folder, 'prepared.db')
  const { memory, close } = await openSame(path, { name: 'before' })
  await memory.setup({ identity: 'I keep the harbour of a small town', values: ['Boats come before boxes'] })
  const texts = [
    'The harbour lets the red ferry in at four',
    'The harbour lets the blue ferry in at five',
    'The pilot of the red ferry boards at dawn',
    'The lamp of the harbour burns until dawn',
    'The kitchen keeps its salt in a blue jar',
    'The library closes on the first of May',
  ]
  const ids = (await memory.rememberMany({ blocks: texts.map((content) => ({ content })) })).results.map(
    ({ blockId }) => blockId,
  )
  await memory.dream()
  const [a = '', b = '', c = '', d = '', gone = '', older = ''] = ids
  await memory.connect({ source: gone, target: d, relation: 'supports', ifExists: 'update' })
  await memory.connect({ source: a, target: c, relation: 'elaborates', ifExists: 'update' })
  await memory.forget({ blockId: gone })
  await memory.recall({ query: 'when does the ferry come?' })
  await memory.outcome({ helped: [a, b] })
  const { blockId: newer } = await memory.remember({
    content: 'The library closes in June',
    supersedes: older,
  })
  await memory.dream()
  const { blockId: waiting } = await memory.remember({ content: 'The crane lifts boxes of the red ferry' })
  await memory.outcome({ helped: [waiting] })
  await memory.remember({ content: 'The harbour lets the red ferry in at four!' })
  await memory.remember({ content: 'The lamp of the harbour was mended' })
  await memory.remember({ content: 'The town council pays for the lamp' })
  await memory.remember({ content: 'Salt is bought by the barrel' })
  await close()
  return { path, known: { a, b, c, d, gone, older, newer, waiting, ...(await prepareOther(folder)) } }
}

const GRAPH = [
  { type: 'entity', name: 'Buoy', entityType: 'mark', observations: ['It is red', 'It rings in waves'] },
  { type: 'entity', name: 'Shoal', entityType: 'place', observations: ['It lies two miles out'] },
  { type: 'relation', from: 'Buoy', to: 'Shoal', relationType: 'marks' },
]

/** A smaller memory of the same model, kept in both ways. */
async function prepareOther(folder: string): Promise<Pick<Known, 'backup' | 'exported' | 'graph'>> {
  const [backup, exported] = [join(folder, 'other.db'), join(folder, 'other.jsonl')]
  const { memory, close } = await openSame(join(folder, 'elsewhere.db'), { name: 'other' })
  for (const content of ['The ropewalk is a mile long', 'The ropewalk smells of tar'])
    await memory.remember({ content })
  await memory.dream()
  await memory.backup({ path: backup })
  await memory.export({ path: exported })
  await close()
  const graph = join(folder, 'graph.jsonl')
  writeFileSync(graph, GRAPH.map((each) => `${JSON.stringify(each)}\n`).join(''))
  return { backup, exported, graph }
}

/** A folder for thousands of small files, in memory where there is such a place, removed when the test ends. */
export function quickFolder(): string {
  const folder = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'elfmem-faults-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const IN_MEMORY = '/dev/shm'

let copies = 0

/**
 * A copy of the prepared file in a folder of its own. Beside thousands of others each erasing would look them through, in a
 * thread, and threads of a script in TypeScript crash V8 once in some thousand times: all share the compiled code of Node's
 * type stripper, which one frees while another still counts on it (`NativeModule::FreeCode`). The package has JavaScript.
 */
export function copyOf({ path }: Prepared): string {
  copies += 1
  const folder = join(dirname(path), String(copies))
  mkdirSync(folder)
  const copy = join(folder, basename(path))
  copyFileSync(path, copy)
  return copy
}
