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
}

/** Conditions for reading a file, which must also be a regular file of at most 128 kB. */
export interface ReadRules {
  /** True: a link is refused. */
  readonly noLink?: boolean
  /** The user that the file must belong to; any by default. The target of a link may also belong to root. */
  readonly owner?: number | undefined
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
    return found && { kind: kindOf(found), ...(IS_WINDOWS ? {} : { owner: Number(found.uid) }) }
  },
  realPath: (path) => attempt(() => realpathSync(path)) ?? path,
  names: (path) => attempt(() => readdirSync(path)) ?? [],
}

const IS_WINDOWS = process.platform === 'win32'

function kindOf(found: BigIntStats): FileFacts['kind'] {
  if (found.isSymbolicLink()) return 'link'
  if (found.isFile()) return 'file'
  return found.isDirectory() ? 'folder' : 'other'
}

/** Reads a regular file. It is opened in a way that does not wait and looked at then, so that a pipe or a device holds nobody. */
function readBounded(path: string, { noLink = false, owner, isPrivate = false }: ReadRules): string {
  if (noLink && lstatSync(path).isSymbolicLink()) throw unreadable(path, 'is a link')
  // Windows knows neither flag.
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
  const file = openSync(path, O_RDONLY | O_NONBLOCK | (noLink ? O_NOFOLLOW : 0))
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw unreadable(path, 'is no regular file')
    if (found.size > FILE_BYTES_MAX) throw unreadable(path, 'is larger than 128 kB')
    const isOurs = owner === undefined || found.uid === owner || (!noLink && found.uid === 0)
    if (!isOurs && !IS_WINDOWS) throw unreadable(path, 'belongs to another user')
    if (isPrivate && !IS_WINDOWS && (found.mode & 0o077) !== 0)
      throw unreadable(path, 'can be read by others, and needs chmod 600')
    const buffer = Buffer.alloc(found.size)
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, found.size, 0))
  } finally {
    closeSync(file)
  }
}

function unreadable(path: string, reason: string, cause?: unknown): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${path} ${reason}.`, {
    recovery: 'Make it a regular file of your own of at most 128 kB, or name another one.',
    details: { file: path, reason },
    ...(cause === undefined ? {} : { cause }),
  })
}
