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
