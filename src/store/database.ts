import type { Block, BlockIndex, BlockStatus, ContentVectors, SourceClass } from '../block/block.ts'
import type { CountedDay } from '../engine/counts.ts'
import type { BlockPair } from '../graph/edge.ts'
import type { ErasingFiles } from '../history/erase.ts'
import type { DecayTier } from '../outcome/formulas.ts'
import type { Cell, Columns, RowOf, Table, View } from './description.ts'
import type { operations, unlabelledPairs } from './tables.ts'

/** A row of any table, by its properties. */
export type AnyRow = Readonly<Record<string, unknown>>

/** All values of a row, in the order of the table's columns. */
export type Cells = readonly Cell[]

/** The values of a key, in its order. */
export type Key = readonly (string | number)[]

/** Properties and the values they have to have, one of a list; undefined: none. */
export type Where = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Some rows of a table, in an order. */
export interface Range {
  /** Known when the program is written: words, flags and absent values, by which an index may be chosen. */
  readonly where?: Where
  /** A property that has to have a value. */
  readonly has?: string
  /** Values of properties by whose index the rows are found. */
  readonly equals?: Readonly<Record<string, string | number>>
  /** A property and the least value it may have. */
  readonly from?: readonly [property: string, least: string | number]
  /** A property and the greatest value it may have. */
  readonly until?: readonly [property: string, most: string | number]
  /** Only rows behind this place: values of the properties of `order`, all of which ascend then. */
  readonly after?: Key
  /** Properties; a minus before one descends. */
  readonly order: readonly string[]
  /** All rows when left out. */
  readonly limit?: number
}

/** The rows of a table to keep. */
export interface Trimming {
  /** Properties by which rows are older or newer. */
  readonly order: readonly string[]
  /** So many of the newest stay: of each value of `per`, if that is given. */
  readonly keep: number
  /** A property, and the values of it that are looked at. */
  readonly per?: readonly [property: string, values: readonly string[]]
  /** At most so many are removed. */
  readonly most?: number
  /** The key of a row that stays. */
  readonly but?: Key
}

/** The counts of the memory as a whole, whatever the scope: from the log, the blocks and `STATE_META`. */
export interface State {
  readonly clock: ClockReading
  /** The newest number of a change. */
  readonly sequence: number
  /** See `Changes`. */
  readonly generation: number
  /** The number of the set of vectors in use: 0 or 1. */
  readonly vectorSet: number
  readonly hasShadow: boolean
  /** True if any block belongs to a scope. */
  readonly hasScopes: boolean
}

/**
 * The rows of a database within one transaction: all of them, or those with a scope or about a block that has it. Each call is a
 * bounded number of statements. Keys that no row has are left out. Texts are in the order of their UTF-8 bytes.
 */
export interface ReadRows {
  /** Undefined: the whole store. */
  readonly scope: string | undefined
  /** The same transaction over the whole store. */
  readonly whole: ReadRows
  /** The queries with statements of their own. */
  readonly queries: Queries
  /** Rows with these keys, or with these values of the unique properties, in the order of the keys; each once. */
  get<R>(view: View<R>, keys: readonly Key[], by?: 'key' | 'unique'): Promise<R[]>
  /**
   * Rows that name one of the blocks; `both`: whose two blocks are among them. Each once, in the order of their keys, or of
   * their unique properties in a view that lacks the key.
   */
  touching<R>(
    view: View<R>,
    blockIds: readonly string[],
    options?: { readonly both?: boolean; readonly where?: Where },
  ): Promise<R[]>
  scan<R>(view: View<R>, range: Range): Promise<R[]>
  count(table: Table, where?: Where): Promise<number>
  /** One statement. */
  state(): Promise<State>
}

/** The rows of a database within one transaction that may change them. */
export interface Rows extends ReadRows {
  readonly whole: Rows
  /**
   * Inserts rows in their order and returns them as they are stored. Rows that lack their key, all or none, get the next number,
   * from 1; those of a counted table (`nextIn`) always do, and their place in their series. Undefined in the place of a row of a
   * counted table whose unique properties are taken, in any scope.
   */
  insert<C extends Columns>(
    table: Table<C>,
    rows: readonly Partial<RowOf<Table<C>>>[],
  ): Promise<(RowOf<Table<C>> | undefined)[]>
  /**
   * Inserts rows or changes those of the same key; of two with one key the last counts. Returns the rows that were not there or
   * differ. The index of a block that becomes active gets the block's `sequence`.
   *
   * @param before the rows with these keys as they are; read when left out
   */
  put<C extends Columns>(
    table: Table<C>,
    rows: readonly RowOf<Table<C>>[],
    before?: readonly RowOf<Table<C>>[],
  ): Promise<RowOf<Table<C>>[]>
  /** Removes the rows with these keys, and what does not outlive them; returns them alone, in the order of the keys. */
  remove<C extends Columns>(table: Table<C>, keys: readonly Key[]): Promise<RowOf<Table<C>>[]>
  /** Removes the oldest rows beyond those to keep; returns how many. */
  trim(table: Table, trimming: Trimming): Promise<number>
}

/**
 * Called for each row of a table with an undo that a transaction inserts, changes or removes: its values before and after, in the
 * order of the columns. Not called for rows that go with another, or for numbers of changes alone.
 */
export type RowChanged = (table: Table, was: Cells | undefined, is: Cells | undefined) => void

/** Hints for one read; each may be left out. */
export interface ReadOptions {
  /** True: goes on with what the same call read just before, so that the file need not be looked for once more. */
  readonly again?: boolean
  /** True: a few quick statements, for which a write that comes meanwhile may wait. */
  readonly brief?: boolean
  /** True: long work, which keeps neither readers nor writers of this process waiting. */
  readonly aside?: boolean
}

/** The promises of one write; each may be left out. */
export interface WriteOptions {
  /** False: a power failure may undo the write until the next durable one commits. True unless said. */
  readonly durable?: boolean
  /** False: a lock of another process is not waited for (`STORE_BUSY`). True unless said. */
  readonly waits?: boolean
  /** True: what the write changes is kept with what it logs, for `revert`. False unless said. */
  readonly undoable?: boolean
  /** Called inside the transaction if something is kept of an undoable write, with the number that `revert` takes. */
  readonly onKept?: (operationId: number) => void
}

/**
 * Where the rows of a memory lie: one SQLite file today, PostgreSQL one day.
 *
 * - `write` runs one transaction at a time across all processes, commits durably before it resolves, and leaves nothing behind when
 *   `work` throws. A busy database is waited for; a caller never sees a lock error before the configured wait is over
 *   (`STORE_BUSY`).
 * - `read` sees one consistent state and never the inside of an open write. A read within the work of another is part of it; any
 *   other call that would wait for the one it is made in throws `STORE_FAILED`.
 */
export interface Database {
  /** A path or a name, for people. */
  readonly location: string
  /** False: the memory ends when the database is closed. */
  readonly isLasting: boolean
  /** Number of statements issued so far, without transaction control; for tests of "no N+1". */
  readonly statements: number
  /** Maintenance of the file as a whole; absent where there is none, and in a view. */
  readonly files?: StoreFiles
  /** Returns a number that is another one after each commit of any process; at most one statement. */
  version(): Promise<number>
  /** Opens an empty database that ends when it is closed; `isLarge` if memory may not hold all of it. */
  scratch(options?: { readonly isLarge?: boolean }): Promise<Database>
  read<T>(
    work: (rows: Rows) => Promise<T>,
    options?: ReadOptions & { readonly scope?: string | undefined },
  ): Promise<T>
  /** @param work gets the state that it finds, too */
  write<T>(
    work: (rows: Rows, state: State) => Promise<T>,
    options: Omit<WriteOptions, 'undoable' | 'onKept'> & {
      readonly scope?: string | undefined
      readonly changed?: RowChanged
    },
  ): Promise<T>
  close(): Promise<void>
}

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
  readonly logBytes: number
  /** Files of the memory that other users may read or write; `isFolder` one in which others may replace it. */
  readonly exposed: readonly { readonly path: string; readonly isFolder: boolean }[]
}

/** Repairs that `mend` made; all zero when there was nothing to do. */
export interface Repairs {
  readonly orphansRemoved: number
  readonly modesTightened: number
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
  mend(options: { readonly rows: boolean }): Promise<Repairs>
}

/** The memory's clock as the newest logged operation left it. */
export interface ClockReading {
  readonly hours: number
  /** Milliseconds since 1970 of that operation; undefined in an empty store. */
  readonly wallMs?: number
  /** The block whose words arrived last of all, and when, ISO-8601 UTC. */
  readonly newest?: { readonly id: string; readonly session: string; readonly at: string }
}

/** A block with what recall needs to rank it. Only an active block has an `index`, unless a reader of changes has it already. */
export interface IndexedBlock {
  readonly block: Block
  readonly index?: BlockIndex
  readonly indexUnchanged?: true
  /** The vectors of a block that waits, when they have been made; its words are not kept. */
  readonly vectors?: ContentVectors
}

/** All that was committed after a sequence number and matters to an index in memory. */
export interface Changes {
  readonly clock: ClockReading
  /** Pass it as `since` next time. */
  readonly sequence: number
  /** Grows when `since` does not tell what is different: another set of vectors is in use, or a block was removed (`removedSince`). */
  readonly generation: number
  /** Blocks changed after `since`, in the order of their change; for `since` 0 only those that wait or are active. */
  readonly blocks: readonly IndexedBlock[]
}

/** The numbers of rows by kind, as far as a view sees them. */
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

/** How many blocks a scope has. */
export interface ScopeCounts {
  readonly scope: string
  readonly inbox: number
  readonly active: number
  readonly archived: number
}

/** One line of what happened, for `history`, audit and undo. */
export type OperationRecord = RowOf<typeof operations> & {
  /** Id of the last entry of its transaction, when the changes of that one are kept for `revert`. */
  readonly kept?: number
  /** Of the newest entry of a run, where only that is asked for: how many the run has in the log. */
  readonly entries?: number
}

/** The entries of the log that are wanted, newest first unless said; an absent field allows all. */
export interface OperationFilter {
  readonly limit: number
  readonly blockId?: string
  /** Only the last entry of each transaction whose changes are kept and of which an entry names one of these blocks. */
  readonly changing?: readonly string[]
  readonly operation?: string
  readonly actor?: string
  readonly run?: string
  /** ISO-8601 UTC: not before. */
  readonly since?: string
  /** ISO-8601 UTC: before. */
  readonly until?: string
  /** Only entries with a smaller number: the last one of the page before. */
  readonly before?: number
  /** Only entries with a greater number, oldest first. */
  readonly after?: number
  /** Only those whose changes are kept. */
  readonly isKept?: true
  /** Of each dream, curation, import or batch only the newest entry, with `entries`. */
  readonly runs?: true
}

/** How well some blocks are joined, and where the corpus stands. */
export interface Strengths {
  /** The strongest blocks, strongest first; ties by id. */
  readonly strongest: readonly { readonly id: string; readonly strength: number }[]
  /** Strength of the block at the rank asked for; 0 when fewer blocks are joined. */
  readonly atRank: number
}

/** How many vectors recall uses and how much text they stand for. */
export interface VectorTotals {
  readonly blocks: number
  /** Code points of their contents. */
  readonly characters: number
  /** How many of them have none in the shadow set; absent when there is no shadow set. */
  readonly missing?: number
}

/** Two blocks that were joined or flagged and whose relation nobody has named yet; `from` < `to`; `cosine` of their contents, 0..1. */
export type UnlabelledPair = Omit<RowOf<typeof unlabelledPairs>, 'arrival' | 'scope'>

/** Filter of the active blocks that need a judgement. */
export interface PendingJudgementFilter {
  /** True: only blocks that an earlier dream could not have judged. */
  readonly pendingOnly: boolean
  /** ISO-8601 UTC; a block judged before it needs a new judgement. */
  readonly judgedBefore: string
  /** Categories and tags to leave out, literal; pending blocks are never left out. */
  readonly excludeCategories: readonly string[]
  readonly excludeTags: readonly string[]
  readonly limit: number
}

/** Numbers of active blocks that need a judgement. */
export interface JudgementCounts {
  /** Blocks that a dream could not have judged. */
  readonly pending: number
  /** Blocks never judged, the pending among them. */
  readonly unjudged: number
  /** Blocks judged before the time asked about. */
  readonly stale: number
}

/** The blocks that are meant; an absent field allows all. */
export interface BlockCondition {
  readonly status?: BlockStatus
  /** Literal tag, or a prefix ending in `*`. */
  readonly tag?: string
  readonly category?: string
  readonly session?: string
  /** Its own label, exactly. */
  readonly source?: string
  readonly sourceClass?: SourceClass
  /** By `decayTier`. */
  readonly tier?: DecayTier
  /** Each stands in the content, the cue or the summary, anywhere, in one of its spellings (`spellingsOf`). Cost: all texts. */
  readonly words?: readonly string[]
  /** ISO-8601 UTC: came not before. */
  readonly since?: string
  /** ISO-8601 UTC: came before. */
  readonly until?: string
  /** True: only blocks without any edge. */
  readonly isolated?: boolean
  /** True: only blocks of an open pair. */
  readonly undecided?: boolean
}

/**
 * - `recent`: last reinforced first, ties by id. `arrival`: oldest first.
 * - `newest`: last said first, ties by arrival.
 * - `proved`: by the mean of Beta(1 + successes, 1 + failures) less one standard deviation, greatest first. `doubted`: the
 *   same with successes and failures exchanged.
 * - `fading`: least fresh first at the filter's `hours`.
 * - `joined`: greatest strength first, blocks without edges last.
 *
 * Of equal ones in the last four the last arrived comes first. Cost of these: all blocks that the condition lets through.
 */
export type BlockOrder = 'recent' | 'arrival' | 'newest' | 'proved' | 'doubted' | 'fading' | 'joined'

/** The blocks that a page is to have. */
export interface BlockFilter extends BlockCondition {
  readonly order: BlockOrder
  /** The active hours at which `fading` compares; 0 when left out. A cursor has those of its first page. */
  readonly hours?: number
  readonly limit: number
  /** The `cursor` of the page before, in the same order; another is refused. */
  readonly cursor?: string
  /** So many blocks are passed over first, behind the cursor if there is one. */
  readonly offset?: number
  /** True: the answer says how many blocks the condition lets through. */
  readonly count?: boolean
  /** The answer says how they are spread, at most so many values of each facet. */
  readonly facets?: number
  /** Only these facets are counted, and the others come empty; all when left out. */
  readonly facetsOf?: readonly FacetName[]
}

/** One page of blocks, in the order that its filter asked for. */
export interface BlockPage {
  readonly blocks: readonly Block[]
  /** Present when there is more. */
  readonly cursor?: string
  /** Of all pages; only when it was asked for. */
  readonly total?: number
  /** Only when they were asked for. */
  readonly facets?: Facets
}

/** The numbers of blocks by value, the most frequent values first, ties in the order of the values. */
export interface Facet {
  readonly values: readonly { readonly value: string; readonly blocks: number }[]
  /** The number of different values. */
  readonly distinct: number
}

/** The facets of blocks. */
export const FACETS = ['tag', 'category', 'sourceClass', 'source', 'session', 'tier', 'status'] as const

/** The name of a facet. */
export type FacetName = (typeof FACETS)[number]

/** How the blocks that a condition lets through are spread; `status` counts as if no status were asked for. */
export type Facets = Readonly<Record<FacetName, Facet>>

/** Questions that a database answers in statements of its own. */
export interface Queries {
  /**
   * What was committed after a sequence number and matters to an index in memory. The index of an active block comes when its own
   * number is greater than `since`, a vector with it. One statement.
   */
  changes(since: number): Promise<Changes>
  /** Hands over all blocks that wait or are active in batches, in no order. Other work has its turn between two batches. */
  livingBlocks(visit: (batch: readonly IndexedBlock[]) => void): Promise<void>
  /** Adds one to the uses of active blocks and sets the hours of the last; returns their ids, in no order. */
  use(
    ids: readonly string[],
    change: { readonly hours: number; readonly sequence: number },
  ): Promise<string[]>
  /** Gives blocks the number of a change, which no undo looks at. */
  number(arrivals: readonly number[], sequence: number): Promise<void>
  /** Blocks whose text has one of these keys, in a scope, and that are not archived: by key, then oldest first. */
  blocksByText(keys: readonly (readonly [textKey: string, scope: string])[]): Promise<Block[]>
  /**
   * Blocks in the inbox or active that are to take the place (`supersedes`) of one of these, or of one that such blocks join with
   * them in either direction, oldest first. The chains are followed until they have `limit` blocks, the nearest first.
   */
  replacing(ids: readonly string[], limit: number): Promise<Block[]>
  /** For each prefix at most two ids that begin with it, whatever their status; an exact match alone. */
  idsByPrefix(prefixes: readonly string[]): Promise<Map<string, readonly string[]>>
  /** `INVALID_INPUT` for a cursor that no page returned. */
  page(filter: BlockFilter): Promise<BlockPage>
  /** The `limit` scopes with most blocks in the inbox or active, then by name. Cost: an index of all scoped blocks. */
  scopes(limit: number): Promise<ScopeCounts[]>
  /** Cost: all blocks. */
  counts(): Promise<Counts>
  /** What was done on each UTC day since one, days without anything left out. Cost: all blocks and all entries since then. */
  days(since: string): Promise<CountedDay[]>
  operations(filter: OperationFilter): Promise<OperationRecord[]>
  /** Removes all kept changes but the newest of so many bytes of JSON, in any scope; the newest entry whose changes went, or 0. */
  trimChanges(bytes: number): Promise<number>
  /**
   * Open pairs among the blocks and those that supersessions and near-duplicates join with them, directly or through others, in
   * (a, b) order. At most `limit` blocks are followed, the nearest first. Cost: their pairs.
   */
  groupedPairs(ids: readonly string[], limit: number): Promise<BlockPair[]>
  /** Of blocks that have edges: the sum of weight + 0.1·ln(1 + uses), each to nine decimals, and their number. One look a block. */
  strengths(
    ids: readonly string[],
  ): Promise<Map<string, { readonly strength: number; readonly degree: number }>>
  /** The `limit` strongest blocks, and the strength at the 1-based `rank`. Cost: an index as far as the rank. */
  strongest(limit: number, rank: number): Promise<Strengths>
  /** Blocks to judge: the pending first, then never judged, then judged longest ago; ties by arrival. */
  pendingJudgements(filter: PendingJudgementFilter): Promise<Block[]>
  judgementCounts(judgedBefore: string): Promise<JudgementCounts>
  /** Pairs of active blocks that wait for a label, oldest first. */
  unlabelledPairs(limit: number): Promise<UnlabelledPair[]>
  /** Of the whole store in a view, too. `settled`: how many of the vectors are of blocks that do not wait. Cost: all vectors. */
  vectorTotals(): Promise<VectorTotals & { readonly settled: number }>
  /** The first `limit` blocks that the shadow set lacks, by arrival, of the whole store in a view, too; none without a shadow set. */
  missingShadow(limit: number): Promise<Block[]>
}
