import { ElfmemError } from '../../errors.ts'
import { type Looked, lookBeforeOpening } from '../file/look-before-opening.ts'
import { isAboutPages, unsound } from '../file/sound-pages.ts'
import { checkFile } from './check-file.ts'
import { bytesOf } from './paths.ts'

/** How long SQLite may look at pages of which we are not sure: a second, and one more for every 10 MB. */
const LEAST_LIMIT_MS = 1_000
const BYTES_PER_MS = 10_000

/**
 * Looks at a memory's file before SQLite opens it (`lookBeforeOpening`). If its pages do not hold together, another
 * process may be writing them all the while: SQLite, which has locks for that, then looks in a process that can be ended.
 *
 * @throws what `lookBeforeOpening` throws
 */
export async function lookThrough(
  ...[path, newest, logged]: Parameters<typeof lookBeforeOpening>
): Promise<Looked> {
  try {
    return lookBeforeOpening(path, newest, logged)
  } catch (error) {
    if (!isAboutPages(error)) throw error
    const bytes = bytesOf(path)
    const found = await damageBySqlite(path, LEAST_LIMIT_MS + bytes / BYTES_PER_MS)
    if (found === 'none') return { bytes, isKnown: false }
    throw found === undefined ? error : unsound(path, found)
  }
}

/** Nothing if SQLite came to no end. */
async function damageBySqlite(path: string, limitMs: number): Promise<string | undefined> {
  try {
    const { damage } = await checkFile({ does: 'pages', path }, { isForeign: true, limitMs })
    return damage ?? 'none'
  } catch (error) {
    // At the limit, or if the process died of the file or could not be started, what was found stands.
    if (ElfmemError.is(error) && (error.code === 'STORE_FAILED' || error.code === 'STORE_CORRUPT'))
      return undefined
    throw error
  }
}
