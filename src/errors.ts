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

/**
 * Where work was when it ended, which any error may say: the place in a list from 0, the line of a file from 1, blocks that
 * a dream took in and made active, and texts done of all.
 */
type WorkDetails = Numbers<'index' | 'line' | 'processed' | 'promoted' | 'done' | 'total'>

/** A file that cannot be used as it is. */
interface FileDetails extends Texts<'location' | 'path' | 'file' | 'sqlite'>, Numbers<'version'> {
  readonly code?: string | number | undefined
  /** The differences from a file that elfmem writes. */
  readonly found?: unknown
}

/** A failed question to a model or an embedder; `status` is that of HTTP, `code` the system's. */
interface ServiceDetails extends Texts<'kind' | 'host' | 'model' | 'code' | 'variable'>, Numbers<'status'> {
  /** True if the same call may work later. */
  readonly passing?: boolean | undefined
}

/** The model that vectors are of. */
interface ModelDetails {
  readonly model: string
  readonly dimensions: number | undefined
}

interface Issue {
  readonly path: string
  readonly message: string
}

/** The facts of an error by its code; what is not always known is optional. */
interface ErrorDetailsByCode {
  readonly INVALID_INPUT: {
    /** The arguments that it is about, or that the operation takes. */
    readonly arguments?: readonly string[] | undefined
    readonly issues?: readonly Issue[] | undefined
    /** Connections that wait for room; given where no more may. */
    readonly pendingConnections?: number | undefined
  } & Texts<'operation' | 'blockId' | 'given' | 'from' | 'to' | 'knownAt' | 'scope' | 'path'> &
    Numbers<'column' | 'length' | 'levels'> &
    Lists<'unknown' | 'options'>
  readonly FRAME_IN_TEXT: { readonly newWords: string }
  readonly LIMIT_EXCEEDED: {
    readonly arguments: readonly string[]
    readonly found: number
    readonly limit: number
    readonly unit: string
    /** The setting that moves the limit; absent for a fixed one. */
    readonly setting?: string | undefined
  }
  readonly RATE_LIMITED: { readonly retryAfterSeconds: number }
  /** `at` is the place in the text. */
  readonly SECRET_REFUSED: { readonly arguments: readonly string[]; readonly kind: string } & Numbers<'at'>
  readonly NOT_FOUND: {
    /** Given by `connect`. */
    readonly status?: 'block_not_found' | undefined
  } & Texts<'blockId' | 'a' | 'b' | 'asOf' | 'knownAt' | 'recallId' | 'path' | 'held'> &
    Numbers<'operationId'> &
    Lists<'ids'>
  /** `candidates`: two ids that begin so; `ambiguous`: all beginnings of the call that more than one id has. */
  readonly AMBIGUOUS_ID: { readonly prefix: string } & Lists<'candidates' | 'ambiguous'>
  readonly WRONG_STATUS: {
    /** The status of the block, or what `connect` says of it. */
    readonly status?: 'inbox' | 'active' | 'archived' | 'block_not_active' | undefined
  } & Texts<'blockId'> &
    Numbers<'operationId' | 'undoneBy' | 'laterOperationId'>
  readonly CONFLICT: {
    /** True if edges would come back at blocks that have as many as they may. */
    readonly isFull?: boolean | undefined
  } & Lists<'blockIds' | 'places'> &
    // `version` of an item as it is now, 0 if it is not there.
    Numbers<'changedBy' | 'operationId' | 'laterOperationId' | 'version'>
  readonly SELF_LOOP: { readonly blockId: string }
  readonly EDGE_EXISTS: {
    readonly fromId: string
    readonly toId: string
    readonly relation: string
    readonly weight: number
  }
  /** `relation` joins them now, `claimed` was asked for. */
  readonly RELATION_CONFLICT: {
    readonly fromId: string
    readonly toId: string
    readonly relation: string
    readonly origin: string
    readonly claimed: string
  }
  readonly PROTECTED: Texts<'blockId' | 'sourceClass'> & Numbers<'operationId'> & Lists<'tags'>
  /** `scope` is that of the memory. */
  readonly OUT_OF_SCOPE: { readonly scope: string } & Texts<'asked'>
  readonly OWNER_ONLY: {
    readonly needs: 'owner' | 'agent'
    readonly is: 'owner' | 'agent' | 'reader'
  } & Texts<'blockId' | 'fromId' | 'toId' | 'relation'> &
    Numbers<'operationId'> &
    Lists<'arguments'>
  /** `tool` as it was called, `tools` the set of the server. */
  readonly TOOL_NOT_LISTED: { readonly tool: string; readonly tools: string }
  readonly CONFIG_INVALID: {
    readonly issues?: readonly (Issue & { readonly origin: string })[] | undefined
    readonly unknown?: readonly string[] | undefined
    readonly passing?: boolean | undefined
    /** Variables that contradict each other, with their values. */
    readonly [variable: `ELFMEM_${string}`]: string | undefined
  } & Texts<'option' | 'variable' | 'file' | 'folder' | 'reason' | 'package' | 'provider'>
  readonly STORE_BUSY: FileDetails & Texts<'blockId' | 'model'>
  readonly STORE_FULL: FileDetails
  readonly STORE_CORRUPT: FileDetails & {
    readonly wrongValues?: Readonly<Record<string, unknown>> | undefined
  } & Numbers<'size' | 'there'>
  readonly STORE_READ_ONLY: FileDetails
  /** `supported` is the newest version that is understood here. */
  readonly STORE_TOO_NEW: { readonly version: number; readonly supported: number }
  readonly STORE_FOREIGN: FileDetails
  /** `backup` is the newest one, `beside` what lies there in words. */
  readonly STORE_MISSING: { readonly location: string; readonly beside: readonly string[] } & Texts<'backup'>
  readonly STORE_MOVED: { readonly location: string }
  /** `outcome`: nobody knows whether a write that was sent was kept, or it was done before and its answer got lost. */
  readonly STORE_FAILED: FileDetails &
    Texts<'target'> &
    Numbers<'operationId'> &
    Lists<'blockIds'> & {
      readonly journalMode?: unknown
      readonly outcome?: 'unknown' | 'done' | undefined
    }
  readonly EMBEDDER_MISMATCH: { readonly held: ModelDetails; readonly offered: ModelDetails }
  readonly EMBEDDER_FAILED: ServiceDetails
  readonly MODEL_FAILED: ServiceDetails
  readonly CANCELLED: object
  readonly CLOSED: Texts<'location'>
}

/** The facts of an error of a code; nothing has to be there. */
export type ErrorDetails<C extends ErrorCode> = ErrorDetailsByCode[C] & WorkDetails

/** Advice, cause and facts of an error; its facts may be left out where none is always known. */
export type ErrorOptions<C extends ErrorCode = ErrorCode> = {
  /** Advice to the caller, in one sentence; every surface shows it. */
  readonly recovery: string
  readonly cause?: unknown
} & (Record<never, never> extends ErrorDetailsByCode[C]
  ? { readonly details?: ErrorDetails<C> }
  : { readonly details: ErrorDetails<C> })

/** An error of one code. */
export interface CodedError<C extends ErrorCode> extends Error {
  readonly name: 'ElfmemError'
  readonly code: C
  /** Advice to the caller, in one sentence. */
  readonly recovery: string
  /** Facts for programs: ids, limits, statuses. */
  readonly details: ErrorDetails<C>
  /** The one shape of a failure on every wire. */
  toJSON(): {
    readonly error: string
    readonly code: C
    readonly recovery: string
    readonly details?: ErrorDetails<C>
  }
}

/** The one error type of the package: asking for its `code` says which `details` it has. */
export type ElfmemError<C extends ErrorCode = ErrorCode> = C extends ErrorCode ? CodedError<C> : never

const BRAND = Symbol.for('elfmem.error')

/** Makes errors and knows them; `details` of a call must be those of its code. */
interface ElfmemErrors {
  new <C extends ErrorCode>(code: C, message: string, options: ErrorOptions<C>): ElfmemError<C>
  readonly prototype: ElfmemError
  /** Holds across duplicated copies of the package, where `instanceof` fails. */
  is(value: unknown): value is ElfmemError
}

/** The class of all errors of the package: a stable `code`, a sentence, and what to do next. */
export const ElfmemError = class ElfmemError<C extends ErrorCode> extends Error {
  readonly [BRAND] = true
  override readonly name = 'ElfmemError'
  readonly code: C
  readonly recovery: string
  readonly details: ErrorDetails<C>

  constructor(code: C, message: string, options: ErrorOptions<C>) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.recovery = options.recovery
    this.details = options.details ?? ({} as ErrorDetails<C>)
  }

  static is(value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  toJSON() {
    const plain = { error: this.message, code: this.code, recovery: this.recovery }
    return Object.keys(this.details).length > 0 ? { ...plain, details: this.details } : plain
  }
} as unknown as ElfmemErrors

/** A fact of an error whose code is not known; undefined where it has none of the name. */
export function factOf(error: ElfmemError, name: string): unknown {
  return (error.details as Readonly<Record<string, unknown>>)[name]
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
