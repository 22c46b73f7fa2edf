import { ElfmemError } from '../../errors.ts'
import { rowFindingsIn } from '../../sql/row-checks.ts'
import type { FileFindings } from '../../store/database.ts'
import { Connection, type FileAccess } from '../connection/connection.ts'
import { SQLITE } from '../dialect.ts'
import { differencesOf } from '../schema.ts'
import { backupFolder, bytesOf, exposedPaths, removeAbandoned, tighten } from './paths.ts'

/** Complaints of SQLite that are passed on. */
const MOST_COMPLAINTS = 5

/** Looks at the whole file on a connection of its own. */
export function lookAt(location: string, full: boolean): FileFindings {
  const connection = new Connection(location, { readOnly: true })
  try {
    const broken = damageOf(connection, full)
    const damage = broken.length > 0 ? broken : differencesOf(connection)
    return {
      damage,
      // Counts of a damaged file would say nothing.
      ...(damage.length > 0 ? { orphans: {}, wrongValues: {} } : rowFindingsIn(connection, SQLITE)),
      logBytes: bytesOf(`${location}-wal`),
      exposed: exposedPaths(location),
    }
  } finally {
    connection.close()
  }
}

/** Empties the log and tightens modes. */
export async function mendFile(access: FileAccess): Promise<number> {
  await access.alone(async (writer) => writer.control('PRAGMA wal_checkpoint(TRUNCATE)'))
  removeAbandoned(backupFolder(access.location))
  const exposed = exposedPaths(access.location).filter(({ isFolder }) => !isFolder)
  for (const { path } of exposed) tighten(path)
  return exposed.length
}

/** A file may be so damaged that looking at it fails. */
function damageOf(connection: Connection, full: boolean): string[] {
  const check = full ? 'integrity_check' : 'quick_check'
  try {
    const rows = connection.all(`PRAGMA ${check}(${MOST_COMPLAINTS})`)
    return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok')
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'STORE_CORRUPT') throw error
    return [String(error.details.sqlite ?? error.message)]
  }
}
