import { chmodSync, existsSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { ElfmemError } from '../../errors.ts'
import { Connection } from '../connection/connection.ts'
import { copyPages } from './backup.ts'
import { bytesOf } from './paths.ts'

/** A larger file of which less than a part of so many is on the disk has holes; no file system compresses a memory so well. */
const HOLES_FROM_BYTES = 64 << 20
const HOLES_SHARE = 20
/** Bytes of a block in what the system says of a file. */
const BLOCK_BYTES = 512

/**
 * Copies a database that may lie anywhere, without writing beside it: SQLite makes a log and its index for whoever only
 * reads and leaves them, so it copies only where both are there already, because somebody has the file open.
 *
 * @param part an empty file
 */
export async function takeCopy(path: string, part: string): Promise<void> {
  if (existsSync(`${path}-wal`) && existsSync(`${path}-shm`)) {
    const given = new Connection(path, { readOnly: true })
    try {
      return await copyPages(given, part)
    } finally {
      given.close()
    }
  }
  const before = stateOf(path)
  for (const ending of ['', '-wal']) {
    if (bytesOf(`${path}${ending}`) === 0) continue
    await copyFile(`${path}${ending}`, `${part}${ending}`)
    chmodSync(`${part}${ending}`, 0o600)
  }
  if (stateOf(path) === before && !existsSync(`${path}-shm`)) return
  throw new ElfmemError('STORE_BUSY', 'The backup was written to while it was copied.', {
    recovery: 'Try again when nobody has it open.',
    details: { path },
  })
}

/** Refuses a file that says to be long and has next to nothing on the disk: its copy would fill one. */
export function mustHaveNoHoles(path: string): void {
  const { size, blocks } = statSync(path)
  const there = blocks * BLOCK_BYTES
  if (size < HOLES_FROM_BYTES || there * HOLES_SHARE > size) return
  throw new ElfmemError(
    'STORE_CORRUPT',
    `The file says that it has ${size} bytes, and ${there} of them are there.`,
    {
      recovery: `Name a whole backup.`,
      details: { path, size, there },
    },
  )
}

function stateOf(path: string): string {
  const states = ['', '-wal'].map((ending) => {
    const stats = statSync(`${path}${ending}`, { throwIfNoEntry: false, bigint: true })
    return [stats?.ino, stats?.size, stats?.mtimeNs]
  })
  return states.join()
}
