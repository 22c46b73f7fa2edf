import { hash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { attempt, ElfmemError } from '../../errors.ts'
import type { IndexCache, PackedHeader, PackedIndex, PackedSection } from '../../index/columns.ts'

/** Suffix of a packed index, after the memory's file name. */
export const INDEX_FILE_SUFFIX = '-index'

/** The beginning of a packed index: magic, checksum of the head, length of the head. */
const MAGIC = 'elfmemix'
const PREFIX_BYTES = 16
/** A file with a longer head was not made by elfmem. */
const MOST_HEAD_BYTES = 1 << 20
/** A file being written is left alone so long; older ones were left by a process that was killed. */
const ABANDONED_MS = 60_000

/** The facts about a packed index, and its sections in their order; these stand one behind the other after the head. */
interface Head {
  readonly header: PackedHeader
  readonly sections: readonly { readonly name: string; readonly bytes: number; readonly checksum: number }[]
}

/**
 * Keeps the packed index in one file, replaced as a whole by renaming, readable by its owner alone. Each section carries
 * a checksum, so that a torn or damaged file is recognised; whatever goes wrong, there is merely no packed index.
 *
 * Cost: about 1 ms a megabyte to write, half of that to read.
 */
export function createFileIndexCache(path: string): IndexCache {
  return {
    open: () => attempt(() => openPacked(path)),
    drop: () => rmSync(path, { force: true }),
    keep: (header, sections) => attempt(() => keepPacked(path, header, sections)) ?? false,
  }
}

/** The environment that says where the user's caches are. */
interface CacheHome {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
}

/**
 * Returns the places of packed indexes of a memory that is in no file on this machine: in the user's folder of caches, readable by
 * the user alone. A copy is used only for the memory with the same random name, and only while the memory has the mark of the copy.
 *
 * @param memoryId the random name of the memory
 */
export function localIndexes(memoryId: string, given: CacheHome = {}): (scope?: string) => IndexCache {
  const folder = join(cacheFolder(given), 'elfmem', hash('sha256', memoryId).slice(0, 32))
  return (scope) => {
    const name = scope === undefined ? 'index' : `index-${hash('sha256', scope).slice(0, 16)}`
    const file = createFileIndexCache(join(folder, name))
    return {
      async open() {
        const packed = isPrivate(folder) ? await file.open() : undefined
        if (packed === undefined) return undefined
        const { memory, ...header } = packed.header
        if (memory === memoryId) return { ...packed, header }
        packed.close()
        return undefined
      },
      drop: (everywhere) =>
        rmSync(everywhere ? folder : join(folder, name), { recursive: true, force: true }),
      keep(header, sections) {
        attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))
        return isPrivate(folder) && file.keep({ ...header, memory: memoryId }, sections)
      },
    }
  }
}

function cacheFolder({ env = process.env, home = homedir() }: CacheHome): string {
  const { XDG_CACHE_HOME: given = '', LOCALAPPDATA: local } = env
  if (isAbsolute(given)) return given
  return process.platform === 'win32' && local !== undefined ? local : join(home, '.cache')
}

/** Returns true for a folder, not a link to one, in which nobody but this user can read or write; Windows keeps folders of a user so. */
function isPrivate(folder: string): boolean {
  const stats = attempt(() => lstatSync(folder))
  if (stats?.isDirectory() !== true) return false
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0)
}

function openPacked(path: string): PackedIndex | undefined {
  const file = openRegular(path)
  const head = attempt(() => readHead(file))
  if (head === undefined) {
    closeSync(file)
    return undefined
  }
  let end = head.end
  const places = new Map(
    head.sections.map((section) => {
      end += section.bytes
      return [section.name, { ...section, at: end - section.bytes }]
    }),
  )
  return {
    header: head.header,
    sizeOf: (name) => places.get(name)?.bytes ?? 0,
    read: (name, into) => {
      const place = places.get(name)
      const isWhole = place?.bytes === into.byteLength && isRead(file, into, place.at)
      if (!isWhole || crc32(into) !== place.checksum) throw damaged(path)
    },
    close: () => closeSync(file),
  }
}

/** A named pipe would keep `open` waiting; Windows has no such flag. */
function openRegular(path: string): number {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw damaged(path)
}

function readHead(file: number): (Head & { readonly end: number }) | undefined {
  const prefix = Buffer.alloc(PREFIX_BYTES)
  if (!isRead(file, prefix, 0) || prefix.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
  const [checksum, length] = [prefix.readUInt32LE(8), prefix.readUInt32LE(12)]
  const text = Buffer.alloc(Math.min(length, MOST_HEAD_BYTES))
  if (!isRead(file, text, PREFIX_BYTES) || crc32(text) !== checksum) return undefined
  return { ...(JSON.parse(text.toString()) as Head), end: PREFIX_BYTES + length }
}

function keepPacked(path: string, header: PackedHeader, sections: readonly PackedSection[]): boolean {
  const unfinished = `${path}.new`
  const file = openNew(unfinished)
  if (file === undefined) return false
  try {
    writeFileSync(file, headOf(header, sections))
    for (const { bytes } of sections) writeFileSync(file, bytes)
    fsyncSync(file)
    renameSync(unfinished, path)
    return true
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** Undefined while another process writes. */
function openNew(path: string): number | undefined {
  const open = () => attempt(() => openSync(path, 'wx', 0o600))
  const opened = open()
  if (opened !== undefined) return opened
  const abandoned = attempt(() => Date.now() - statSync(path).mtimeMs > ABANDONED_MS)
  if (abandoned !== true) return undefined
  rmSync(path, { force: true })
  return open()
}

function headOf(header: PackedHeader, sections: readonly PackedSection[]): Buffer {
  const places = sections.map(({ name, bytes }) => ({
    name,
    bytes: bytes.byteLength,
    checksum: crc32(bytes),
  }))
  const text = Buffer.from(JSON.stringify({ header, sections: places } satisfies Head))
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.write(MAGIC)
  prefix.writeUInt32LE(crc32(text), 8)
  prefix.writeUInt32LE(text.length, 12)
  return Buffer.concat([prefix, text])
}

/** Reads as many bytes as there is room for; false if the file ends before. */
function isRead(file: number, into: Uint8Array, at: number): boolean {
  let done = 0
  while (done < into.byteLength) {
    const read = readSync(file, into, done, into.byteLength - done, at + done)
    if (read === 0) return false
    done += read
  }
  return true
}

function damaged(path: string): ElfmemError {
  return new ElfmemError('STORE_CORRUPT', 'The packed index is damaged.', {
    recovery: 'Delete it; it is made anew from the memory.',
    details: { path },
  })
}
