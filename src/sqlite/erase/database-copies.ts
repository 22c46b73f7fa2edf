import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Connection } from '../connection/driver.ts'
import { mustBeMemoryFile } from '../file/own-file.ts'
import { removeDatabase, syncPath, unfinished } from '../maintenance/paths.ts'
import { assertOurs } from '../schema.ts'
import { eraseDeleted, eraseRows, type Going } from './erase-rows.ts'
import { collectWords, type Words, whoseIn } from './held-words.ts'

/** Adds what a copy of the memory holds of the blocks to their words; nothing of a file that is no memory. */
export function collectFromCopy(path: string, ids: readonly string[], into: Words): void {
  const beside = ['-wal', '-shm'].map((ending) => `${path}${ending}`)
  // SQLite makes these for whoever only reads, and leaves them, also where it finds no memory then.
  const made = beside.filter((each) => !existsSync(each))
  try {
    const copy = openCopy(path, { readOnly: true })
    try {
      collectWords(copy, whoseIn(copy, ids), into)
    } finally {
      copy.close()
    }
  } finally {
    for (const each of made) rmSync(each, { force: true })
  }
}

/** Writes a copy anew without the blocks and their words, of the same format and name; it is the old or the new one, whole. */
export function rewriteCopy(path: string, going: Going): void {
  const part = unfinished(path)
  try {
    removeDatabase(part)
    for (const ending of ['', '-wal']) {
      if (!existsSync(`${path}${ending}`)) continue
      copyFileSync(`${path}${ending}`, `${part}${ending}`)
      chmodSync(`${part}${ending}`, 0o600)
    }
    eraseIn(part, going)
    syncPath(part)
    renameSync(part, path)
    // SQLite may have left these beside the one of before.
    for (const ending of ['-wal', '-shm', '-journal']) rmSync(`${path}${ending}`, { force: true })
    syncPath(dirname(path))
  } finally {
    removeDatabase(part)
  }
}

function eraseIn(part: string, going: Going): void {
  const copy = openCopy(part, { readOnly: false })
  try {
    eraseRows(copy, going)
    emptyRoom(copy)
  } finally {
    copy.close()
  }
}

/** Writes a database anew, without room that nothing is in, and empties its log. True if the log is empty now. */
export function emptyRoom(connection: Connection): boolean {
  eraseDeleted(connection)
  connection.script('VACUUM')
  return emptyLog(connection)
}

/** Moves the log into the file and cuts it to nothing. False while somebody reads an older state. */
export function emptyLog(connection: Connection): boolean {
  return Number(connection.control('PRAGMA wal_checkpoint(TRUNCATE)')?.busy ?? 0) === 0
}

/** A copy that may be from elsewhere: nothing of it runs before it was found to be a memory. */
function openCopy(path: string, options: { readonly readOnly: boolean }): Connection {
  mustBeMemoryFile(path)
  const copy = new Connection(path, options)
  try {
    assertOurs(copy)
    return copy
  } catch (error) {
    copy.close()
    throw error
  }
}
