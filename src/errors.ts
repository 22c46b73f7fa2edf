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
export type ErrorCode = (typeof ERROR_CODES)[number]

const BRAND = Symbol.for('elfmem.error')

export interface ErrorOptions {
  /** Advice to the caller, in one sentence; every surface shows it. */
  readonly recovery: string
  /** Facts for programs: ids, limits, statuses. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** The one error type of the package: a stable `code`, a sentence, and what to do next. */
export class ElfmemError extends Error {
  readonly [BRAND] = true
  override readonly name = 'ElfmemError'
  readonly code: ErrorCode
  readonly recovery: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: ErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.recovery = options.recovery
    this.details = options.details ?? {}
  }

  /** Holds across duplicated copies of the package, where `instanceof` fails. */
  static is(value: unknown): value is ElfmemError {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  /** The one shape of a failure on every wire. */
  toJSON(): {
    error: string
    code: ErrorCode
    recovery: string
    details?: Readonly<Record<string, unknown>>
  } {
    const plain = { error: this.message, code: this.code, recovery: this.recovery }
    return Object.keys(this.details).length > 0 ? { ...plain, details: this.details } : plain
  }
}

/**
 * Returns the result of `work`, or undefined if it throws: for questions whose failure only says that there is no
 * answer.
 */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
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
