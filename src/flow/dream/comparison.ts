import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import { NEIGHBOURS, type Near } from './neighbours.ts'

/** An active block near a new one. */
export interface Neighbour {
  readonly block: Block
  /** Of the two contents. */
  readonly cosine: number
}

/** The comparison of a new block with its neighbours. */
export interface Comparison {
  /** States the same; the new block is not needed. */
  readonly duplicateOf?: Neighbour
  /** Close, but perhaps another fact: both stay, flagged. */
  readonly near: readonly Neighbour[]
}

/** The likest active ones among the blocks near another, as they are by now; likest first as given. */
export function activeNeighbours(near: readonly Near[], blocks: ReadonlyMap<string, Block>): Neighbour[] {
  const active = near.flatMap(({ id, cosine }) => {
    const block = blocks.get(id)
    return block?.status === 'active' ? [{ block, cosine }] : []
  })
  return active.slice(0, NEIGHBOURS)
}

/** Messages repeat themselves and mean it. */
const NEVER_DUPLICATE = 'message'

/**
 * Compares a new block with its neighbours: one that says the same makes it needless; one that is merely close is
 * flagged, and both stay. Neighbours come most similar first.
 */
export function compare(block: Block, neighbours: readonly Neighbour[], { memory }: Settings): Comparison {
  if (block.category === NEVER_DUPLICATE) return { near: [] }
  const near = neighbours.filter(({ cosine }) => cosine >= memory.nearDuplicateCosine)
  const duplicateOf = near.find(
    // Even when they say the same, words do not take the place of those of somebody trusted more.
    ({ block: known }) =>
      isSameText(known.content, block.content) && !isLessTrusted(known.sourceClass, block.sourceClass),
  )
  return duplicateOf ? { duplicateOf, near: [] } : { near }
}
