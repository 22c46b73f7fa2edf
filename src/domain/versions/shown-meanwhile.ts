import type { Block } from '../block/block.ts'
import type { BlockPair } from '../graph/edge.ts'
import { countsAt, tieOf } from './tie.ts'
import { versionsAmong } from './versions.ts'

/** Settings of recall that decide what stands under what. */
interface Grouping {
  readonly groupVersions: boolean
}

/**
 * Ids of those blocks of an open pair that recall shows as entries until somebody decides, as far as the pair says: the other one
 * stands under it. By the rules of recall itself, for a question that names the same of both.
 *
 * @param at ISO-8601 UTC
 */
export function shownMeanwhile(
  pair: BlockPair,
  blocks: readonly Block[],
  at: string,
  { groupVersions }: Grouping,
): ReadonlySet<string> {
  const living = blocks.filter(({ status }) => status !== 'archived')
  const byId = new Map(living.map((block) => [block.id, block]))
  const tie = tieOf(pair, byId)
  const counts = (groupVersions || tie.kind !== 'near_duplicate') && countsAt(at, tie, byId)
  const { headOf } = versionsAmong(living, { ties: counts ? [tie] : [], namedIn: () => [] })
  return new Set(living.flatMap(({ id }) => (headOf(id) === id ? [id] : [])))
}
