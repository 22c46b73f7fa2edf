import type { SourceClass } from '../block/source-class.ts'
import type { EdgeOrigin } from '../graph/edge.ts'

/** The formats of other programs, in the order in which they are tried. */
export const IMPORT_FORMATS = [
  'elfmem-python',
  'mem0',
  'server-memory',
  'chatgpt',
  'claude',
  'rules',
  'markdown',
] as const
/** The name of a format. */
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/** A report about a block, as the other program kept it; all of it claims of that file. */
export interface ImportedOutcome {
  readonly signal: number
  readonly weight: number
  readonly source: string
  /** As written there. */
  readonly at?: string
}

/** A text that the other program kept; nothing of it is checked yet. */
export interface ImportedText {
  readonly kind: 'text'
  readonly content: string
  /** Where in the file or folder it stands, for people: a note, a conversation, a table. */
  readonly place: string
  /** By what links name it; the first text with a key counts. */
  readonly key?: string
  /** Its id there, where the other program makes ids as this one does. */
  readonly id?: string
  /** The label of its source there. */
  readonly source?: string
  /** Who speaks in it if the owner vouches for the file; the label of its source says it unless given. */
  readonly speaker?: SourceClass
  /** When it was said, as written there. */
  readonly at?: string
  readonly tags?: readonly string[]
  readonly category?: string
  readonly session?: string
  readonly cue?: string
  /** Reports for and against it, as a sum there. */
  readonly successes?: number
  readonly failures?: number
  /** Newest last. */
  readonly outcomes?: readonly ImportedOutcome[]
}

/** Two texts that belong together, by their keys. */
export interface ImportedLink {
  readonly kind: 'link'
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly origin?: EdgeOrigin
  readonly weight?: number
  readonly note?: string
  /** The key of the end that declared it; neither if it says nothing of a direction. */
  readonly declaredBy?: string
  readonly at?: string
}

/** Something this memory has no use for yet, kept as data under a name. */
export interface ImportedItem {
  readonly kind: 'item'
  /** The kind of it: `peers`, `amendments`. */
  readonly group: string
  readonly key: string
  readonly value: Readonly<Record<string, string | number>>
}

/** Something that cannot be kept. */
export interface ImportedLoss {
  readonly kind: 'left'
  /** In the plural: `pictures`, `broken lines`. */
  readonly what: string
  /** A sentence without its full stop. */
  readonly why: string
  readonly many?: number
  /** One of them, for people. */
  readonly example?: string
}

/** One thing that was read. */
export type Imported = ImportedText | ImportedLink | ImportedItem | ImportedLoss

/** The file or folder to read, and how. */
export interface ImportRequest {
  readonly path: string
  readonly format: ImportFormat | 'auto'
  /** True: also what the other program had put away. */
  readonly archived: boolean
  /** Bytes of all files together. */
  readonly mostBytes: number
  readonly signal?: AbortSignal | undefined
}

/** A file or folder whose format is known. */
export interface OpenedImport {
  readonly format: ImportFormat
  /** The name of the format for people: `the database of the Python elfmem`. */
  readonly title: string
  /** Kilobytes read, and known of; `total` may grow. */
  readonly progress: () => { readonly done: number; readonly total: number }
  /** Reads it once. Rejects with `ElfmemError` alone, whatever the bytes are. */
  readonly read: () => AsyncIterable<Imported>
  readonly close: () => void
}

/**
 * Reads what other programs remember.
 *
 * What must hold: nothing is written or run, no link inside a folder is followed, nothing outside the path is opened, and
 * what is held in memory does not grow with the file, but for one text and for the keys.
 */
export interface Importers {
  /** Rejects with `NOT_FOUND`, `INVALID_INPUT` or `LIMIT_EXCEEDED`. */
  open(request: ImportRequest): Promise<OpenedImport>
}

/** A value in a table of somebody's database. */
export type ForeignValue = string | number | bigint | Uint8Array | undefined

/** The tables of a database of another program. Nothing of its schema runs, and nothing is written. */
export interface ForeignTables {
  /** The names of the columns by table. */
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** True if it is a memory of this program. */
  readonly isOurs: boolean
  /** The rows of a table; none if there is no such table. */
  rows(table: string): Iterable<Readonly<Record<string, ForeignValue>>>
  /** Tables that could not be read to their end so far. */
  readonly lost: () => number
  /** True if somebody wrote to the file since it was opened. */
  readonly hasChanged: () => boolean
  readonly close: () => void
}
