import type { Block } from '../block/block.ts'
import type { Told } from '../store/description.ts'

/** Keys of `meta` for what the memory learned, also with a scope's name after them; undo takes them back. */
export const STATE_KEYS = {
  echoes: 'echoes',
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
