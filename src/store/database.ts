import type { Block, BlockIndex, BlockStatus, ContentVectors, SourceClass } from '../block/block.ts'
import type { CountedDay } from '../engine/counts.ts'
import type { BlockPair } from '../graph/edge.ts'
import type { ErasingFiles } from '../history/erase.ts'
import type { DecayTier } from '../outcome/formulas.ts'
import type { Cell, Columns, RowOf, Table, View } from './description.ts'
import type { operations, unlabelledPairs } from './tables.ts'

/** A row of any table maps properties to values. */
export type AnyRow = Readonly<Record<string, unknown>>

/** Cells are all values of a row, in the order of the table's columns. */
export type Cells = readonly Cell[]

/** A key is the list of values of its properties, in their order. */
export type Key = readonly (string | number)[]

/** A condition gives properties the value, or one of the values, that rows must have; undefined: rows must have no value. */
export type Where = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** A range selects rows of a table and puts them in order. */
export interface Range {
  /** Conditions that are known when the program is written: words, flags and absent values, by which an index may be chosen. */
  readonly where?: Where
  /** A property that must have a value. */
  readonly has?: string
  /** Values of properties whose index finds the rows. */
  readonly equals?: Readonly<Record<string, string | number>>
  /** A property and its least value. */
  readonly from?: readonly [property: string, least: string | number]
  /** A property and its greatest value. */
  readonly until?: readonly [property: string, most: string | number]
  /** Values of the properties of `order`, which must all ascend: only rows behind this place are selected. */
  readonly after?: Key
  /** Properties by which rows are sorted; a minus before a property descends. */
  readonly order: readonly string[]
  /** The greatest number of rows; all rows if left out. */
  readonly limit?: number
}

/** A trimming says which rows of a table stay and which may be removed. */
export interface Trimming {
  /** Properties that sort rows from old to new. */
  readonly order: readonly string[]
  /** The number of newest rows that stay, for each value of `per` if that is given. */
  readonly keep: number
  /** A property and its values; only rows with these values may be removed. */
  readonly per?: readonly [property: string, values: readonly string[]]
  /** The greatest number of rows that are removed. */
  readonly most?: number
  /** The key of a row that stays in any case. */
  readonly but?: Key
}

/** The state holds counts of the whole memory, whatever the scope: from the log, the blocks and `STATE_META`. */
export interface State {
  readonly clock: ClockReading
  /** The number of the newest change. */
  readonly sequence: number
  /** The generation that `Changes` describes. */
  readonly generation: number
  /** The number of the set of vectors in use: 0 or 1. */
  readonly vectorSet: number
  readonly hasShadow: boolean
  /** True if any block belongs to a scope. */
  readonly hasScopes: boolean
}

/**
 * This interface reads the rows of a database within one transaction: all rows, or those with a scope or about a block of that scope.
 * Each call is a bounded number of statements. Keys without a row are left out. Texts are in the order of their UTF-8 bytes.
 */
export interface ReadRows {
  /** The scope whose rows are seen; undefined for the whole store. */
  readonly scope: string | undefined
  /** This transaction reads the whole store, whatever the scope. */
  readonly whole: ReadRows
  /** The queries with statements of their own. */
  readonly queries: Queries
  /** Reads rows with these keys, or with these values of the unique properties, in the order of the keys; each once. */
  get<R>(view: View<R>, keys: readonly Key[], by?: 'key' | 'unique'): Promise<R[]>
  /**
   * Reads rows that name one of the blocks, or with `both` rows whose two blocks are among them. Each comes once, in the order of the
   * keys, or of the unique properties in a view that lacks the key.
   */
  touching<R>(
    view: View<R>,
    blockIds: readonly string[],
    options?: { readonly both?: boolean; readonly where?: Where },
  ): Promise<R[]>
  scan<R>(view: View<R>, range: Range): Promise<R[]>
  count(table: Table, where?: Where): Promise<number>
  /** Reads the state in one statement. */
  state(): Promise<State>
}

/** This interface reads and changes the rows of a database within one transaction. */
export interface Rows extends ReadRows {
  readonly whole: Rows
  /**
   * Inserts rows in their order and returns them as they are stored. If no row has its key, the rows get the next numbers, from 1; rows
   * of a counted table (`nextIn`) always get numbers and their place in their series. If the unique properties of a row of a counted
   * table are taken, in any scope, undefined stands in its place.
   */
  insert<C extends Columns>(
    table: Table<C>,
    rows: readonly Partial<RowOf<Table<C>>>[],
  ): Promise<(RowOf<Table<C>> | undefined)[]>
  /**
   * Inserts rows or changes those with the same key; of two rows with one key the last counts. Returns the rows that are new or
   * different. The index of a block that becomes active gets the block's `sequence`.
   *
   * @param before the stored rows with these keys; read if left out
   */
  put<C extends Columns>(
    table: Table<C>,
    rows: readonly RowOf<Table<C>>[],
    before?: readonly RowOf<Table<C>>[],
  ): Promise<RowOf<Table<C>>[]>
  /** Removes rows by their keys, and the rows that do not outlive them; returns only the former, in the order of the keys. */
  remove<C extends Columns>(table: Table<C>, keys: readonly Key[]): Promise<RowOf<Table<C>>[]>
  /** Removes the oldest rows beyond those that stay; returns their number. */
  trim(table: Table, trimming: Trimming): Promise<number>
}

/**
 * This function is called for each row that a transaction inserts, changes or removes in a table with an undo: its values before and
 * after, in the order of the columns. It is not called for rows that go with another row, or if only numbers of changes differ.
 */
export type RowChanged = (table: Table, was: Cells | undefined, is: Cells | undefined) => void

/** These options are hints for one read. */
export interface ReadOptions {
  /** True: the read goes on with what the same call read just before, so that the file need not be looked for again. */
  readonly again?: boolean
  /** True: the read is a few quick statements, and a write that comes meanwhile may wait for it. */
  readonly brief?: boolean
  /** True: the read is long, and neither readers nor writers of this process wait for it. */
  readonly aside?: boolean
}

/** These options are promises of one write. */
export interface WriteOptions {
  /** False: a power failure may undo the write until the next durable one commits. True if left out. */
  readonly durable?: boolean
  /** True: removed values are overwritten as far as the database can, and not only given free. */
  readonly overwrites?: boolean
  /** False: the write does not wait for a lock of another process (`STORE_BUSY`). True if left out. */
  readonly waits?: boolean
  /** True: the changes of the write are kept with its entries of the log, for `revert`. False if left out. */
  readonly undoable?: boolean
  /** Called inside the transaction if changes of an undoable write are kept, with the number that `revert` takes. */
  readonly onKept?: (operationId: number) => void
}

/**
 * A database holds the rows of a memory: one SQLite file, or the rows with its number in a PostgreSQL database.
 *
 * - `write` runs one transaction at a time across all processes, commits durably before it resolves, and leaves nothing behind if
 *   `work` throws. It waits for a busy database; a caller sees a lock error (`STORE_BUSY`) only when the configured wait is over.
 * - Calls within `work` may be made together, and begin in their order. Changes of one statement that `work` has not awaited when it ends
 *   belong to the transaction, and the commit may be sent along with them. The end of a read need not be awaited.
 * - `read` sees one consistent state and never the inside of an open write. A read within the work of another is part of it; any
 *   other call that would wait for the call around it throws `STORE_FAILED`.
 */
export interface Database {
  /** A path or a name, for people. */
  readonly location: string
  /** False: the memory ends when its database is closed. */
  readonly isLasting: boolean
  /** Number of statements so far, without transaction control; tests of "no N+1" use it. */
  readonly statements: number
  /** Maintenance of the file as a whole; absent in a database without a file, and in a view. */
  readonly files?: StoreFiles
  /** Returns a number that differs after each commit of any process; takes at most one statement. */
  version(): Promise<number>
  /** Opens an empty database that ends when it is closed; `isLarge`: its rows may not fit into memory. */
  scratch(options?: { readonly isLarge?: boolean }): Promise<Database>
  read<T>(
    work: (rows: Rows) => Promise<T>,
    options?: ReadOptions & { readonly scope?: string | undefined },
  ): Promise<T>
  /** @param work also gets the state of the database when the write begins */
  write<T>(
    work: (rows: Rows, state: State) => Promise<T>,
    options: Omit<WriteOptions, 'undoable' | 'onKept'> & {
      readonly scope?: string | undefined
      readonly changed?: RowChanged
    },
  ): Promise<T>
  /** Counts rows anew for the planning of statements, after many came at once; absent if no database needs to be told. */
  analyze?(): Promise<void>
  close(): Promise<void>
}

/** A backup file is a copy of a memory in a file of its own, described as it was found when it was opened and checked. */
export interface BackupFile {
  readonly path: string
  readonly name: string
  readonly bytes: number
  readonly blocks: number
  readonly edges: number
  readonly operations: number
}

/** Row findings are numbers of rows that are not as they should be, by table. */
export interface RowFindings {
  /** Rows whose owner is missing. */
  readonly orphans: Readonly<Record<string, number>>
  /** Rows with a value that no elfmem writes, such as an impossible date. */
  readonly wrongValues: Readonly<Record<string, number>>
}

/** File findings are problems of a memory's file, its rows, and other files beside it. */
export interface FileFindings extends RowFindings {
  /** Complaints of SQLite's own check. */
  readonly damage: readonly string[]
  readonly logBytes: number
  /** Files of the memory that other users may read or write; `isFolder`: a folder in which others may replace them. */
  readonly exposed: readonly { readonly path: string; readonly isFolder: boolean }[]
}

/**
 * This interface maintains a memory's file as a whole. A copy has one consistent state, is whole on the disk and readable by its owner
 * alone before it gets its name, and making it keeps no writer waiting. A replacement of the memory's contents is one commit, which
 * every open connection notices (`Changes.generation` grows).
 */
export interface StoreFiles {
  erasing(): Promise<ErasingFiles>
  /** The folder of copies without a given path. */
  readonly folder: string
  /** The folder of exports without a given path. */
  readonly exportFolder: string
  /**
   * Makes a copy of the memory.
   * @param target a new file, or the time and the maker after which a file in `folder` is named
   * @param signal stops the copy with `CANCELLED` before it gets its name
   */
  backup(
    target: { readonly path: string } | { readonly at: string; readonly of: 'owner' | 'agent' },
    signal?: AbortSignal,
  ): Promise<BackupFile>
  /** Returns the names of the backups in `folder`, newest first. */
  backups(): Promise<string[]>
  /** Returns the bytes of the memory with its write-ahead log, which is about what a copy needs. */
  bytes(): Promise<number>
  /** Removes the oldest backups by the maker of `made`, never `made`, until at most `keep` are left; returns their names. */
  pruneBackups(made: string, keep: number): Promise<string[]>
  /**
   * Replaces the contents of the memory by those of a backup. Throws `STORE_FAILED`, `STORE_FOREIGN`, `STORE_CORRUPT` or `NOT_FOUND`,
   * and then nothing has changed.
   *
   * @param before makes a backup of the memory when the given one has proved good; this backup is removed if the rest fails
   */
  restore(
    from: { readonly path: string } | { readonly name: string },
    before: () => Promise<BackupFile>,
  ): Promise<{ readonly from: BackupFile; readonly before: BackupFile }>
  /**
   * Looks for damage while other calls in this process go on.
   *
   * @param full checks indexes against their tables, too, which takes several times longer
   * @param signal stops the search with `CANCELLED`
   */
  look(options: { readonly full: boolean; readonly signal?: AbortSignal | undefined }): Promise<FileFindings>
  /** Empties the log and takes from other users what they need not have; returns the number of files that were closed to them. */
  mend(): Promise<number>
}

/** A clock reading is the memory's clock after the newest logged operation. */
export interface ClockReading {
  readonly hours: number
  /** Milliseconds from 1970 to that operation; undefined in an empty store. */
  readonly wallMs?: number
  /** The block with the newest words of all, and when they arrived, ISO-8601 UTC. */
  readonly newest?: { readonly id: string; readonly session: string; readonly at: string }
}

/** An indexed block has what recall needs to rank it. Only an active block has an `index`, unless the reader of changes has it already. */
export interface IndexedBlock {
  readonly block: Block
  readonly index?: BlockIndex
  readonly indexUnchanged?: true
  /** The vectors of a waiting block, if they have been made; the index of its words is not stored. */
  readonly vectors?: ContentVectors
}

/** Changes are all that was committed after a sequence number and matters to an index in memory. */
export interface Changes {
  readonly clock: ClockReading
  /** The newest sequence number; the next call passes it as `since`. */
  readonly sequence: number
  /** Grows if `since` cannot tell what changed: another set of vectors is in use, or a block was removed (`readRemovedSince`). */
  readonly generation: number
  /** True if the memory has predictions, in any scope. */
  readonly hasPredictions: boolean
  /** Blocks changed after `since`, in the order of their changes; if `since` is 0, only waiting and active blocks. */
  readonly blocks: readonly IndexedBlock[]
}

/** Counts are the numbers of rows by kind, as far as a view sees them. */
export interface Counts {
  readonly inbox: number
  readonly active: number
  readonly archived: number
  readonly edges: number
  readonly edgesByRelation: Readonly<Record<string, number>>
  readonly edgesByOrigin: Readonly<Record<string, number>>
  /** Active blocks without any edge. */
  readonly isolated: number
  readonly openPairs: number
  readonly stagedPairs: number
  readonly pendingConnections: number
  readonly queuedOutcomes: number
}

/** Scope counts say how many blocks a scope has. */
export interface ScopeCounts {
  readonly scope: string
  readonly inbox: number
  readonly active: number
  readonly archived: number
}

/** An operation record is an entry of the log, for `history`, audit and undo. */
export type OperationRecord = RowOf<typeof operations> & {
  /** Id of the last entry of its transaction, if the changes of that transaction are kept for `revert`. */
  readonly kept?: number
  /** Number of entries of the run in the log; only in the newest entry of a run, if the filter asks for `runs`. */
  readonly entries?: number
}

/** An operation filter selects entries of the log, newest first unless `after` is given; an absent field allows all. */
export interface OperationFilter {
  readonly limit: number
  readonly blockId?: string
  /** Only the last entry of each transaction whose changes are kept and whose entries name one of these blocks. */
  readonly changing?: readonly string[]
  readonly operation?: string
  readonly actor?: string
  readonly run?: string
  /** ISO-8601 UTC: entries at this time or later. */
  readonly since?: string
  /** ISO-8601 UTC: entries before this time. */
  readonly until?: string
  /** Only entries with a smaller number, such as the last one of the previous page. */
  readonly before?: number
  /** Only entries with a greater number, oldest first. */
  readonly after?: number
  /** Only entries whose changes are kept. */
  readonly isKept?: true
  /** Only the newest entry of each dream, curation, import or batch, with `entries`. */
  readonly runs?: true
}

/** Strengths say how well some blocks are joined, compared with the others. */
export interface Strengths {
  /** The strongest blocks, strongest first; ties by id. */
  readonly strongest: readonly { readonly id: string; readonly strength: number }[]
  /** Strength of the block at the rank asked for; 0 if fewer blocks are joined. */
  readonly atRank: number
}

/** Vector totals say how many vectors recall uses and how much text they stand for. */
export interface VectorTotals {
  readonly blocks: number
  /** Code points of their contents. */
  readonly characters: number
  /** Number of blocks without a vector in the shadow set; absent if there is no shadow set. */
  readonly missing?: number
}

/** An unlabelled pair is two joined or flagged blocks without a named relation; `from` < `to`; `cosine` of their contents, 0..1. */
export type UnlabelledPair = Omit<RowOf<typeof unlabelledPairs>, 'arrival' | 'scope'>

/** A pending judgement filter selects the active blocks that need a judgement. */
export interface PendingJudgementFilter {
  /** True: only blocks that an earlier dream failed to judge. */
  readonly pendingOnly: boolean
  /** ISO-8601 UTC; a block judged before this time needs a new judgement. */
  readonly judgedBefore: string
  /** Categories that are left out, literally, like the tags of `excludeTags`; pending blocks are never left out. */
  readonly excludeCategories: readonly string[]
  readonly excludeTags: readonly string[]
  readonly limit: number
}

/** Judgement counts are the numbers of active blocks that need a judgement. */
export interface JudgementCounts {
  /** Blocks that a dream failed to judge. */
  readonly pending: number
  /** Blocks that were never judged, including the pending ones. */
  readonly unjudged: number
  /** Blocks that were judged before the time asked about. */
  readonly stale: number
}

/** A block condition selects blocks; an absent field allows all. */
export interface BlockCondition {
  readonly status?: BlockStatus
  /** Literal tag, or a prefix ending in `*`. */
  readonly tag?: string
  readonly category?: string
  readonly session?: string
  /** The label of the source, exactly. */
  readonly source?: string
  readonly sourceClass?: SourceClass
  /** The tier that `decayTier` gives the block. */
  readonly tier?: DecayTier
  /** Words that must all stand somewhere in content, cue or summary, each in one of its spellings (`spellingsOf`). Cost: all texts. */
  readonly words?: readonly string[]
  /** ISO-8601 UTC: blocks that arrived at this time or later. */
  readonly since?: string
  /** ISO-8601 UTC: blocks that arrived before this time. */
  readonly until?: string
  /** True: only blocks without any edge. */
  readonly isolated?: boolean
  /** True: only blocks that belong to an open pair. */
  readonly undecided?: boolean
}

/**
 * A block order says how the blocks of a page are sorted:
 * - `recent`: last reinforced first, ties by id. `arrival`: oldest first. `newest`: last said first, ties by arrival.
 * - `proved`: by the mean of Beta(1 + successes, 1 + failures) less one standard deviation, greatest first. `doubted`: likewise with
 *   successes and failures exchanged.
 * - `fading`: least fresh first at the filter's `hours`.
 * - `joined`: greatest strength first, blocks without edges last.
 *
 * In the last four, equal blocks are sorted by arrival, the last first. Their cost is all blocks that the condition lets through.
 */
export type BlockOrder = 'recent' | 'arrival' | 'newest' | 'proved' | 'doubted' | 'fading' | 'joined'

/** A block filter selects and sorts the blocks of a page. */
export interface BlockFilter extends BlockCondition {
  readonly order: BlockOrder
  /** The active hours at which `fading` compares; 0 if left out. A cursor carries those of its first page. */
  readonly hours?: number
  readonly limit: number
  /** The `cursor` of the previous page in the same order; a cursor of another order is refused. */
  readonly cursor?: string
  /** The number of blocks to skip first, behind the cursor if there is one. */
  readonly offset?: number
  /** True: the page says how many blocks the condition lets through. */
  readonly count?: boolean
  /** The page has facets with at most this many values each. */
  readonly facets?: number
  /** Facets to count, while the others are empty; all facets if left out. */
  readonly facetsOf?: readonly FacetName[]
}

/** A block page has blocks in the order that its filter asked for. */
export interface BlockPage {
  readonly blocks: readonly Block[]
  /** Present if further blocks follow. */
  readonly cursor?: string
  /** Number of blocks on all pages; only if the filter asks for it. */
  readonly total?: number
  /** Facets of all matching blocks; only if the filter asks for them. */
  readonly facets?: Facets
}

/** A facet has the numbers of blocks by value, the most frequent values first, ties in the order of the values. */
export interface Facet {
  readonly values: readonly { readonly value: string; readonly blocks: number }[]
  /** The number of different values. */
  readonly distinct: number
}

/** The properties of blocks by which pages count them. */
export const FACETS = ['tag', 'category', 'sourceClass', 'source', 'session', 'tier', 'status'] as const

/** A facet is known by its name. */
export type FacetName = (typeof FACETS)[number]

/** Facets say which values the blocks of a condition have; `status` counts as if the condition had no status. */
export type Facets = Readonly<Record<FacetName, Facet>>

/** A database answers these queries in statements of its own. */
export interface Queries {
  /**
   * Reads all commits after a sequence number that matter to an index in memory. The index of an active block, and its vector, come only
   * if the number of the index is greater than `since`. One statement.
   */
  changes(since: number): Promise<Changes>
  /** Passes all waiting and active blocks to `visit` in batches, in no order. Other work has its turn between two batches. */
  livingBlocks(visit: (batch: readonly IndexedBlock[]) => void): Promise<void>
  /** Adds one use to active blocks and sets the hours of the last use; returns their ids, in no order. */
  use(
    ids: readonly string[],
    change: { readonly hours: number; readonly sequence: number },
  ): Promise<string[]>
  /** Sets the number of a change in blocks; no undo looks at it. */
  number(arrivals: readonly number[], sequence: number): Promise<void>
  /** Reads blocks by text key and scope that are not archived: by key, then oldest first. */
  blocksByText(keys: readonly (readonly [textKey: string, scope: string])[]): Promise<Block[]>
  /**
   * Reads waiting or active blocks that claim the place (`supersedes`) of one of these blocks, or of a block that such claims connect with
   * them in either direction, oldest first. Chains of claims are followed to at most `limit` blocks, the nearest first.
   */
  replacing(ids: readonly string[], limit: number): Promise<Block[]>
  /** Returns for each prefix at most two ids that begin with it, whatever their status; only the id itself if it is an exact match. */
  idsByPrefix(prefixes: readonly string[]): Promise<Map<string, readonly string[]>>
  /** Reads a page of blocks; throws `INVALID_INPUT` for a cursor that no page returned. */
  page(filter: BlockFilter): Promise<BlockPage>
  /** Returns the `limit` scopes with most waiting and active blocks, ties by name. Cost: an index of all blocks with a scope. */
  scopes(limit: number): Promise<ScopeCounts[]>
  /** Counts rows by kind. Cost: all blocks. */
  counts(): Promise<Counts>
  /** Counts what was done on each UTC day from one day on, without empty days. Cost: all blocks and edges, and all entries since then. */
  days(since: string): Promise<CountedDay[]>
  operations(filter: OperationFilter): Promise<OperationRecord[]>
  /** Removes all kept changes but the newest up to `bytes` of JSON, in any scope; returns the newest removed entry's number, or 0. */
  trimChanges(bytes: number): Promise<number>
  /**
   * Reads the open pairs among the blocks and all blocks that supersessions and near-duplicates join with them, directly or through
   * others, in (a, b) order. It follows at most `limit` blocks, the nearest first. Cost: their pairs.
   */
  groupedPairs(ids: readonly string[], limit: number): Promise<BlockPair[]>
  /** Returns the strength and degree of blocks with edges: the sum of weight + 0.1·ln(1 + uses), to nine decimals each, and the number. */
  strengths(
    ids: readonly string[],
  ): Promise<Map<string, { readonly strength: number; readonly degree: number }>>
  /** Returns the `limit` strongest blocks, and the strength at the 1-based `rank`. Cost: an index down to the rank. */
  strongest(limit: number, rank: number): Promise<Strengths>
  /** Reads blocks to judge: first pending ones, then those never judged, then those judged longest ago; ties by arrival. */
  pendingJudgements(filter: PendingJudgementFilter): Promise<Block[]>
  judgementCounts(judgedBefore: string): Promise<JudgementCounts>
  /** Reads pairs of active blocks that wait for a label, oldest first. */
  unlabelledPairs(limit: number): Promise<UnlabelledPair[]>
  /** Counts vectors of the whole store, in a view, too; `settled` counts those of blocks that do not wait. Cost: all vectors. */
  vectorTotals(): Promise<VectorTotals & { readonly settled: number }>
  /** Reads the first `limit` blocks that the shadow set lacks, by arrival, of the whole store even in a view; none without a shadow set. */
  missingShadow(limit: number): Promise<Block[]>
  /** Looks at the rows of the whole store, even in a view. Cost: all rows. */
  rowFindings(): Promise<RowFindings>
  /** Removes the rows of the whole store whose owner is missing; returns their number. */
  removeOrphans(): Promise<number>
}
