import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ImportedLoss, ImportRequest } from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'

/** Flags against links, which lead elsewhere, and pipes, which keep `open` waiting. Windows has neither flag. */
const OPEN = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const NO_LINK = constants.O_NOFOLLOW ?? 0

/** The most bytes of a JSON file. It is read whole: an import of 200 MB of chats takes 1.2 GB of memory. */
export const JSON_MOST = 256 << 20

/** A file that was read whole. */
export interface WholeText {
  readonly text: string
  /** ISO-8601 UTC. */
  readonly changedAt: string
}

/** Reads regular files as UTF-8, all together at most `mostBytes`. */
export class Reader {
  readonly #limits: Pick<ImportRequest, 'mostBytes' | 'signal'>
  #total = 0
  #json: { readonly path: string; readonly items: readonly unknown[] } | undefined

  constructor(limits: Pick<ImportRequest, 'mostBytes' | 'signal'>) {
    this.#limits = limits
  }

  /** Counts the bytes of files before they are read; throws `LIMIT_EXCEEDED` if all together are too many. */
  expect(...bytes: readonly number[]): void {
    for (const each of bytes) this.#total += each
    const { mostBytes } = this.#limits
    if (this.#total > mostBytes) throw tooLarge('All files together', this.#total, mostBytes)
  }

  /** Throws `CANCELLED` if the signal of the caller is aborted. */
  mustGoOn(): void {
    if (this.#limits.signal?.aborted)
      throw new ElfmemError('CANCELLED', 'The import was cancelled.', {
        recovery: 'Call it again with the same: what is there already does not come twice.',
      })
  }

  /**
   * Returns the text of a file, its lines ended by a line feed and without a byte order mark.
   *
   * @param isInside true for a file in a folder, where no link is followed
   * @throws `NOT_FOUND`, `INVALID_INPUT` if it is no regular file or no UTF-8, `LIMIT_EXCEEDED` if it has more than `most` bytes
   */
  text(path: string, isInside: boolean, most: number): WholeText {
    this.mustGoOn()
    const { text, changedAt } = readWhole(path, isInside, most)
    return { text: text.replaceAll(/\r\n?/g, '\n'), changedAt }
  }

  /**
   * Returns the items of the list in a JSON file, or of all lists that are values of its outermost object. The file that was
   * read last is kept, because it is read to know its format first.
   *
   * @throws as `text`, and `INVALID_INPUT` if it is no JSON
   */
  json(path: string, isInside: boolean): readonly unknown[] {
    this.mustGoOn()
    if (this.#json?.path === path) return this.#json.items
    const { text } = readWhole(path, isInside, JSON_MOST)
    const value = attempt(() => Object(JSON.parse(text)))
    if (value === undefined)
      throw refused(path, 'is no JSON, or only a part of it', 'Export it again and import the whole file.')
    const items = Array.isArray(value) ? value : Object.values(value).filter(Array.isArray).flat()
    this.#json = { path, items }
    return items
  }
}

/** Returns the bytes of a file; 0 if there is none. */
export function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Returns the beginning of a file, and its size. */
export function headOf(path: string, most: number): { readonly head: string; readonly size: number } {
  return withFile(path, false, (file) => {
    const bytes = Buffer.alloc(most)
    const read = readSync(file, bytes, 0, most, 0)
    return { head: new TextDecoder().decode(bytes.subarray(0, read)), size: fstatSync(file).size }
  })
}

function readWhole(path: string, isInside: boolean, most: number) {
  return withFile(path, isInside, (file) => {
    const { size, mtime } = fstatSync(file)
    if (size > most) throw tooLarge(path, size, most)
    const bytes = readFileSync(file)
    const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (text === undefined) throw refused(path, 'is no UTF-8', 'Save it as UTF-8 and import it again.')
    return { text, changedAt: mtime.toISOString() }
  })
}

function withFile<T>(path: string, isInside: boolean, work: (file: number) => T): T {
  let file: number | undefined
  try {
    file = openSync(path, isInside ? OPEN | NO_LINK : OPEN)
    if (fstatSync(file).isFile()) return work(file)
    throw refused(path, 'is no regular file', 'Name a file or a folder.')
  } catch (error) {
    throw asRefusal(error, path)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function refused(path: string, why: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `${path} ${why}.`, { recovery, details: { path } })
}

function tooLarge(what: string, found: number, limit: number): ElfmemError {
  return new ElfmemError('LIMIT_EXCEEDED', `${what}: ${found} bytes; at most ${limit} are read.`, {
    recovery: 'Import it in parts, or raise limits.import_bytes.',
    details: { arguments: ['path'], unit: 'bytes', found, limit, setting: 'limits.import_bytes' },
  })
}

/** Returns the `ElfmemError` for an error of the file system. */
function asRefusal(error: unknown, path: string): unknown {
  if (ElfmemError.is(error) || !(error instanceof Error) || !('code' in error)) return error
  const isGone = error.code === 'ENOENT' || error.code === 'ENOTDIR'
  return new ElfmemError(isGone ? 'NOT_FOUND' : 'STORE_FAILED', `${path} cannot be read: ${error.message}.`, {
    recovery: 'Name a file or folder that is there and that you may read.',
    details: { path, code: String(error.code) },
    cause: error,
  })
}

/** The most folders within each other, and the most files of all of them. */
const FOLDERS_MOST = 32
const FILES_MOST = 200_000

/** Folders of programs, which hold no notes. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '__pycache__'])

/** Returns true for the name of a wanted file. */
type Wants = (name: string) => boolean

/**
 * Yields the wanted files in a folder and its folders, ordered by name, and a loss for each wanted entry that is not
 * read. Hidden folders are passed over, links are not followed.
 */
export function* filesIn(root: string, wants: Wants): Generator<string | ImportedLoss> {
  let found = 0
  for (const each of inFolder(root, '', wants)) {
    found += 1
    if (found > FILES_MOST) throw refused(root, `has more than ${FILES_MOST} files`, 'Name a folder in it.')
    yield each
  }
}

function* inFolder(root: string, folder: string, wants: Wants): Generator<string | ImportedLoss> {
  const isDeep = folder.split('/').length > FOLDERS_MOST
  const entries = isDeep ? undefined : attempt(() => entriesOf(join(root, folder)))
  if (entries === undefined) return yield loss('folders', 'they lie too deep, or cannot be read', folder)
  for (const entry of entries) {
    const { name } = entry
    const path = folder === '' ? name : `${folder}/${name}`
    if (entry.isDirectory() && !name.startsWith('.') && !SKIPPED.has(name)) yield* inFolder(root, path, wants)
    // A link without an ending may lead to a folder.
    const isWanted = wants(name) || (entry.isSymbolicLink() && !name.includes('.'))
    if (isWanted && !entry.isDirectory()) yield passedOver(entry, path) ?? path
  }
}

/**
 * Returns the entries of a folder, ordered by name.
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

/** Returns the loss of an entry that is a link, pipe, socket or device; undefined for a regular file. */
export function passedOver(entry: Dirent, example: string): ImportedLoss | undefined {
  if (entry.isFile()) return undefined
  return loss('links, pipes and devices', 'only regular files are read, and none out of the folder', example)
}

function loss(what: string, why: string, example: string): ImportedLoss {
  return { kind: 'left', what, why, example }
}
