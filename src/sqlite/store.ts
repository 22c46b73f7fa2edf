import { closeSync, existsSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ElfmemError, fileFailure } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { createStore } from '../store/store.ts'
import type { Store } from '../store/transaction.ts'
import { type BusyRetry, Connection, whileBusy } from './connection/connection.ts'
import { isUnwritable } from './connection/failure.ts'
import { closeFile, FileIdentity, mustBeMemoryFile, mustHaveOneName } from './file/own-file.ts'
import { createStoreFiles } from './files.ts'
import { mustNotBeLost } from './maintenance/lost.ts'
import { assertOurs, bringForward, makeTables, memoryIdOf, nameMemory } from './schema.ts'
import { SqliteDatabase, type StoreParts } from './sqlite-database.ts'

/** The options of a store in SQLite; each may be left out. */
export interface SqliteOptions {
  /** The most milliseconds to wait for a lock of another process. */
  readonly busyTimeoutMs?: number
  /** The clock that wait is measured with, in milliseconds; only differences count. */
  readonly now?: () => number
  /** The most pages the file may have; what tests fill a disk with. */
  readonly maxPages?: number
  /** The name of a memory that ends with the store; ':memory:' by default. */
  readonly name?: string
  /** True: a new memory begins where backups or exports say that there was one. */
  readonly anew?: boolean
}

const MEMORY = ':memory:'
/** Names a file of SQLite's own, which has no name in any folder and ends with its connection. */
const OWN_FILE = ''

/**
 * 32 MB of pages for writing, since a dream touches a dozen pages a block from all over the indexes: at 50,000 blocks 27 reads
 * each, 49 with 8 MB. 4 MB for reading; the operating system keeps the rest of the file at hand.
 */
const WRITER_CACHE = 'PRAGMA cache_size = -32000'
const READER_CACHE = 'PRAGMA cache_size = -4000'

/** Pages in the log before it is moved into the file (16 MB): a dream writes the same pages again and again. */
const CHECKPOINT = 'PRAGMA wal_autocheckpoint = 4000'

const BUSY_TIMEOUT_MS = 10_000

/**
 * Milliseconds that the driver may block the whole process for a lock before the wait goes on without blocking. Short: the
 * holder may be another store in this process.
 */
const BLOCKING_WAIT_MS = 5

/**
 * Opens the memory in a SQLite file, creating folders (0700) and file (0600) as needed; ':memory:' is a memory that
 * ends with the store. Fails with `STORE_FOREIGN`, `STORE_MISSING`, `STORE_MOVED`, `STORE_CORRUPT`,
 * `STORE_READ_ONLY`, `STORE_BUSY`, `STORE_FULL` or `STORE_FAILED`.
 */
export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  return createStore(await openSqliteDatabase(path, options))
}

/** Opens a database below the rules about rows. */
export async function openSqliteDatabase(path: string, options: SqliteOptions = {}): Promise<Database> {
  const busyRetry: BusyRetry = {
    milliseconds: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    now: options.now ?? (() => performance.now()),
  }
  const scratch: Database['scratch'] = ({ isLarge = false } = {}) =>
    openSqliteDatabase(isLarge ? OWN_FILE : MEMORY, { name: options.name ?? path })
  if (path === MEMORY || path === OWN_FILE) {
    const writer = new Connection(path)
    if (path === MEMORY) await prepareInMemory(writer, busyRetry, options)
    else await prepareOwnFile(writer, busyRetry)
    return new SqliteDatabase({ writer, busyRetry, scratch, ...(options.name ? { name: options.name } : {}) })
  }
  const location = resolve(path)
  mustHaveOneName(location)
  const bytes = mustBeMemoryFile(location)
  if (bytes === 0 && options.anew !== true) mustNotBeLost(location)
  try {
    createFile(location)
    return await openFile(location, options, { busyRetry, scratch })
  } catch (error) {
    if (bytes === 0 || !isUnwritable(error)) throw error
    return openForReading(location, { busyRetry, scratch })
  }
}

/** Opens a file with a connection that writes and one that reads. */
async function openFile(
  location: string,
  options: SqliteOptions,
  { busyRetry, scratch }: Pick<StoreParts, 'busyRetry' | 'scratch'>,
): Promise<Database> {
  const identity = new FileIdentity(location)
  const opened: Connection[] = []
  try {
    const writer = new Connection(location)
    opened.push(writer)
    const id = await prepare(writer, busyRetry, options)
    const reader = new Connection(location, { readOnly: true })
    opened.push(reader)
    reader.control(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`)
    reader.control(READER_CACHE)
    identity.holds(id)
    return new SqliteDatabase({ writer, reader, busyRetry, scratch, identity, files: createStoreFiles })
  } catch (error) {
    for (const each of opened) each.close()
    identity.close()
    throw error
  }
}

/**
 * Opens a file that cannot be written, or that lies where no log can be made beside it, so that it can be read; every write is
 * refused with `STORE_READ_ONLY`. A log that is there is read, too.
 */
async function openForReading(
  location: string,
  { busyRetry, scratch }: Pick<StoreParts, 'busyRetry' | 'scratch'>,
): Promise<Database> {
  // Where no log lies beside the file nobody writes to it.
  const isFrozen = !existsSync(`${realpathSync(location)}-wal`)
  const identity = new FileIdentity(location)
  let reader: Connection | undefined
  try {
    reader = new Connection(location, { readOnly: true, isFrozen })
    reader.control(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`)
    reader.control(READER_CACHE)
    const writer = reader
    await whileBusy(busyRetry, () => assertOurs(writer))
    identity.holds(memoryIdOf(writer) ?? '')
    return new SqliteDatabase({ writer, busyRetry, scratch, identity, isFrozen, files: createStoreFiles })
  } catch (error) {
    reader?.close()
    identity.close()
    throw error
  }
}

function settle(writer: Connection, options: SqliteOptions): void {
  writer.control('PRAGMA foreign_keys = ON')
  writer.control(WRITER_CACHE)
  writer.control('PRAGMA synchronous = FULL')
  writer.control(CHECKPOINT)
  if (options.maxPages !== undefined) writer.control(`PRAGMA max_page_count = ${options.maxPages}`)
}

/** An empty memory as it was made before, which takes a twentieth of the time of making it. */
let emptyMemory: Uint8Array | undefined

async function prepareInMemory(
  writer: Connection,
  busyRetry: BusyRetry,
  options: SqliteOptions,
): Promise<void> {
  if (emptyMemory !== undefined) writer.fill(emptyMemory)
  settle(writer, options)
  await whileBusy(busyRetry, () => makeTables(writer))
  emptyMemory ??= writer.image()
  await nameMemory(writer, busyRetry)
}

/** Prepares a file that nobody else opens, and that is thrown away if anything fails. */
async function prepareOwnFile(writer: Connection, busyRetry: BusyRetry): Promise<void> {
  for (const setting of [
    'journal_mode = MEMORY',
    'foreign_keys = ON',
    'synchronous = OFF',
    'cache_size = -8000',
  ])
    writer.control(`PRAGMA ${setting}`)
  await whileBusy(busyRetry, () => makeTables(writer))
  await nameMemory(writer, busyRetry)
}

/** Returns the memory's random name. */
async function prepare(writer: Connection, busyRetry: BusyRetry, options: SqliteOptions): Promise<string> {
  writer.control(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`)
  // Some of these read the file, which another process may just be making.
  await whileBusy(busyRetry, () => settle(writer, options))
  await whileBusy(busyRetry, () => assertOurs(writer, { mayBeFormer: true }))
  await whileBusy(busyRetry, () => bringForward(writer))
  await whileBusy(busyRetry, () => useLog(writer))
  await whileBusy(busyRetry, () => makeTables(writer))
  return nameMemory(writer, busyRetry)
}

/** The write-ahead log lets readers go on during a write; a file system without shared memory cannot have it. */
function useLog(writer: Connection): void {
  const mode = writer.control('PRAGMA journal_mode = WAL')?.journal_mode
  if (mode === 'wal') return
  throw new ElfmemError('STORE_FAILED', 'This file system cannot hold a memory.', {
    recovery: 'Choose a path on a local disk.',
    details: { location: writer.location, journalMode: mode },
  })
}

const FORBIDDEN = ['EACCES', 'EPERM', 'EROFS']

/** Creates what is missing before SQLite does, because SQLite would let other users read it. */
function createFile(location: string): void {
  try {
    createFolder(dirname(location))
    // SQLite would make a log beside a file that it can only read, and leave it there.
    if (existsSync(location)) closeFile(openSync(location, 'r+'))
    else closeSync(openSync(location, 'a', 0o600))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!FORBIDDEN.includes(code)) throw fileFailure(error, location, 'made')
    throw new ElfmemError('STORE_READ_ONLY', 'The memory cannot be written.', {
      recovery: 'Give this user write access to the file and its folder, or choose another path.',
      details: { location, code },
      cause: error,
    })
  }
}

/** Step by step: Node's own recursion never ends where a parent exists and still nothing can be made in it. */
function createFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    createFolder(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }
}
