/** Every way elfmem can say no. The code is API; the message is prose. */
export const ERROR_CODES = [
  'INVALID_INPUT',
  'FRAME_IN_TEXT',
  'LIMIT_EXCEEDED',
  'RATE_LIMITED',
  'SECRET_REFUSED',
  'NOT_FOUND',
  'AMBIGUOUS_ID',
  'WRONG_STATUS',
  'CONFLICT',
  'SELF_LOOP',
  'EDGE_EXISTS',
  'RELATION_CONFLICT',
  'PROTECTED',
  'OUT_OF_SCOPE',
  'OWNER_ONLY',
  'TOOL_NOT_LISTED',
  'CONFIG_INVALID',
  'STORE_BUSY',
  'STORE_FULL',
  'STORE_CORRUPT',
  'STORE_READ_ONLY',
  'STORE_TOO_NEW',
  'STORE_FOREIGN',
  'STORE_MISSING',
  'STORE_MOVED',
  'STORE_FAILED',
  'EMBEDDER_MISMATCH',
  'EMBEDDER_FAILED',
  'MODEL_FAILED',
  'CANCELLED',
  'CLOSED',
] as const
/** The code of an error, by which a program decides what to do. */
export type ErrorCode = (typeof ERROR_CODES)[number]

type Texts<K extends string> = { readonly [Key in K]?: string | undefined }
type Numbers<K extends string> = { readonly [Key in K]?: number | undefined }
type Lists<K extends string> = { readonly [Key in K]?: readonly string[] | undefined }

/** The facts of an error for programs: those that bear on it. An error may have others besides the named ones. */
export interface ErrorDetails
  extends Texts<'blockId' | 'fromId' | 'toId' | 'relation' | 'scope' | 'asked' | 'recallId' | 'prefix'>,
    // `newWords` are those of a text beside a frame in it; `setting` moves the limit of a `unit`.
    Texts<'newWords' | 'setting' | 'unit' | 'tool' | 'option' | 'variable'>,
    Texts<'location' | 'path' | 'file' | 'model'>,
    // `index` is a place in a list from 0, `line` of a file from 1; `done` of `total` texts, `processed` and `promoted` of a dream.
    Numbers<'index' | 'line' | 'processed' | 'promoted' | 'done' | 'total'>,
    // `version` of an item as it is now, 0 if it is not there.
    Numbers<'operationId' | 'laterOperationId' | 'undoneBy' | 'changedBy' | 'version'>,
    Numbers<'limit' | 'retryAfterSeconds' | 'pendingConnections' | 'at'>,
    // `candidates` are two ids that begin alike.
    Lists<'arguments' | 'ids' | 'blockIds' | 'candidates' | 'tags'> {
  readonly issues?: readonly { readonly path: string; readonly message: string }[] | undefined
  readonly needs?: 'owner' | 'agent' | undefined
  readonly is?: 'owner' | 'agent' | 'reader' | undefined
  /** The fate of a write. `unknown`: it may have been kept; `done`: it was kept before, and its answer got lost. */
  readonly outcome?: 'unknown' | 'done' | undefined
  /** True if the same call may work later. */
  readonly passing?: boolean | undefined
  readonly [fact: string]: unknown
}

/** Advice, cause and facts of an error. */
export interface ErrorOptions {
  /** Advice to the caller, in one sentence; every surface shows it. */
  readonly recovery: string
  readonly cause?: unknown
  readonly details?: ErrorDetails
}

const BRAND = Symbol.for('elfmem.error')

/** The one error of the package: a stable `code`, a sentence, and what to do next. */
export class ElfmemError<C extends ErrorCode = ErrorCode> extends Error {
  readonly [BRAND] = true
  override readonly name = 'ElfmemError'
  readonly code: C
  /** Advice to the caller, in one sentence. */
  readonly recovery: string
  readonly details: ErrorDetails

  constructor(code: C, message: string, { recovery, cause, details = {} }: ErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.recovery = recovery
    this.details = details
  }

  /** Holds across duplicated copies of the package, where `instanceof` fails. */
  static is(value: unknown): value is ElfmemError {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  /** The one shape of a failure on every wire. */
  toJSON(): Pick<this, 'code' | 'recovery'> & { readonly error: string; readonly details?: ErrorDetails } {
    const plain = { error: this.message, code: this.code, recovery: this.recovery }
    return Object.keys(this.details).length > 0 ? { ...plain, details: this.details } : plain
  }
}

/** Returns the result of `work`, or undefined if it throws: for questions whose failure only says that there is no answer. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Returns the error for a refusal of the file system; any other error comes back as it is. */
export function fileFailure(error: unknown, path: string, does = 'read or written'): unknown {
  if (ElfmemError.is(error) || !(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  const options = {
    recovery: 'Choose a path that this user may write to, or correct this one.',
    details: { path, code },
    cause: error,
  }
  if (code === 'ENOENT') return new ElfmemError('NOT_FOUND', `There is no ${path}.`, options)
  if (code === 'ENOSPC') return new ElfmemError('STORE_FULL', `There is no room left for ${path}.`, options)
  return new ElfmemError('STORE_FAILED', `${path} cannot be ${does}: ${error.message}.`, options)
}

/**
 * The failure of who reads a row that holds what no elfmem writes: a crafted or damaged file.
 *
 * @param what a sentence
 */
export function unreadable(what: string): ElfmemError {
  return new ElfmemError('STORE_CORRUPT', what, {
    recovery: 'Run elfmem doctor: it says what is wrong with the file and how to go on.',
  })
}

/** How to go on where a file of this package is not where it was installed. */
export const PACKAGE_RECOVERY =
  'Install elfmem again. If a bundler packed it into your program, name elfmem as external: it then stays in node_modules, where its files are.'

/**
 * Returns what `read` reads of a file that comes with this package; throws CONFIG_INVALID if it fails.
 *
 * @param name of the file
 */
export function ownFile<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const message = `elfmem cannot read ${name}, a file of its own.`
    throw new ElfmemError('CONFIG_INVALID', message, { recovery: PACKAGE_RECOVERY, cause })
  }
}
