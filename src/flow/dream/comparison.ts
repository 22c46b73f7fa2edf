import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block/block.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import { duplicateVerdict } from '../../domain/similarity/duplicate.ts'
import { factsOf, sameFacts } from '../../domain/similarity/facts.ts'
import { stemOf } from '../../search/analyse.ts'
import { NEIGHBOURS, type Near } from './neighbours.ts'

/** An active block near a new one. */
export interface Neighbour {
  readonly block: Block
  /** Of the two contents. */
  readonly cosine: number
}

/** The comparison of a new block with its neighbours: a duplicate, or near-duplicates. */
export interface Comparison {
  /** States the same; the new block is not needed. */
  readonly duplicateOf?: Neighbour
  /** Close, but perhaps another fact: both stay, flagged. */
  readonly near: readonly Neighbour[]
}

/** Returns the most similar active blocks near another, as they are by now, in the order given. */
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
 * Returns the known block that a new one repeats, or its near-duplicates. A high cosine alone never rejects:
 * numbers, names, negations and content words must agree as well. Neighbours come most similar first.
 */
export function compare(block: Block, neighbours: readonly Neighbour[], { memory }: Settings): Comparison {
  if (block.category === NEVER_DUPLICATE) return { near: [] }
  const thresholds = { exact: memory.duplicateCosine, near: memory.nearDuplicateCosine }
  const near: Neighbour[] = []
  const close = neighbours.filter(({ cosine }) => cosine >= thresholds.near)
  const facts = close.length > 0 ? factsOf(block.content, stemOf) : undefined
  for (const neighbour of close) {
    const same = facts !== undefined && sameFacts(facts, factsOf(neighbour.block.content, stemOf))
    const verdict = duplicateVerdict({ cosine: neighbour.cosine, sameFacts: same }, thresholds)
    if (verdict === 'duplicate' && mayStandFor(neighbour.block, block))
      return { duplicateOf: neighbour, near: [] }
    if (verdict !== 'distinct') near.push(neighbour)
  }
  return { near }
}

/** The words of others do not take the place of the agent's own, even when they say the same. */
function mayStandFor(known: Block, block: Block): boolean {
  return isOwn(known) || !isOwn(block)
}
