import type { Filter } from './filter.ts'
import type { ResidentIndex } from './resident-index.ts'

/** Filters of a call that no block of a frame passes. */
export interface Unmatched {
  readonly filters: readonly Filter[]
  /** Blocks of the frame without them. */
  readonly without: number
}

/**
 * The filters of a call that no block passes: each that fails alone, or all together; undefined when none fails. A pass over
 * all blocks for each.
 *
 * @param ofFrame what the frame itself asks of its blocks
 */
export function unmatchedFilters(
  index: ResidentIndex,
  { tags, category, session }: Pick<Filter, 'tags' | 'category' | 'session'>,
  ofFrame: Filter,
): Unmatched | undefined {
  const given: Filter[] = [
    ...(tags && tags.length > 0 ? [{ tags }] : []),
    ...(category === undefined ? [] : [{ category }]),
    ...(session === undefined ? [] : [{ session }]),
  ]
  const isUnmatched = (filter: Filter) => index.countPassing({ ...ofFrame, ...filter }) === 0
  const alone = given.filter(isUnmatched)
  const filters = alone.length > 0 ? alone : [Object.assign({}, ...given) as Filter].filter(isUnmatched)
  return given.length === 0 || filters.length === 0
    ? undefined
    : { filters, without: index.countPassing(ofFrame) }
}
