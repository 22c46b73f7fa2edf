import { ElfmemError, type ErrorCode } from '../../errors.ts'

type Failure = readonly [code: ErrorCode, message: string, recovery: string]

const BUSY: Failure = [
  'STORE_BUSY',
  'Another process kept the memory busy for longer than the configured wait.',
  'Try again, or close the process that holds the file.',
]

/** Primary result codes of SQLite (sqlite.org/rescode.html) that a person can do something about; 0 is a copy that met a lock. */
const FAILURES: Readonly<Record<number, Failure>> = {
  0: BUSY,
  5: BUSY,
  8: [
    'STORE_READ_ONLY',
    'The memory cannot be written.',
    'Give this user write access to the file and its folder, or choose another path.',
  ],
  10: [
    'STORE_FAILED',
    'Reading or writing the disk failed.',
    'Check the disk and its free space, then try again; what was acknowledged before is kept.',
  ],
  11: [
    'STORE_CORRUPT',
    'The memory file is damaged.',
    'Move the file away with its -wal and -shm, then restore a backup.',
  ],
  13: [
    'STORE_FULL',
    'There is no room left for the memory.',
    'Free some disk space, then try again; what was acknowledged before is kept.',
  ],
  14: [
    'STORE_FAILED',
    'The memory file cannot be opened.',
    'Check that the path names a file in a folder this user may write, or choose another path.',
  ],
  18: [
    'STORE_CORRUPT',
    'The memory holds a value of more than 64 MB, which no elfmem writes.',
    'Restore a backup.',
  ],
  26: [
    'STORE_CORRUPT',
    'The file is not a memory: it is not a SQLite database.',
    'Choose another path, or move the file away.',
  ],
}

/** Codes for a row that its table refuses: too big, constraint, mismatch. */
const REFUSED_ROWS: ReadonlySet<number> = new Set([18, 19, 20])

/** SQLITE_LOCKED of a shared cache is waited for like SQLITE_BUSY. */
const ALIASES: Readonly<Record<number, number>> = { 6: 5 }

/** The primary result code behind an error of the driver or of this adapter; undefined when there is none. */
export function resultCode(failure: unknown): number | undefined {
  const error = ElfmemError.is(failure) ? failure.cause : failure
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined
  const primary = error.errcode & 0xff
  return ALIASES[primary] ?? primary
}

/** True for a lock that somebody else holds and will release. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === 5
}

/** True if a memory cannot be written, or no log made beside it, which SQLite says of opening it. */
export function isUnwritable(error: unknown): boolean {
  return (ElfmemError.is(error) && UNWRITABLE.has(error.code)) || resultCode(error) === 14
}

const UNWRITABLE: ReadonlySet<ErrorCode> = new Set(['STORE_FULL', 'STORE_READ_ONLY'])

/** The same of a copy of a database, whose failure for a lock Node gives no code. */
export function isCopyBusy(error: unknown): boolean {
  const cause = ElfmemError.is(error) ? error.cause : error
  return resultCode(error) === 5 || (cause instanceof Error && 'errcode' in cause && cause.errcode === 0)
}

/** Says what the driver's error means; other errors come back as they are. */
export function storeFailure(error: unknown, location: string): unknown {
  if (isBeyondNumbers(error))
    return new ElfmemError('STORE_CORRUPT', 'The memory has a number that no elfmem writes.', {
      recovery: 'Restore a backup, or find the rows with elfmem doctor.',
      details: { location, sqlite: (error as Error).message },
      cause: error,
    })
  const code = resultCode(error)
  if (code === undefined || ElfmemError.is(error)) return error
  const [known, message, recovery] = FAILURES[code] ?? [
    'STORE_FAILED',
    `The memory refused a statement: ${(error as Error).message}.`,
    'This is a fault of elfmem: report it with the details.',
  ]
  const isRefused = REFUSED_ROWS.has(code)
  const details = { location, sqlite: (error as Error).message, ...(isRefused ? { refused: true } : {}) }
  return new ElfmemError(known, message, { recovery, details, cause: error })
}

/** The messages of SQLite if one more than the greatest number does not fit a column, or a sum. */
const OVERFLOWN = /^(cannot store REAL value in INTEGER column|integer overflow)/

/** Returns true for a failure by a whole number in the file beyond or near the range of JavaScript. */
function isBeyondNumbers(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return (
    error.code === 'ERR_OUT_OF_RANGE' || (error.code === 'ERR_SQLITE_ERROR' && OVERFLOWN.test(error.message))
  )
}
