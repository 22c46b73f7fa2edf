import { ElfmemError } from '../../errors.ts'
import { rowFindingsIn } from '../../sql/row-checks.ts'
import type { BackupFile } from '../../store/database.ts'
import { Connection } from '../connection/connection.ts'
import { SQLITE } from '../dialect.ts'
import { assertOurs, versionOf } from '../schema.ts'
import { lookAt } from './health.ts'

interface OfFile {
  readonly path: string
}

/** The least a copy must hold, and whether it takes the place of a memory: then its values are looked at, too. */
interface Verifying {
  readonly least?: Least
  readonly isToServe?: boolean
}

/** Checks that read a whole file, and so may take seconds. */
const CHECKS = {
  look: ({ path, full }: OfFile & { readonly full: boolean }) => lookAt(path, full),
  verify: ({ path, least = NOTHING, isToServe = false }: OfFile & Verifying) =>
    verifyCopy(path, least, isToServe),
  count: ({ path }: OfFile): Least => countsOf(path),
}

type Checks = typeof CHECKS

/** A check and what it needs. */
export type FileCheck = {
  [Does in keyof Checks]: { readonly does: Does } & Parameters<Checks[Does]>[0]
}[keyof Checks]

/** Findings of a check. */
export type Found<T extends FileCheck> = ReturnType<Checks[T['does']]>

/** Message of the process that has begun to check. */
export const BEGUN = 'begun'

/** Message of the checking process: its findings, or a refusal in plain data. */
export type CheckAnswer =
  | { readonly found: Found<FileCheck> }
  | { readonly refused: ReturnType<ElfmemError['toJSON']> }

/** Checks a file in this very thread. */
export function checkHere<T extends FileCheck>(check: T): Found<T> {
  const make: (check: never) => unknown = CHECKS[check.does]
  return make(check as never) as Found<T>
}

/** The least contents of a copy: those of the memory before the copy began. */
interface Least {
  readonly blocks: number
  readonly newest: number
}

const NOTHING: Least = { blocks: 0, newest: 0 }

/** Counts found in a copy. */
export type CopyFindings = Omit<BackupFile, 'path' | 'name' | 'bytes'>

/** Counts what a memory holds. */
const COUNTS = `SELECT (SELECT count(*) FROM blocks) AS blocks, (SELECT count(*) FROM edges) AS edges,
  (SELECT count(*) FROM operations) AS operations, (SELECT coalesce(max(id), 0) FROM operations) AS newest`

/** The counts of a memory. */
function countsOf(path: string): Least {
  const connection = new Connection(path, { readOnly: true })
  try {
    if (versionOf(connection) === 0) return NOTHING
    const { blocks, newest } = connection.get<Least>(COUNTS) as Least
    return { blocks, newest }
  } finally {
    connection.close()
  }
}

/** Opens a copy and makes sure that it is one; throws `STORE_CORRUPT` if it is not. */
function verifyCopy(path: string, least: Least, isToServe: boolean): CopyFindings {
  const copy = new Connection(path)
  try {
    assertOurs(copy, { mayBeFormer: true })
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
  const tables = Object.entries(rowFindingsIn(copy, SQLITE).wrongValues)
  if (tables.length === 0) return
  const told = tables.map(([table, rows]) => `${rows} in ${table}`).join(', ')
  throw new ElfmemError('STORE_CORRUPT', `The file has rows with values that no elfmem writes: ${told}.`, {
    recovery: 'Restore another backup; nothing was changed.',
    details: { path, wrongValues: Object.fromEntries(tables) },
  })
}
