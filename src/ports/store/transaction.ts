import type { CountedDay, DayCounts, DreamRecord, TokenUsage } from '../../domain/advice/counts.ts'
import type { Block, BlockIndex, BlockStatus, ContentVectors, Occurrence } from '../../domain/block/block.ts'
import type { Removed } from '../../domain/block/removals.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import type { EvidenceReader, EvidenceWriter, OutcomeRecord, QueuedOutcome } from './evidence.ts'
import type { GraphReader, GraphWriter } from './graph.ts'
import type { GroundsReader, GroundsWriter } from './grounds.ts'
import type { ItemsReader, ItemsWriter } from './items.ts'
import type { DecisionsReader, DecisionsWriter, JudgingReader, JudgingWriter } from './judging.ts'
import type { BlockFilter, BlockPage, DatedBlock } from './pages.ts'
import type { UndoReader, UndoWriter } from './undo.ts'
import type { ShadowReader, ShadowWriter, WaitingVectorWriter } from './vectors.ts'

export type { OutcomeRecord, QueuedOutcome } from './evidence.ts'
export type { EdgeNote, EdgeWithDecay, Links, Strengths } from './graph.ts'
export type { BlockFilter, BlockPage, DatedBlock } from './pages.ts'

/** The memory's clock as the newest logged operation left it. */
export interface ClockReading {
  readonly hours: number
  /** Milliseconds since 1970 of that operation; undefined in an empty store. */
  readonly wallMs?: number
  readonly newest?: NewestWords
}

/** The block whose words arrived last of all, and when, ISO-8601 UTC. */
export interface NewestWords {
  readonly id: string
  readonly session: string
  readonly at: string
}

/**
 * A block with what recall needs to rank it. Archived and inbox rows come without `index`, and so do blocks
 * whose index a reader of changes already has; these have `indexUnchanged`.
 */
export interface IndexedBlock {
  readonly block: Block
  readonly index?: BlockIndex
  readonly indexUnchanged?: true
  /** Of a block that waits, when it has been made; its words are not kept, whoever reads it analyses them. */
  readonly vectors?: ContentVectors
}

/** All that was committed after a sequence number and matters to an index in memory. */
export interface Changes {
  readonly clock: ClockReading
  /** Pass it as `since` next time. */
  readonly sequence: number
  /** Grows when `since` does not tell what is different: another set of vectors is in use, or a block was removed (`removedSince`). */
  readonly generation: number
  /**
   * Blocks changed after `since`, in the order of their change. For `since` 0 only those that wait or are active; later
   * also those that were archived. Only changes that matter to finding and ranking count: status, content, tags,
   * category, cue, source, index, evidence, decay, reinforcement.
   */
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
  /**
   * The scope of the view that logged it; of one logged in the whole store the scope that all blocks it names, in
   * `blockIds` or anywhere in `before`, have in common, if there is one.
   */
  readonly scope?: string
  /** Of a dream's own entry: what it came to. */
  readonly result?: DreamRecord
}

/** Argument of `log`: an operation record without the fields the store sets. */
export interface NewOperation extends Omit<OperationRecord, 'id' | 'scope' | 'kept' | 'entries'> {
  /** Its counts for its day (`days`), besides the blocks that the transaction inserted or archived before. */
  readonly counts?: Partial<DayCounts>
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

/** A session; one without `endedAt` was not ended, and `startHours` are active hours. */
export interface SessionRecord {
  readonly id: string
  readonly taskType: string
  /** ISO-8601 UTC. */
  readonly startedAt: string
  readonly endedAt?: string
  readonly startHours: number
}

/** The edges and open pairs an archived block had; `restore` puts them back. */
export interface ArchivedEdges {
  readonly blockId: string
  readonly previousStatus: BlockStatus
  readonly edges: readonly Edge[]
  readonly pairs: readonly BlockPair[]
}

/** The fields that decide if `curate` archives a block. */
export interface BlockVitality {
  /** Its number in the order of arrival. */
  readonly arrival: number
  readonly id: string
  readonly decayLambda: number
  readonly lastReinforcedAt: number
  readonly degree: number
}

/** A text and the scope it is said in, if any. */
export type SaidText = Pick<Block, 'content' | 'scope'>

/** Queries in one transaction; all see the same state. */
export interface StoreReader
  extends DecisionsReader,
    EvidenceReader,
    GraphReader,
    GroundsReader,
    ItemsReader,
    JudgingReader,
    ShadowReader,
    UndoReader {
  clock(): Promise<ClockReading>
  changes(since: number): Promise<Changes>
  /**
   * The blocks whose removal made the generations after this one, of whatever scope. Undefined when something else made one
   * of them, or the removal is too long ago: then `livingBlocks` has to be read.
   */
  removedSince(generation: number): Promise<Removed | undefined>
  /** The newest sequence number, as `changes` would give it. */
  sequence(): Promise<number>
  /**
   * Hands over all blocks that wait or are active in batches, in no order, so that a first reading never holds them all. Others have
   * their turns between two batches.
   */
  livingBlocks(visit: (batch: readonly IndexedBlock[]) => void): Promise<void>
  /** In the order of the ids. */
  blocks(ids: readonly string[]): Promise<Block[]>
  /** The times at which the texts of blocks were said again, oldest first. Cost: the rows of these blocks. */
  occurrencesOf(ids: readonly string[]): Promise<Occurrence[]>
  /** In the inbox or active and the same text in the same scope (`same-text.ts`), by text, then oldest first. */
  sameTexts(texts: readonly SaidText[]): Promise<Block[]>
  /**
   * In the inbox or active and to take the place (`supersedes`) of one of these, or of one that such blocks join with them
   * in either direction, oldest first. The chains are followed, the nearest first, until they have `limit` blocks with these.
   */
  replacing(ids: readonly string[], limit: number): Promise<Block[]>
  /** The vectors of contents, where there are any. */
  vectors(ids: readonly string[]): Promise<Map<string, ContentVectors>>
  /** For each prefix at most two ids that begin with it, whatever their status, exact match alone. */
  idsByPrefix(prefixes: readonly string[]): Promise<Map<string, readonly string[]>>
  page(filter: BlockFilter): Promise<BlockPage>
  /** At most `limit` different tags in one scope, or without any, in string order; one look into an index for each. */
  tagsIn(scope: string | undefined, limit: number): Promise<string[]>
  /** The scopes with most blocks in the inbox or active, then by name; at most `limit`. Walks an index of all scoped blocks. */
  scopes(limit: number): Promise<ScopeCounts[]>
  /** Blocks in the inbox; cheap at any size, unlike `counts`. */
  waiting(): Promise<number>
  counts(): Promise<Counts>
  /** Newest first. */
  operations(filter: OperationFilter): Promise<OperationRecord[]>
  /** Newest first, at most `limit`. */
  outcomes(blockId: string, limit: number): Promise<OutcomeRecord[]>
  meta(key: string): Promise<string | undefined>
  session(id: string): Promise<SessionRecord | undefined>
  /** The session begun last and not ended, if any. */
  latestOpenSession(): Promise<SessionRecord | undefined>
  /** Blocks after `afterId` in id order, whatever their status. */
  datedPage(afterId: string, limit: number): Promise<DatedBlock[]>
  /** When the oldest entry of the log was written, ISO-8601 UTC; undefined of an empty one. */
  oldestLogged(): Promise<string | undefined>
  /** Numbers of the entries beyond the newest `keep` with kept changes, of `keep` others and the newest of all; ascending. */
  loggedBeyond(keep: number): Promise<number[]>
  /** The counts of days, whether the log still says so or not; days on which nothing was are left out. One statement. */
  days(wanted: readonly string[]): Promise<CountedDay[]>
  /** Active blocks after one in the order of arrival, for curation's walk; 0 for the first. */
  vitalityPage(after: number, limit: number): Promise<BlockVitality[]>
}

/** Argument of `insertBlock`: the store sets the place in the session, a view of a scope the scope. */
export type NewBlock = Omit<Block, 'position'>

/** The block as it is stored now; one whose id was there already is left as it is, `inserted` false. */
export interface InsertedBlock {
  readonly inserted: boolean
  readonly block: Block
}

/** Changes in one write transaction; its queries see them at once. */
export interface StoreWriter
  extends StoreReader,
    DecisionsWriter,
    EvidenceWriter,
    GraphWriter,
    GroundsWriter,
    ItemsWriter,
    JudgingWriter,
    ShadowWriter,
    WaitingVectorWriter,
    UndoWriter {
  /**
   * Inserts at the end of its session, unless the id exists; sessions of the same name in two scopes are two. When the id
   * is a block's of another scope, `INVALID_INPUT`.
   */
  insertBlock(block: NewBlock): Promise<InsertedBlock>
  /** The same one after the other, in the order given; as a change they are one. */
  insertBlocks(blocks: readonly NewBlock[]): Promise<InsertedBlock[]>
  /** Overwrites all fields and tags of existing blocks, except the scope, which a block keeps for life. */
  saveBlocks(blocks: readonly Block[]): Promise<void>
  /** Adds occurrences of existing blocks. Whoever does so saves the block as they date it (`lastAt`, `lastToldAt`). */
  saveOccurrences(occurrences: readonly Occurrence[]): Promise<void>
  /** Inserts or replaces the index entries that recall ranks by. */
  saveIndex(entries: readonly BlockIndex[]): Promise<void>
  /** count + 1 and clock = hours, for active blocks only; returns the ids it applied to. */
  reinforceBlocks(ids: readonly string[], hours: number): Promise<string[]>
  /** Keeps of every block named the newest `keep` and removes its older ones. */
  appendOutcomes(records: readonly OutcomeRecord[], keep: number): Promise<void>
  /** The same for outcomes that wait in a queue. */
  queueOutcomes(outcomes: readonly QueuedOutcome[], keep: number): Promise<void>
  /** Removes and returns what was queued for the blocks, oldest first. */
  takeQueuedOutcomes(blockIds: readonly string[]): Promise<QueuedOutcome[]>
  /** Archives all edges and open pairs, across scopes, for `takeArchivedEdges`; drops staged and pending. */
  archiveEdgesOf(
    blocks: readonly { readonly id: string; readonly previousStatus: BlockStatus }[],
  ): Promise<void>
  /** Removes and returns a block's archived edges and pairs; those a view does not see are removed only. */
  takeArchivedEdges(blockId: string): Promise<ArchivedEdges | undefined>
  /** Adds edges to those archived with their ends, so that they come back with the last of them. */
  addArchivedEdges(edges: readonly Edge[]): Promise<void>
  /**
   * Appends to the operations log; the newest entry is the memory's clock, whose hours never fall. What the entry counts for,
   * and what the transaction inserted and archived since the entry before, is added to the day (`days`).
   */
  log(record: NewOperation): Promise<number>
  /** The same for many, in their order. */
  logAll(records: readonly NewOperation[]): Promise<void>
  /** Removes entries of the log by their ascending numbers; returns how many were there. The newest of all must stay. */
  removeLogged(ids: readonly number[]): Promise<number>
  /** Removes all but the newest `keep` sessions, ended or not, at most `most`; the open one begun last stays, too. */
  trimSessions(keep: number, most: number): Promise<number>
  saveMeta(key: string, value: string): Promise<void>
  saveSession(session: SessionRecord): Promise<void>
}
