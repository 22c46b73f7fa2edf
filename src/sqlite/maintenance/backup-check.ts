import { ElfmemError } from '../../errors.ts'
import type { BackupFile } from '../../ports/store/maintenance.ts'
import { Connection } from '../connection/driver.ts'
import { versionOf } from '../file/expected-schema.ts'
import { assertOurs } from '../migrations/schema.ts'
import { wrongValuesIn } from './values.ts'

/** Least contents of a copy: those of the memory before the copy began. */
export interface Least {
  readonly blocks: number
  readonly newest: number
}

/** Counts found in a copy. */
export type CopyFindings = Omit<BackupFile, 'path' | 'name' | 'bytes'>

/** How much a memory holds. */
const COUNTS = `SELECT (SELECT count(*) FROM blocks) AS blocks, (SELECT count(*) FROM edges) AS edges,
  (SELECT count(*) FROM operations) AS operations, (SELECT coalesce(max(id), 0) FROM operations) AS newest`

export const NOTHING: Least = { blocks: 0, newest: 0 }

/** What a memory holds. */
export function countsOf(path: string): Least {
  const connection = new Connection(path, { readOnly: true })
  try {
    if (versionOf(connection) === 0) return NOTHING
    const { blocks, newest } = connection.get<Least>(COUNTS) as Least
    return { blocks, newest }
  } finally {
    connection.close()
  }
}

/**
 * Opens a copy and makes sure that it is one.
 *
 * @param isToServe true: its values are looked at, too, because it takes the place of a memory
 * @throws `STORE_CORRUPT` if it is not
 */
export function verifyCopy(path: string, least: Least, isToServe: boolean): CopyFindings {
  const copy = new Connection(path)
  try {
    assertOurs(copy)
    copy.control('PRAGMA journal_mode = DELETE')
    const [first] = copy.all<{ integrity_check: string }>('PRAGMA integrity_check(1)')
    const isSound = first?.integrity_check === 'ok'
    // Of pages that lead in circles counting would never end.
    const counts = isSound
      ? copy.get<{ blocks: number; edges: number; operations: number; newest: number }>(COUNTS)
      : undefined
    const isWhole = counts !== undefined && counts.blocks >= least.blocks && counts.newest >= least.newest
    if (!isWhole)
      throw new ElfmemError('STORE_CORRUPT', 'The copy is not whole.', {
        recovery: 'Check the disk and the memory (elfmem doctor), then try again.',
        details: { path, found: first?.integrity_check },
      })
    if (isToServe) mustHoldOurValues(copy, path)
    const { blocks, edges, operations } = counts
    return { blocks, edges, operations }
  } finally {
    copy.close()
  }
}

function mustHoldOurValues(copy: Connection, path: string): void {
  const tables = Object.entries(wrongValuesIn(copy))
  if (tables.length === 0) return
  const told = tables.map(([table, rows]) => `${rows} in ${table}`).join(', ')
  throw new ElfmemError('STORE_CORRUPT', `The file has rows with values that no elfmem writes: ${told}.`, {
    recovery:
      'Nothing was changed. Run elfmem rescue with the path of the file: it copies the blocks into a new memory.',
    details: { path, wrongValues: Object.fromEntries(tables) },
  })
}
