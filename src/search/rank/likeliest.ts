import type { Filter } from '../filter.ts'
import type { BlockColumns, Vitals } from '../index/block-columns.ts'
import { Top } from './top.ts'

/**
 * Of the blocks that pass the `count` with the greatest score, best first; all of them when there are no more.
 * Cost: two passes.
 *
 * @param scoreOf is told how often the most reinforced of them was
 * @returns their slots
 */
export function likeliestSlots(
  blocks: BlockColumns,
  { filter, count }: { readonly filter: Filter; readonly count: number },
  scoreOf: (vitals: Vitals, mostReinforced: number) => number,
): readonly number[] {
  const passes = blocks.passing(filter)
  const slots: number[] = []
  let mostReinforced = 0
  for (let slot = 0; slot < blocks.end; slot++) {
    if (!passes(slot)) continue
    slots.push(slot)
    mostReinforced = Math.max(mostReinforced, blocks.reinforcementsOf(slot))
  }
  const top = new Top(count, blocks.precedes)
  for (const slot of slots) {
    const score = Math.fround(scoreOf(blocks.vitalsOf(slot), mostReinforced))
    if (score >= top.least && top.wants(slot, score)) top.take(slot, score)
  }
  return top.slots
}
