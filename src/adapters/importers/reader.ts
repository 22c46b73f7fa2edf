import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportedLoss } from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'

/** A link or a named pipe in a folder would lead elsewhere, or keep `open` waiting; Windows has neither flag. */
const OPEN = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const NO_LINK = constants.O_NOFOLLOW ?? 0

/** Bytes of a JSON file, which is read whole: an import of 200 MB of chats takes 1.2 GB of memory. */
export const JSON_MOST = 256 << 20
/** Lists and objects within each other in a JSON file. */
const LEVELS_MOST = 200

/** The limits of reading. */
export interface ReaderLimits {
  /** Bytes of all files together. */
  readonly mostBytes: number
  readonly signal?: AbortSignal | undefined
}

/** A file that was read whole. */
export interface WholeText {
  readonly text: string
  /** ISO-8601 UTC; undefined if the file system says none that is one. */
  readonly changedAt: string | undefined
}

/** An item of a list in a JSON file. */
export interface JsonItem {
  /** The key of the outermost object that holds the list; undefined if the list is the whole file. */
  readonly key: string | undefined
  /** Place in its list, counted from 1. */
  readonly number: number
  readonly value: unknown
}

/** The items of a JSON file; undefined if it is no JSON. */
interface JsonFile {
  readonly path: string
  readonly items: readonly JsonItem[] | undefined
  readonly bytes: number
  readonly isBroken: boolean
}

/** Reads regular files as text, and counts the bytes that it read of all. */
export class Reader {
  readonly #limits: ReaderLimits
  #read = 0
  #total = 0
  #json: JsonFile | undefined
  /** True if the file that was read last has bytes that are no part of a character. */
  isBroken = false

  constructor(limits: ReaderLimits) {
    this.#limits = limits
  }

  /** Kilobytes read and known of. */
  get progress(): { readonly done: number; readonly total: number } {
    const [done, total] = [Math.ceil(this.#read / 1024), Math.ceil(this.#total / 1024)]
    return { done: Math.min(done, total), total }
  }

  /** Takes a file into account before it is read; throws `LIMIT_EXCEEDED` when all are too many bytes. */
  expect(bytes: number): void {
    this.#total += bytes
    const { mostBytes } = this.#limits
    if (this.#total > mostBytes)
      throw tooLarge(
        `There are ${this.#total} bytes to read; at most ${mostBytes} are.`,
        'Import it in parts, or raise limits.import_bytes.',
        { found: this.#total, limit: mostBytes, setting: 'limits.import_bytes' },
      )
  }

  /** Takes a file in a folder into account; one that is gone or closed counts nothing, and is named where it is read. */
  expectFile(path: string): void {
    const file = attempt(() => openRegular(path, true))
    if (file === undefined) return
    const { size } = fstatSync(file)
    closeSync(file)
    this.expect(size)
  }

  /** Counts bytes that were read some other way. */
  count(bytes: number): void {
    this.#read += bytes
  }

  /** Throws `CANCELLED` once the caller does not want it any more. */
  mustGoOn(): void {
    if (this.#limits.signal?.aborted)
      throw new ElfmemError('CANCELLED', 'The import was cancelled.', {
        recovery: 'Call it again with the same: what is there already does not come twice.',
      })
  }

  /**
   * The text of a file, its lines ended by a line feed; bytes that are no UTF-8 become U+FFFD, a byte order mark goes.
   *
   * @param isInside true of a file in a folder: no link is followed
   * @throws `NOT_FOUND`, `INVALID_INPUT` if it is no regular file, `LIMIT_EXCEEDED` if it has more than `most` bytes
   */
  text(path: string, isInside: boolean, most: number): WholeText {
    this.mustGoOn()
    const { bytes, changedAt } = readWhole(path, isInside, most)
    this.count(bytes.length)
    const text = textOfBytes(bytes)
    const isStrict = () => new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
    this.isBroken = text.includes('\ufffd') && attempt(isStrict) === undefined
    return { text: text.replaceAll(/\r\n?/g, '\n'), changedAt }
  }

  /**
   * The items of the list that a JSON file is, or of the lists that are values of its outermost object. The file that was read
   * last is kept, since a look at it comes before the reading.
   *
   * @throws as `text`, and `INVALID_INPUT` if it is no JSON
   */
  json(path: string, isInside: boolean): Iterable<JsonItem> {
    this.mustGoOn()
    if (this.#json?.path !== path) this.#json = jsonFile(path, isInside)
    const { items, bytes, isBroken } = this.#json
    this.isBroken = isBroken
    if (items === undefined)
      throw new ElfmemError('INVALID_INPUT', `${path} is no JSON, or only a part of it.`, {
        recovery: 'Export or unpack it again, then import the whole file.',
        details: { path },
      })
    return this.#counted(items, bytes)
  }

  *#counted(items: readonly JsonItem[], bytes: number): Generator<JsonItem> {
    for (const item of items) {
      yield item
      this.count(bytes / items.length)
    }
  }
}

function jsonFile(path: string, isInside: boolean): JsonFile {
  const { bytes } = readWhole(path, isInside, JSON_MOST)
  const text = textOfBytes(bytes)
  const items = isTooDeep(text) ? undefined : attempt(() => itemsOf(JSON.parse(text)))
  return { path, items, bytes: bytes.length, isBroken: text.includes('\ufffd') }
}

function itemsOf(value: unknown): JsonItem[] {
  const lists = Array.isArray(value) ? [[undefined, value] as const] : Object.entries(Object(value))
  return lists.flatMap(([key, list]) =>
    Array.isArray(list) ? list.map((each, at) => ({ key, number: at + 1, value: each })) : [],
  )
}

/** True of a text for which a parser would need memory without a bound. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length && depth <= LEVELS_MOST; at += 1) {
    const sign = text[at]
    if (sign === '"') isInText = !isInText
    else if (isInText) at += sign === '\\' ? 1 : 0
    else if (sign === '[' || sign === '{') depth += 1
    else if (sign === ']' || sign === '}') depth -= 1
  }
  return depth > LEVELS_MOST
}

/** The beginning of a file, and its size. */
export function headOf(path: string, bytes: number): { readonly head: Buffer; readonly size: number } {
  return withFile(path, false, (file) => ({ head: bytesOf(file, bytes), size: fstatSync(file).size }))
}

/** The text that bytes begin with, in the encoding that they say. */
export function textOfBytes(bytes: Buffer): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes)
}

function readWhole(path: string, isInside: boolean, most: number) {
  return withFile(path, isInside, (file) => {
    const { size, mtime } = fstatSync(file)
    if (size > most)
      throw tooLarge(
        `${path} has ${size} bytes; at most ${most} of such a file are read.`,
        'Import it in parts.',
        {
          found: size,
          limit: most,
        },
      )
    const changedAt = Number.isNaN(mtime.getTime()) ? undefined : mtime.toISOString()
    return { bytes: bytesOf(file, size), changedAt }
  })
}

function tooLarge(
  message: string,
  recovery: string,
  details: { readonly found: number; readonly limit: number; readonly setting?: string },
): ElfmemError {
  return new ElfmemError('LIMIT_EXCEEDED', message, {
    recovery,
    details: { arguments: ['path'], unit: 'bytes', ...details },
  })
}

function withFile<T>(path: string, isInside: boolean, work: (file: number) => T): T {
  const file = openRegular(path, isInside)
  try {
    return work(file)
  } catch (error) {
    throw asRefusal(error, path)
  } finally {
    closeSync(file)
  }
}

function bytesOf(file: number, most: number): Buffer {
  const bytes = Buffer.alloc(most)
  let size = 0
  for (let read = -1; read !== 0 && size < most; size += read)
    read = readSync(file, bytes, size, most - size, null)
  return bytes.subarray(0, size)
}

function openRegular(path: string, isInside: boolean): number {
  let file: number
  try {
    file = openSync(path, isInside ? OPEN | NO_LINK : OPEN)
  } catch (error) {
    throw asRefusal(error, path)
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new ElfmemError('INVALID_INPUT', `${path} is no regular file.`, {
    recovery: 'Name a file or a folder.',
    details: { path },
  })
}

/** The error of this program for one of the file system. */
function asRefusal(error: unknown, path: string): unknown {
  if (ElfmemError.is(error) || !(error instanceof Error) || !('code' in error)) return error
  const options = {
    recovery: 'Name a file or folder that you may read.',
    details: { path, code: String(error.code) },
  }
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return new ElfmemError('NOT_FOUND', `There is no ${path}.`, options)
  return new ElfmemError('STORE_FAILED', `${path} cannot be read: ${error.message}.`, {
    ...options,
    cause: error,
  })
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
}

/** Folders within each other, and files of all of them. */
const FOLDERS_MOST = 32
const FILES_MOST = 200_000

/** Folders of programs, which hold no notes. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '__pycache__'])

/** True for the names of files that are wanted. */
type Wants = (name: string) => boolean

/**
 * The files in a folder and the folders in it whose names are wanted, by names, and the loss of each wanted one that is not
 * read. Hidden folders are passed over, links are not followed.
 */
export function* filesIn(root: string, wants: Wants): Generator<string | ImportedLoss> {
  let found = 0
  for (const each of inFolder(root, '', wants)) {
    found += 1
    if (found > FILES_MOST)
      throw new ElfmemError('INVALID_INPUT', `${root} has more than ${FILES_MOST} files.`, {
        recovery: 'Name a folder in it.',
        details: { path: root },
      })
    yield each
  }
}

function* inFolder(root: string, folder: string, wants: Wants): Generator<string | ImportedLoss> {
  const entries = attempt(() => entriesOf(join(root, folder)))
  if (entries === undefined) return yield loss('folders', 'they cannot be read', folder)
  const isDeepest = folder.split('/').length >= FOLDERS_MOST
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (!entry.isDirectory()) yield* takenIn(entry, path, wants)
    else if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue
    else if (isDeepest) yield loss('folders', `they lie deeper than ${FOLDERS_MOST} levels`, path)
    else yield* inFolder(root, path, wants)
  }
}

function takenIn(entry: Dirent, path: string, wants: Wants): (string | ImportedLoss)[] {
  // A link without an ending may lead to a folder.
  const isWanted = wants(entry.name) || (entry.isSymbolicLink() && !entry.name.includes('.'))
  return isWanted ? [passedOver(entry, path) ?? path] : []
}

/**
 * The entries of a folder, by names.
 *
 * @throws `NOT_FOUND`, `STORE_FAILED` if it cannot be read
 */
export function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch (error) {
    throw asRefusal(error, path)
  }
}

/** The loss of an entry that is wanted and not read: a link, pipe, socket or device; undefined for a regular file. */
export function passedOver(entry: Dirent, example: string): ImportedLoss | undefined {
  if (entry.isSymbolicLink()) return loss('links to files', 'they may lead out of the folder', example)
  return entry.isFile() ? undefined : loss('pipes, sockets and devices', 'they are no regular files', example)
}

function loss(what: string, why: string, example: string): ImportedLoss {
  return { kind: 'left', what, why, example }
}
