import type { Block } from '../../block/block.ts'
import type { Mutation } from '../../engine/engine.ts'
import { CONTRADICTS, orderedPair } from '../../graph/edge.ts'
import { goOn } from '../../intake/supersede.ts'
import { saveBlocks } from '../../store/blocks.ts'
import {
  readLinks,
  removeEdges,
  removePendingConnections,
  removeUnlabelled,
  savePendingConnections,
} from '../../store/graph.ts'
import type { Transaction } from '../../store/transaction.ts'
import type { ResolveResult } from './keep-one.ts'

/** Lets two blocks stand beside each other: neither takes the place of the other, and nothing says that they contradict. */
export async function keepBoth(
  { tx, log }: Mutation,
  blocks: readonly [Block, Block],
  { isRepeated }: { readonly isRepeated: boolean },
): Promise<ResolveResult> {
  const kept = blocks.map(({ id }) => id)
  const newer = blocks.find(({ supersedes }) => supersedes !== undefined && kept.includes(supersedes))
  if (newer?.supersedes !== undefined) {
    const { supersedes, ...alone } = newer
    await goOn(tx, supersedes)
    await saveBlocks(tx, [alone])
  }
  const isEnded = await endContradiction(tx, blocks)
  // A model that is asked how they relate might say that they contradict, and open again what was decided.
  await removeUnlabelled(tx, [orderedPair(blocks[0].id, blocks[1].id)])
  const wasNoted = isRepeated && !isEnded && newer === undefined
  await log({
    operation: 'resolve',
    blockIds: kept,
    summary: `both stay${isEnded ? ', and the edge that said they contradict is gone' : ''}${wasNoted ? ', as was noted' : ''}`,
  })
  return {
    kept,
    ...(isEnded ? { endedContradiction: true as const } : {}),
    ...(wasNoted ? { wasNoted: true as const } : {}),
  }
}

/** Removes the edge by which each of two blocks is a counterpoint of the other, and one that waits for room. Four statements at most. */
async function endContradiction(tx: Transaction, [a, b]: readonly [Block, Block]): Promise<boolean> {
  const ends = orderedPair(a.id, b.id)
  const { edges } = await readLinks(tx, [a.id])
  const isBetween = ({ from, to }: { readonly from: string; readonly to: string }) =>
    from === ends[0] && to === ends[1]
  const edge = edges.find((each) => isBetween(each) && each.relation === CONTRADICTS)
  if (edge !== undefined) await removeEdges(tx, [ends])
  const waiting = await removePendingConnections(tx, [ends])
  const others = waiting.filter(({ relation }) => relation !== CONTRADICTS)
  if (others.length > 0) await savePendingConnections(tx, others)
  return edge !== undefined || others.length < waiting.length
}
