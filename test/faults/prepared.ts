import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { openSqliteStore, type SqliteOptions } from '../../src/sqlite/store.ts'
import { createTestClock } from '../helpers/clock.ts'
import { countedIds } from '../helpers/counted-ids.ts'

/** Blocks of the prepared memory, and files of another one. */
export interface Known {
  readonly a: string
  readonly b: string
  readonly c: string
  readonly d: string
  /** An archived block that has an edge to come back to. */
  readonly gone: string
  readonly backup: string
  readonly exported: string
}

export interface Prepared {
  readonly path: string
  readonly known: Known
}

export interface Opening {
  /** Hours after the memory was prepared. */
  readonly hours?: number
  readonly sqlite?: SqliteOptions
  readonly name?: string
}

export interface Opened {
  readonly memory: Memory
  close(): Promise<void>
}

/** Opens a file the same way every time: its ids, its clock and its vectors are those of the time before. */
export async function openSame(path: string, opening: Opening = {}): Promise<Opened> {
  const { hours = 0, name = 'one' } = opening
  const clock = createTestClock()
  clock.advance({ hours })
  const store = await openSqliteStore(path, { busyTimeoutMs: 0, ...opening.sqlite })
  const memory = await openMemory(path, {
    as: 'owner',
    store,
    clock,
    embedder: createHashingEmbedder(),
    ids: countedIds(name),
    config: { memory: { embedBatch: 2 }, session: { gapCapMinutes: 10_000_000 } },
  })
  const close = async () => {
    await memory.close()
    await store.close()
  }
  return { memory, close }
}

const TEXTS = [
  'The harbour lets the red ferry in at four',
  'The harbour lets the blue ferry in at five',
  'The pilot of the red ferry boards at dawn',
  'The lamp of the harbour burns until dawn',
  'The kitchen keeps its salt in a blue jar',
  'The library closes on the first of May',
]

/** Makes a memory in which every kind of write has something to do. */
export async function prepare(folder: string): Promise<Prepared> {
  const path = join(folder, 'prepared.db')
  const { memory, close } = await openSame(path, { name: 'before' })
  await memory.setup({ identity: 'I keep the harbour of a small town', values: ['Boats come before boxes'] })
  const { results } = await memory.rememberMany({ blocks: TEXTS.map((content) => ({ content })) })
  await memory.dream()
  const [a = '', b = '', c = '', d = '', gone = '', older = ''] = results.map(({ blockId }) => blockId)
  await memory.connect({ source: gone, target: d, relation: 'supports', ifExists: 'update' })
  await memory.connect({ source: a, target: c, relation: 'elaborates', ifExists: 'update' })
  await memory.forget({ blockId: gone })
  await memory.recall({ query: 'when does the ferry come?' })
  await memory.outcome({ helped: [a, b] })
  await memory.remember({ content: 'The library closes in June', supersedes: older })
  await memory.dream()
  const { blockId: waiting } = await memory.remember({ content: 'The crane lifts boxes of the red ferry' })
  await memory.outcome({ helped: [waiting] })
  await memory.remember({ content: 'The harbour lets the red ferry in at four!' })
  await memory.remember({ content: 'The lamp of the harbour was mended' })
  await close()
  return { path, known: { a, b, c, d, gone, ...(await prepareOther(folder)) } }
}

/** Keeps a smaller memory of the same model as a backup and as an export. */
async function prepareOther(folder: string): Promise<Pick<Known, 'backup' | 'exported'>> {
  const [backup, exported] = [join(folder, 'other.db'), join(folder, 'other.jsonl')]
  const { memory, close } = await openSame(join(folder, 'elsewhere.db'), { name: 'other' })
  for (const content of ['The ropewalk is a mile long', 'The ropewalk smells of tar'])
    await memory.remember({ content })
  await memory.dream()
  await memory.backup({ path: backup })
  await memory.export({ path: exported })
  await close()
  return { backup, exported }
}

/** A folder for thousands of small files, in memory where there is such a place, removed when the test ends. */
export function quickFolder(): string {
  const folder = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'elfmem-faults-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const IN_MEMORY = '/dev/shm'

let copies = 0

/** Copies the prepared file into a folder of its own, so that what an operation keeps beside it is its own, too. */
export function copyOf({ path }: Prepared): string {
  copies += 1
  const folder = join(dirname(path), String(copies))
  mkdirSync(folder)
  const copy = join(folder, basename(path))
  copyFileSync(path, copy)
  return copy
}
