import type { Filter } from '../../search/filter.ts'
import type { ResidentIndex } from '../../search/resident-index.ts'

/** The filters of a call that no block passes: each that fails alone, or all together. A pass over all blocks for each. */
export function unmatchedFilters(
  index: ResidentIndex,
  { tags, category, session }: Pick<Filter, 'tags' | 'category' | 'session'>,
): Filter[] {
  const given: Filter[] = [
    ...(tags && tags.length > 0 ? [{ tags }] : []),
    ...(category === undefined ? [] : [{ category }]),
    ...(session === undefined ? [] : [{ session }]),
  ]
  const isUnmatched = (filter: Filter) => index.likeliest(filter, 1, () => 0).length === 0
  const alone = given.filter(isUnmatched)
  return alone.length > 0 || given.length < 2
    ? alone
    : [Object.assign({}, ...given) as Filter].filter(isUnmatched)
}
