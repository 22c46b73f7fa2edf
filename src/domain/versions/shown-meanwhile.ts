import type { Block } from '../block/block.ts'
import type { BlockPair } from '../graph/edge.ts'
import { countsAt, groupVersions, tieOf } from './told.ts'

/**
 * Returns the ids of those blocks of an open pair that recall shows as entries until somebody decides: only a told version stands
 * under the other.
 *
 * @param at ISO-8601 UTC
 */
export function shownMeanwhile(pair: BlockPair, blocks: readonly Block[], at: string): ReadonlySet<string> {
  const living = blocks.filter(({ status }) => status !== 'archived')
  const byId = new Map(living.map((block) => [block.id, block]))
  const tie = tieOf(pair, byId)
  const { headOf } = groupVersions(living, tie !== undefined && countsAt(at, tie, byId) ? [tie] : [])
  return new Set(living.flatMap(({ id }) => (headOf(id) === id ? [id] : [])))
}
