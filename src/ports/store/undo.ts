import type { Block } from '../../domain/block/block.ts'
import type { Told } from './description.ts'

/** Keys of `meta` for what the memory learned, also with a scope's name after them; undo takes them back. */
export const STATE_KEYS = {
  echoes: 'echoes',
  policy: 'consolidation_policy_threshold',
  proof: 'learning_proof',
} as const

/** Result of taking a transaction back. */
export interface Reverted {
  /** Blocks whose own fields, edges, pairs or lists are again as they were. */
  readonly blockIds: readonly string[]
  /** The blocks that changed or went, as they were until now. */
  readonly were: readonly Block[]
  /** True if vectors came back, made by the model of their time. */
  readonly vectorsBack: boolean
}

/** How a transaction is taken back. */
export interface Reverting {
  /** Transactions that are not named as being in the way: taken back since, or what took them back. */
  readonly except?: readonly number[]
  /** Edges come back only if no block has more of them then; without it any number. */
  readonly edgeDegreeCap?: number
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
   * The changes of the transaction whose entries say `kept`, without indexes, vectors and what use counts, in the values of
   * that time; undefined if nothing is kept, or if the view does not see all of it.
   */
  keptChanges(kept: number): Promise<readonly KeptChange[] | undefined>
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
   * throws `CONFLICT` with the `blockIds` and `changedBy`, the newest later transaction that did; the write must then fail.
   * Without `changedBy` use did, or a write of which nothing is kept. The same if edges came back where the cap does not
   * allow them (`isFull`), or stand at a block that is archived again. Counts of use keep what came later, clocks that
   * moved since stay, and `STATE_KEYS` and the lists of staged and unlabelled pairs are set back only where they are as they
   * were left. Cost: a few statements, whatever was changed; a look through all later changes before it throws.
   */
  revert(kept: number, options?: Reverting): Promise<Reverted | undefined>
  /**
   * Keeps as many of the newest changes as fit into so many bytes and drops all that are older, whichever scope they are
   * of. Returns the newest entry whose changes went, 0 when none did. A walk over what is kept.
   */
  trimChanges(bytes: number): Promise<number>
}
