import type { ErasingFiles } from '../history/erase.ts'

/** A copy of a memory in a file of its own, as it was found when it was opened and checked. */
export interface BackupFile {
  readonly path: string
  readonly name: string
  readonly bytes: number
  readonly blocks: number
  readonly edges: number
  readonly operations: number
}

/** Problems of a memory's file, and other files beside it. */
export interface FileFindings {
  /** Complaints of SQLite's own check. */
  readonly damage: readonly string[]
  /** Rows that belong to a row that is not there, by table. */
  readonly orphans: Readonly<Record<string, number>>
  /** Rows with a value that no elfmem writes, such as a date that is none, by table. */
  readonly wrongValues: Readonly<Record<string, number>>
  /** Vectors in use of another length than the model's. */
  readonly wrongVectors: number
  /** Blocks and kinds of edges whose kept sums differ from the edges themselves. */
  readonly wrongSums: number
  /** ISO-8601 UTC of the newest entry of the log. */
  readonly newestAt?: string
  /** Entries of the log whose hours are less than those of the entry before. */
  readonly fallingHours: number
  readonly logBytes: number
  /** Files of the memory that other users may read or write; `isFolder` one in which others may replace it. */
  readonly exposed: readonly { readonly path: string; readonly isFolder: boolean }[]
  /** Packed indexes beside the file. */
  readonly packedIndexes: readonly string[]
}

/** Repairs that `mend` made; all zero when there was nothing to do. */
export interface Repairs {
  readonly orphansRemoved: number
  readonly sumsRefreshed: number
  readonly modesTightened: number
  readonly packedRemoved: number
  readonly logEmptied: boolean
}

/** One row of an export: the name of its table and its columns, JSON as data and bytes as base64. */
export interface StoreRecord {
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
  /** Where it was read, for who has to correct it. */
  readonly line?: number
}

/** Head of an export: facts about the memory it is from. */
export interface RecordHead {
  /** Active hours of the memory. */
  readonly hours: number
  readonly embedding?: { readonly model: string; readonly dimensions: number }
  /** Rows of each kind, in the order in which they come. */
  readonly counts: Readonly<Record<string, number>>
}

/** Result of taking records in, with counts by kind. */
export interface TakenRecords {
  /** True if the memory was empty and is now what was exported; else only what it lacked was added. */
  readonly whole: boolean
  readonly taken: Readonly<Record<string, number>>
  readonly left: Readonly<Record<string, number>>
  /** True if new blocks wait in the inbox: they come as new ones, or their vectors are of another model. */
  readonly asInbox: boolean
  /** Ids of blocks that were here and are a text of items that came. */
  readonly textsOfItems: readonly string[]
}

/**
 * Maintenance of a memory's file as a whole. A copy is one consistent state, whole on the disk and readable by its owner alone before
 * it gets its name, and making it keeps no writer waiting. What replaces the memory's contents does so in one commit, which every
 * open connection notices (`Changes.generation` grows).
 */
export interface StoreFiles {
  /** Erases blocks for ever. */
  erasing(known: readonly string[]): Promise<ErasingFiles>
  /** Where copies go unless a path is given. */
  readonly folder: string
  /**
   * @param target a new file, or the time a file in `folder` is to be named after and whose it is
   * @param signal ends it with `CANCELLED` before the copy gets its name
   */
  backup(
    target: { readonly path: string } | { readonly at: string; readonly of: 'owner' | 'agent' },
    signal?: AbortSignal,
  ): Promise<BackupFile>
  /** Names of the backups in `folder`, newest first. */
  backups(): Promise<string[]>
  /** Bytes of the memory, its write-ahead log included: about what a copy needs. */
  bytes(): Promise<number>
  /** Removes the oldest backups of the maker of `made`, never `made`, until no more than these are left; returns their names. */
  pruneBackups(made: string, keep: { readonly backups: number; readonly bytes?: number }): Promise<string[]>
  /**
   * Puts the contents of a backup in the place of the memory's. Throws `STORE_FAILED`, `STORE_FOREIGN`, `STORE_CORRUPT` or
   * `NOT_FOUND`, and nothing has changed then.
   *
   * @param before makes a backup when the given one was found good; that is removed if the rest fails
   */
  restore(
    from: { readonly path: string } | { readonly name: string },
    before: () => Promise<BackupFile>,
  ): Promise<{ readonly from: BackupFile; readonly before: BackupFile }>
  /**
   * Looks for damage while others in this process go on.
   *
   * @param full checks indexes against their tables as well, which takes several times longer
   * @param signal ends it with `CANCELLED`
   */
  look(options: { readonly full: boolean; readonly signal?: AbortSignal | undefined }): Promise<FileFindings>
  /** Repairs what can be made again from the rest; `rows` keeps everybody waiting. */
  mend(options: { readonly rows: boolean; readonly dropPacked: boolean }): Promise<Repairs>
}
