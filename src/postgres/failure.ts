import { ElfmemError, type ErrorCode } from '../errors.ts'

type Failure = readonly [code: ErrorCode, message: string, recovery: string]

const RETRY = 'Try again.'

const BUSY: Failure = [
  'STORE_BUSY',
  'The database, or the lock of the memory, did not come free in time.',
  'Try again; if it happens often, let the server and the pool have more connections.',
]
const FULL: Failure = ['STORE_FULL', 'The database has no room left.', 'Give its server more room.']
const LOGIN: Failure = [
  'CONFIG_INVALID',
  'The database did not accept this role and its password, or has no database of this name.',
  'Check user and database in the address; the password may stand in PGPASSWORD or in ~/.pgpass.',
]
const RIGHTS: Failure = [
  'CONFIG_INVALID',
  'This role of the database may not do what elfmem does.',
  'Grant it what `elfmem migrate --print` lists, as the owner of the tables.',
]
const TABLES: Failure = [
  'CONFIG_INVALID',
  'The database has not the tables of elfmem.',
  'Run `elfmem migrate` as the role that is to own them.',
]
const DAMAGED: Failure = [
  'STORE_CORRUPT',
  'The database is damaged.',
  'Restore a backup of the server; its log says more.',
]
const UNREACHABLE: Failure = [
  'STORE_FAILED',
  'The server of the database cannot be reached.',
  'Check that the server runs and that its address is right, then try again.',
]
const CERTIFICATE: Failure = [
  'CONFIG_INVALID',
  'The connection to the database could not be encrypted as asked.',
  'Check sslmode and sslrootcert in the address, and the certificate of the server.',
]

/** Failures by SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html), or by its first two signs. */
const BY_STATE: Readonly<Record<string, Failure>> = {
  '55P03': BUSY,
  '40001': BUSY,
  '40P01': BUSY,
  '53300': BUSY,
  '57P03': BUSY,
  '53100': FULL,
  '53200': FULL,
  '25006': ['STORE_READ_ONLY', 'The database takes no writes.', 'Connect to the server that does.'],
  '3D000': LOGIN,
  '28': LOGIN,
  '42501': RIGHTS,
  '42P01': TABLES,
  XX001: DAMAGED,
  XX002: DAMAGED,
}

/** Failures of the line, by the code that the system or its encryption gives them. */
const BY_LINE: readonly (readonly [RegExp, Failure])[] = [
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOENT)$/, UNREACHABLE],
  [/CERT|SIGNATURE|^ERR_SSL|^ERR_TLS/, CERTIFICATE],
]

/** Failures that the driver tells by their message alone. */
const BY_MESSAGE: readonly (readonly [RegExp, Failure])[] = [
  [/^timeout exceeded when trying to connect/, BUSY],
  [/due to connection timeout|^timeout expired/, UNREACHABLE],
  [/does not support SSL|SSL connection/, CERTIFICATE],
  [/password must be a string/, LOGIN],
]

const LOST: Failure = [
  'STORE_FAILED',
  'The connection to the database was lost; nothing of this call was kept.',
  RETRY,
]

/** A failure as the driver gives it. */
interface Given {
  readonly code?: unknown
  readonly message?: unknown
  readonly severity?: unknown
}

/** Returns true if the server itself refused something and the connection goes on. */
function isRefusal({ severity, code }: Given): boolean {
  return typeof severity === 'string' && severity !== 'FATAL' && !/^(08|57P)/.test(String(code))
}

/** Returns what a failure of the driver means; other errors come back as they are. No message of it has a part of the address. */
export function postgresFailure(error: unknown, location: string): unknown {
  if (ElfmemError.is(error) || !(error instanceof Error)) return error
  const given = error as Given
  const code = typeof given.code === 'string' ? given.code : ''
  const [known, message, recovery] = failureOf(given, code)
  // A row that its table refuses.
  const refused = code.startsWith('23') || code.startsWith('22') ? { refused: true } : {}
  return new ElfmemError(known, message, {
    recovery,
    details: { location, code, ...refused },
    cause: error,
  } as never)
}

function failureOf(given: Given, code: string): Failure {
  const line = BY_LINE.find(([pattern]) => pattern.test(code))
  const said = BY_MESSAGE.find(([pattern]) => pattern.test(String(given.message)))
  const known = BY_STATE[code] ?? BY_STATE[code.slice(0, 2)] ?? line?.[1] ?? said?.[1]
  if (known !== undefined) return known
  if (!isRefusal(given)) return LOST
  const recovery = 'This is a fault of elfmem: report it with the details.'
  return ['STORE_FAILED', `The database refused a statement: ${String(given.message)}.`, recovery]
}

/** Returns the error of a commit: if the server did not refuse it, nobody knows whether it was kept. */
export function commitFailure(error: unknown, location: string): unknown {
  const given = Object(error) as Given
  if (isRefusal(given)) return postgresFailure(error, location)
  const message =
    'The connection was lost while the database committed: nobody knows whether the write was kept.'
  return new ElfmemError('STORE_FAILED', message, {
    recovery: 'Read what it should have written before you repeat it.',
    details: { location, code: String(given.code ?? ''), outcome: 'unknown' },
    cause: error,
  })
}
