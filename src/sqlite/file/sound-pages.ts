import { fstatSync, statSync } from 'node:fs'
import { ElfmemError, factOf } from '../../errors.ts'
import type { Connection } from '../connection/driver.ts'
import type { Pages } from './bytes/pages.ts'
import { metaIn, schemaIn } from './bytes/stored-schema.ts'
import { trapIn } from './bytes/trees.ts'
import { rescueSentence } from './refusals.ts'

/** Key of `meta`: which file of this machine was found sound as a whole. */
export const SOUND_FILE = 'sound_file'

const SAVE = `INSERT INTO meta (key, value) VALUES ('${SOUND_FILE}', ?1)
ON CONFLICT (key) DO UPDATE SET value = excluded.value`

/**
 * Makes sure that the trees of a file are trees, before SQLite follows them. Torn pages are none of its business. A file that was found sound on this machine
 * and has since been written by this user alone is read in part.
 *
 * @returns true for such a file
 * @throws `STORE_CORRUPT`, of which `isAboutPages` is true; another process that writes meanwhile may be the reason
 */
export function mustHaveSoundPages(path: string, pages: Pages, file: number): boolean {
  const name = nameOfFile(fstatSync(file, { bigint: true }))
  const schema = schemaIn(pages)
  const isKnown = name !== undefined && metaIn(pages, schema, SOUND_FILE)?.value === name
  const trap = trapIn(pages, schema, { isWhole: !isKnown })
  if (trap?.isTooLong)
    throw new ElfmemError('STORE_CORRUPT', `The file holds what no elfmem writes: ${trap.found}.`, {
      recovery: `It was left as it is. Restore a backup, or: ${rescueSentence(path)}`,
      details: { location: path },
    })
  if (trap !== undefined) throw unsound(path, trap.found)
  return isKnown
}

/** The refusal of a file whose pages are not as SQLite makes them. */
export function unsound(path: string, found: string): ElfmemError {
  return new ElfmemError('STORE_CORRUPT', `The file is damaged, or was made to mislead: ${found}.`, {
    recovery: `It was left as it is. Move the file away, then elfmem restore-backup brings a backup back; or: ${rescueSentence(path)}`,
    details: { location: path, pages: found, mayPass: true },
  })
}

/** True of a refusal that SQLite's own check may lift. */
export function isAboutPages(error: unknown): error is ElfmemError {
  return ElfmemError.is(error) && factOf(error, 'pages') !== undefined
}

/**
 * Remembers in an open memory that its file was found sound. A failure is the transaction's: SQLite may have ended it, and
 * would commit each later statement by itself.
 *
 * @param location another path where the pages of the memory will be
 */
export function rememberSound(writer: Connection, location = writer.location): void {
  const stats = statSync(location, { bigint: true, throwIfNoEntry: false })
  const name = stats && nameOfFile(stats)
  if (name === undefined) return
  writer.run(SAVE, name)
}

/**
 * The name of a file that nobody can foresee who makes one elsewhere: its place on this disk, and the time at which it
 * got it, to the nanosecond. Undefined where the system keeps no such time.
 */
function nameOfFile(stats: {
  readonly dev: bigint
  readonly ino: bigint
  readonly birthtimeNs: bigint
}): string | undefined {
  return stats.birthtimeNs === 0n ? undefined : `${stats.dev}-${stats.ino}-${stats.birthtimeNs}`
}
