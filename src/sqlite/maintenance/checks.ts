import { ElfmemError } from '../../errors.ts'
import { rowFindingsIn } from '../../sql/row-checks.ts'
import type { BackupFile, FileFindings } from '../../store/database.ts'
import { Connection } from '../connection/connection.ts'
import { assertOurs, bringForward, differencesOf, versionOf } from '../schema.ts'
import { exposedPaths } from './paths.ts'

interface OfFile {
  readonly path: string
}

/** The least contents of a copy: those of the memory before the copy began. */
interface Least {
  readonly blocks: number
  readonly newest: number
}

const NOTHING: Least = { blocks: 0, newest: 0 }

/** The most complaints of SQLite that are passed on. */
const MOST_COMPLAINTS = 5

/** Checks the whole file on a connection of its own. */
export async function lookAt({ path, full }: OfFile & { readonly full: boolean }): Promise<FileFindings> {
  using connection = new Connection(path, { readOnly: true })
  const broken = damageOf(connection, full)
  const damage = broken.length > 0 ? broken : differencesOf(connection)
  return {
    damage,
    // Rows of a damaged file are not counted, because the counts would say nothing.
    ...(damage.length > 0 ? { orphans: {}, wrongValues: {} } : await rowFindingsIn(connection.sql)),
    exposed: exposedPaths(path),
  }
}

/** Returns the complaints of SQLite about a file; a check may also fail on a damaged file. */
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

/** Counts found in a copy. */
export type CopyFindings = Omit<BackupFile, 'path' | 'name' | 'bytes'>

/** Counts what a memory holds. */
const COUNTS = `SELECT (SELECT count(*) FROM blocks) AS blocks, (SELECT count(*) FROM edges) AS edges,
  (SELECT count(*) FROM operations) AS operations, (SELECT coalesce(max(id), 0) FROM operations) AS newest`

/** The counts of a memory. */
export function countsOf({ path }: OfFile): Least {
  using connection = new Connection(path, { readOnly: true })
  const { blocks, newest } = connection.get<Least>(COUNTS) as Least
  return { blocks, newest }
}

interface Verifying extends OfFile {
  readonly least?: Least
  /** The file that the copy was taken from, if it replaces a memory. Its values are then checked, too. */
  readonly from?: string
}

/** Opens a copy and makes sure that it is a whole memory; throws `STORE_CORRUPT` or `STORE_FOREIGN` if it is not. */
export async function verifyCopy({ path, least = NOTHING, from }: Verifying): Promise<CopyFindings> {
  using copy = new Connection(path)
  assertOurs(copy, { path: from, mayBeFormer: true })
  if (versionOf(copy) === 0)
    throw new ElfmemError('STORE_FAILED', 'The file holds no memory.', { recovery: 'Name a backup.' })
  copy.control('PRAGMA journal_mode = DELETE')
  const [first] = copy.all<{ integrity_check: string }>('PRAGMA integrity_check(1)')
  // A damaged copy is not counted, because counting pages in a circle would never end.
  const counts =
    first?.integrity_check === 'ok'
      ? copy.get<{ blocks: number; edges: number; operations: number; newest: number }>(COUNTS)
      : undefined
  if (counts === undefined || counts.blocks < least.blocks || counts.newest < least.newest)
    throw new ElfmemError('STORE_CORRUPT', 'The copy is not whole.', {
      recovery: 'Check the disk and the memory (elfmem doctor), then try again.',
      details: { path, found: first?.integrity_check },
    })
  if (from !== undefined) {
    bringForward(copy)
    await mustHoldOurValues(copy, path)
  }
  const { blocks, edges, operations } = counts
  return { blocks, edges, operations }
}

async function mustHoldOurValues(copy: Connection, path: string): Promise<void> {
  const tables = Object.entries((await rowFindingsIn(copy.sql)).wrongValues)
  if (tables.length === 0) return
  const told = tables.map(([table, rows]) => `${rows} in ${table}`).join(', ')
  throw new ElfmemError('STORE_CORRUPT', `The file has rows with values that no elfmem writes: ${told}.`, {
    recovery: 'Restore another backup; nothing was changed.',
    details: { path, wrongValues: Object.fromEntries(tables) },
  })
}

/** Writes the file anew, without free pages. */
export function rewrite({ path }: OfFile): void {
  using memory = new Connection(path)
  memory.control('PRAGMA secure_delete = ON')
  memory.script('VACUUM')
}

/** Moves the log into the file and empties it; throws `STORE_BUSY` while somebody reads an older state. */
export function emptyLog({ path }: OfFile): void {
  using memory = new Connection(path)
  if (Number(memory.control('PRAGMA wal_checkpoint(TRUNCATE)')?.busy ?? 0) === 0) return
  throw new ElfmemError('STORE_BUSY', 'A process reads an older state of the memory.', {
    recovery: 'Close what has the memory open, then call erase() again without arguments.',
  })
}
