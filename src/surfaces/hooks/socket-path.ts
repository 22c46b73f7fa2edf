import { createHash } from 'node:crypto'

/** Digits of a hash in the name of a socket. */
const HASH_DIGITS = 16
/** The longest path of a socket that every system takes, in bytes. */
const PATH_BYTES_MAX = 100

/** The folder of the sockets of a user, who alone may look into it. */
export function socketFolder(home: string): string {
  return `${home}/.elfmem/run`
}

/**
 * Returns the path at which a server answers hooks of a project: a name made of its folder, so that a hook finds it by the
 * folders it lies in, without opening or reading anything; that of a worktree lies elsewhere. Undefined if the path is too long
 * for a socket.
 *
 * @param home the home directory
 * @param root the folder that the project's worktrees have in common, without links
 */
export function socketPath(home: string, root: string): string | undefined {
  const name = createHash('sha256').update(`${home}\n${root}`).digest('hex').slice(0, HASH_DIGITS)
  // A pipe of Windows lies in no folder, and lets its user in.
  if (process.platform === 'win32') return `\\\\.\\pipe\\elfmem-${name}`
  const path = `${socketFolder(home)}/${name}.sock`
  return Buffer.byteLength(path) > PATH_BYTES_MAX ? undefined : path
}

/** A folder and all those it lies in, the nearest first. */
export function* foldersUp(from: string): Generator<string> {
  let path = from
  for (;;) {
    yield path
    const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
    const parent = end > 0 ? path.slice(0, end) : path.slice(0, 1)
    if (parent === path || end < 0) return
    path = parent
  }
}
