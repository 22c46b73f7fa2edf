import type { Block, BlockIndex, BlockStatus, ContentVectors, SourceClass } from '../block/block.ts'
import type { CountedDay, DreamRecord, TokenUsage } from '../engine/counts.ts'
import type { BlockPair } from '../graph/edge.ts'
import type { DecayTier } from '../outcome/formulas.ts'

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
export interface OperationRecord {
  readonly id: number
  readonly operation: string
  /** ISO-8601 UTC. */
  readonly at: string
  readonly hours: number
  /** `library`, `cli`, `mcp:<client>`, `dream`, `curate`, `auto`. */
  readonly actor: string
  readonly session?: string
  readonly blockIds: readonly string[]
  readonly summary: string
  readonly reason?: string
  /** State before the operation, when it changed or removed something. */
  readonly before?: unknown
  /** Model usage of the operation. */
  readonly tokens?: TokenUsage
  /** Run id of the dream or curation it was part of. */
  readonly run?: string
  /** Id of the last entry of its transaction, when the changes of that one are kept for `revert`. */
  readonly kept?: number
  /** Of the newest entry of a run, where only that is asked for: how many the run has in the log. */
  readonly entries?: number
  /** The scope of the view that logged it, or the one that all blocks it names in `blockIds` or `before` have in common. */
  readonly scope?: string
  /** Of a dream's own entry: what it came to. */
  readonly result?: DreamRecord
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

/** Two blocks that were joined or flagged and whose relation nobody has named yet; `from` < `to`. */
export interface UnlabelledPair {
  readonly from: string
  readonly to: string
  /** Of the two contents, 0..1. */
  readonly cosine: number
}

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
  /** The index of an active block comes when its own number is greater than `since`, a vector with it. */
  changes(since: number): Promise<Changes>
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
  replacing(ids: readonly string[], limit: number): Promise<Block[]>
  idsByPrefix(prefixes: readonly string[]): Promise<Map<string, readonly string[]>>
  /** `INVALID_INPUT` for a cursor that no page returned. */
  page(filter: BlockFilter): Promise<BlockPage>
  scopes(limit: number): Promise<ScopeCounts[]>
  counts(): Promise<Counts>
  days(since: string): Promise<CountedDay[]>
  operations(filter: OperationFilter): Promise<OperationRecord[]>
  /** Removes all kept changes but the newest of so many bytes of JSON, in any scope; the newest entry whose changes went, or 0. */
  trimChanges(bytes: number): Promise<number>
  groupedPairs(ids: readonly string[], limit: number): Promise<BlockPair[]>
  /** Of blocks that have edges: the sum of weight + 0.1·ln(1 + uses), each to nine decimals, and their number. */
  strengths(
    ids: readonly string[],
  ): Promise<Map<string, { readonly strength: number; readonly degree: number }>>
  strongest(limit: number, rank: number): Promise<Strengths>
  pendingJudgements(filter: PendingJudgementFilter): Promise<Block[]>
  judgementCounts(judgedBefore: string): Promise<JudgementCounts>
  unlabelledPairs(limit: number): Promise<UnlabelledPair[]>
  /** Of the whole store in a view, too. `settled`: how many of the vectors are of blocks that do not wait. */
  vectorTotals(): Promise<VectorTotals & { readonly settled: number }>
  /** Of the whole store in a view, too. */
  missingShadow(limit: number): Promise<Block[]>
}
