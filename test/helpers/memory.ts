import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, type OpenOptions, openMemory } from '../../src/engine/memory.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import type { SettingsInput } from '../../src/engine/settings.ts'
import { ElfmemError } from '../../src/errors.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { createStore } from '../../src/store/store.ts'
import type { Store } from '../../src/store/transaction.ts'
import { createTestClock, type TestClock } from './clock.ts'

export interface TestMemoryOptions {
  readonly settings?: SettingsInput
  readonly clock?: TestClock
  /** `file` (the default) is SQLite in a folder of its own, `memory` ends with the test. */
  readonly kind?: 'file' | 'memory'
  /** A file of another test memory, to open it a second time. */
  readonly path?: string
  /** The store of another test memory, to open it a second time. */
  readonly store?: Store
  /** Hashes words unless given. */
  readonly embedder?: Embedder
  readonly actor?: string
  /** The owner, as whoever runs the tests is, unless said; an agent where `actor` is a client of MCP. */
  readonly as?: OpenOptions['as']
  /** With one the memory works at rest, when the timer says so. */
  readonly timer?: OpenOptions['timer']
  /** Judges at dream; none unless given. */
  readonly languageModel?: OpenOptions['languageModel']
}

export interface TestMemory {
  readonly memory: Memory
  readonly clock: TestClock
  /** What the memory writes to, for counting statements and for preparing states no operation makes. */
  readonly store: Store
  readonly embedder: Embedder
  readonly path: string
  /** Remembers and dreams; the ids in the order of the contents. */
  learn(...contents: readonly string[]): Promise<string[]>
}

/** Without it a pause counts as at most 15 minutes; tests let hours pass at once. */
const PAUSES_COUNT = { gapCapMinutes: 10_000_000 }

/**
 * A memory for one test, closed and removed when the test ends. Its embedder hashes words, its clock stands still
 * until it is moved, and every pause counts as active time unless `settings.session` says otherwise.
 */
export async function openTestMemory(options: TestMemoryOptions = {}): Promise<TestMemory> {
  const { kind = 'file', clock = createTestClock(), embedder = createHashingEmbedder() } = options
  const path = options.path ?? (kind === 'file' ? join(temporaryFolder(), 'memory.db') : ':memory:')
  const store = options.store ?? (await openTestStore(path))
  const memory = await openMemory(path, {
    config: { ...options.settings, session: { ...PAUSES_COUNT, ...options.settings?.session } },
    store,
    clock,
    embedder,
    ...(options.actor === undefined ? {} : { actor: options.actor }),
    as: options.as ?? (options.actor?.startsWith('mcp') ? 'agent' : 'owner'),
    ...(options.timer === undefined ? {} : { timer: options.timer }),
    ...(options.languageModel === undefined ? {} : { languageModel: options.languageModel }),
  })
  onTestFinished(async () => {
    await memory.close()
    if (options.store === undefined) await store.close()
  })
  const learn = async (...contents: readonly string[]): Promise<string[]> => {
    const ids: string[] = []
    for (const content of contents) ids.push((await memory.remember({ content })).blockId)
    await memory.dream()
    return ids
  }
  return { memory, clock, store, embedder, path, learn }
}

/**
 * Opens the store of a test memory: a SQLite file, or with ELFMEM_TEST_STORE=postgres a memory in PostgreSQL, over which the tests that
 * need no file run as they are: its name stands for the path.
 */
async function openTestStore(path: string): Promise<Store> {
  if (process.env.ELFMEM_TEST_STORE !== 'postgres' || path === ':memory:') return openSqliteStore(path)
  const { openTestDatabase } = await import('../postgres/served.ts')
  return createStore(await openTestDatabase(path))
}

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'elfmem-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What a call was refused with: code, message and recovery; fails when it was not refused. */
export async function refusal(call: Promise<unknown>): Promise<ElfmemError> {
  const error: unknown = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (ElfmemError.is(error)) return error
  throw new Error('the call was not refused', { cause: error })
}
