import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { attempt, ElfmemError } from '../../errors.ts'

/** Bytes of a config file at most; one with every setting and its comment has 30,000. */
const FILE_BYTES_MAX = 131_072

/** The facts about a path. */
interface FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** Numeric id of the user it belongs to; undefined on Windows. */
  readonly owner?: number
  /** Device and inode: another file at the same path has another one. */
  readonly id: string
}

/** Rules a file must keep to be read, besides being a regular file of at most 128 kB. */
export interface ReadRules {
  /** True: a link is refused. */
  readonly noLink?: boolean
  /** The users it, or what a link leads to, may belong to; all unless given. */
  readonly owners?: readonly number[]
  /** True: a file that others may read is refused. */
  readonly isPrivate?: boolean
}

/** The little of a file system that finding a project needs, so that a test can say what is there. */
export interface ProjectFiles {
  exists(path: string): boolean
  /** The text of a file, or undefined when there is none. Throws `CONFIG_INVALID` for one that breaks a rule. */
  read(path: string, rules?: ReadRules): string | undefined
  /** Returns the facts about the path itself or, with `follow`, about the target of a link. Undefined if there is nothing. */
  facts(path: string, follow?: 'follow'): FileFacts | undefined
  /** The path without links; the path itself when there is nothing. */
  realPath(path: string): string
  /** Names in a folder; none when it is no folder. */
  names(path: string): readonly string[]
}

/** The machine's files. A file that exists but cannot be read is refused, never taken for absent. */
export const systemFiles: ProjectFiles = {
  exists: (path) => attempt(() => statSync(path)) !== undefined,
  read(path, rules = {}) {
    try {
      return readBounded(path, rules)
    } catch (cause) {
      if (ElfmemError.is(cause)) throw cause
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw unreadable(path, `cannot be read: ${(cause as Error).message}`, cause)
    }
  },
  facts(path, follow) {
    const found = attempt(() => (follow ? statSync : lstatSync)(path, { bigint: true }) as BigIntStats)
    return found && factsOf(found)
  },
  realPath: (path) => attempt(() => realpathSync(path)) ?? path,
  names: (path) => attempt(() => readdirSync(path)) ?? [],
}

function factsOf(found: BigIntStats): FileFacts {
  const kinds = [
    ['link', found.isSymbolicLink()],
    ['file', found.isFile()],
    ['folder', found.isDirectory()],
  ] as const
  return {
    kind: kinds.find(([, is]) => is)?.[0] ?? 'other',
    ...(process.platform === 'win32' ? {} : { owner: Number(found.uid) }),
    id: `${found.dev}:${found.ino}`,
  }
}

/**
 * Reads a regular file. Nothing is opened in a way that waits, and what was opened is looked at again, so that neither a
 * pipe nor a device nor an exchange between the two looks can hold the process or fill its memory.
 */
function readBounded(path: string, { noLink = false, owners, isPrivate = false }: ReadRules): string {
  if (noLink && lstatSync(path).isSymbolicLink()) throw unreadable(path, 'is a link')
  if (!statSync(path).isFile()) throw unreadable(path, 'is no regular file')
  // Windows knows neither flag.
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
  const file = openSync(path, O_RDONLY | O_NONBLOCK | (noLink ? O_NOFOLLOW : 0))
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw unreadable(path, 'is no regular file')
    if (found.size > FILE_BYTES_MAX) throw unreadable(path, 'is larger than 128 kB')
    if (owners && process.platform !== 'win32' && !owners.includes(found.uid))
      throw unreadable(path, 'belongs to another user')
    if (isPrivate && process.platform !== 'win32' && (found.mode & 0o077) !== 0)
      throw unreadable(path, 'can be read by others, and needs chmod 600')
    return textOf(file, found.size, path)
  } finally {
    closeSync(file)
  }
}

/** Reads a file. It asks for one byte more than the file had, which shows whether it grew since. */
function textOf(file: number, size: number, path: string): string {
  const buffer = Buffer.alloc(size + 1)
  let length = 0
  for (;;) {
    const read = readSync(file, buffer, length, buffer.length - length, null)
    length += read
    if (length > size) throw unreadable(path, 'is being written')
    if (read === 0) return buffer.toString('utf8', 0, length)
  }
}

function unreadable(path: string, reason: string, cause?: unknown): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${path} ${reason}.`, {
    recovery: 'Make it a regular file of your own of at most 128 kB, or name another one.',
    details: { file: path, reason },
    ...(cause === undefined ? {} : { cause }),
  })
}
