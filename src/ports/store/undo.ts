import type { Ends } from '../../domain/graph/edge.ts'

/** Of `meta` what the memory learned, under these keys or with a scope's name after them: it is taken back, too. */
export const STATE_KEYS = { echoes: 'echoes', policy: 'consolidation_policy_threshold' } as const

/** What a transaction that was taken back had been about. */
export interface Reverted {
  /** Blocks whose own fields, edges, pairs or lists are as they were. */
  readonly blockIds: readonly string[]
  /** Edges that are there again. */
  readonly edgesBack: readonly Ends[]
  /** Edges of use that stood where one had to come back. */
  readonly edgesDropped: readonly Ends[]
  /** True if vectors came back, which are of the model they were made with. */
  readonly vectorsBack: boolean
  /** True if words that stay as they are count again as those of somebody who is trusted more. */
  readonly trustBack: boolean
  /** True if tags of blocks that are there, or who counts as speaking in them, are what they were. */
  readonly standingBack: boolean
}

/** Which of the transactions whose changes are kept came later and still count. */
export interface Later {
  /** Only those of entries after this one. */
  readonly after: number
  /** None of these: taken back since, or what took them back. */
  readonly except: readonly number[]
}

/** An edge with the last entry of the transaction that changed it last. */
export interface TouchedEdge {
  readonly from: string
  readonly to: string
  readonly by: number
}

/**
 * Taking back what an undoable write changed.
 *
 * What must hold: of a write with `undoable` the store keeps, for as long as the last of its log entries is kept, what
 * every row it changed was before. Left out are log, sessions and of `meta` all but `STATE_KEYS`: clock, accounts and
 * locks are never set back.
 */
export interface UndoWriter {
  /**
   * Brings back what the transaction changed that `kept` of its entries names; undefined when nothing is kept for it, or
   * when not all of its entries are of the view's scope. What
   * was changed again since throws `CONFLICT`, with the `blockIds` it is about, and `changedBy` where it is known who did,
   * and the write must fail then. Being used is no such change: counts keep what came later, clocks that moved since stay,
   * and of `STATE_KEYS` and the lists of staged and unlabelled pairs only what is as it was left is set back. Nor is it one
   * that use joined a pair or made an edge give way: an edge that is gone stays away, one of use (`co_retrieval`) stays
   * where it is unless another has to come back there, and then it goes. Of use is what no later transaction changed.
   * A few statements, whatever was changed.
   *
   * @param except transactions that count as none when it is asked what later ones changed
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
