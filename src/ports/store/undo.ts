import type { Ends } from '../../domain/graph/edge.ts'
import type { Told } from './description.ts'

/** Keys of `meta` for what the memory learned, also with a scope's name after them; undo takes them back. */
export const STATE_KEYS = {
  echoes: 'echoes',
  proof: 'learning_proof',
} as const

/** Result of taking a transaction back. */
export interface Reverted {
  /** Blocks whose own fields, edges, pairs or lists are again as they were. */
  readonly blockIds: readonly string[]
  /** Edges that came back. */
  readonly edgesBack: readonly Ends[]
  /** Edges of use that were removed, because another had to come back in their place. */
  readonly edgesDropped: readonly Ends[]
  /** True if vectors came back, made by the model of their time. */
  readonly vectorsBack: boolean
  /** True if texts that stay as they are count again as those of somebody who is trusted more. */
  readonly trustBack: boolean
  /** True if tags of blocks that are there, or who counts as speaking in them, are again as they were. */
  readonly standingBack: boolean
}

/** One value that a transaction changed, under its name in the domain; `before` or `after` is absent where there was none. */
export interface KeptChange {
  readonly of: Told['of']
  /** The block, the two ends of an edge or pair, or space, namespace and key of an item. */
  readonly names: readonly string[]
  readonly field: string
  readonly before?: unknown
  readonly after?: unknown
}

/** Looking at what is kept for undo. */
export interface UndoReader {
  /**
   * The changes of the transaction whose entries say `kept`, without indexes, vectors and what use counts; undefined if nothing is
   * kept. Of what it made the values are those it gave, as far as the changes since tell. A view gets what its scope sees.
   */
  keptChanges(kept: number): Promise<readonly KeptChange[] | undefined>
  /**
   * Those of the transactions whose entries say `kept` that logged something outside the view, too, so that it takes them back
   * no more than half. None in the whole store, without a statement.
   */
  sharedChanges(kept: readonly number[]): Promise<readonly number[]>
}

/** Filter of later transactions whose changes are kept and still count. */
export interface Later {
  /** Only those of entries after this id. */
  readonly after: number
  /** None of these ids: taken back since, or what took them back. */
  readonly except: readonly number[]
}

/** An edge with the last entry of the transaction that changed it last. */
export interface TouchedEdge {
  readonly from: string
  readonly to: string
  readonly by: number
}

/**
 * Undo of what an undoable write changed.
 *
 * What must hold: for a write with `undoable` the store keeps the former state of every row it changed, as
 * long as the last of its log entries is kept. Left out are the log, sessions and, except `STATE_KEYS`,
 * `meta`: clock, accounts and locks are never set back.
 */
export interface UndoWriter {
  /**
   * Takes back the changes of the transaction whose entries say `kept`. Returns undefined if nothing is kept
   * for it, or if some of its entries are outside the view's scope. If something was changed again since, it
   * throws `CONFLICT` with the `blockIds` and, where known, `changedBy`; the write must then fail. Use is no
   * such change: counts keep what came later, clocks that moved since stay, and `STATE_KEYS` and the lists of
   * staged and unlabelled pairs are set back only where they are as they were left. Nor is it a change if use
   * joined a pair or evicted an edge: an edge that is gone stays away, and an edge of use (`co_retrieval`)
   * stays unless another must come back in its place. What no later transaction changed counts as use.
   * Cost: a few statements, whatever was changed.
   *
   * @param except transactions that do not count as later ones that changed something
   */
  revert(kept: number, except?: readonly number[]): Promise<Reverted | undefined>
  /** Which of the edges (ends in canonical order) later transactions changed. Reads all that is kept of them. */
  touchedEdges(edges: readonly Ends[], later: Later): Promise<TouchedEdge[]>
  /**
   * Keeps as many of the newest changes as fit into so many bytes and drops all that are older, whichever scope they are
   * of. Returns the newest entry whose changes went, 0 when none did. A walk over what is kept.
   */
  trimChanges(bytes: number): Promise<number>
}
