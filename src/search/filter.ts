import type { Block } from '../domain/block/block.ts'
import type { SourceClass } from '../domain/block/source-class.ts'
import { matchesTag } from '../domain/block/tags.ts'

/** Which blocks may appear. Absent = all. */
export interface Filter {
  /** At least one of these tags: literals, or prefixes ending in `*`. */
  readonly include?: readonly string[]
  /** At least one of these tags as well. */
  readonly tags?: readonly string[]
  /** None of these. */
  readonly exclude?: readonly string[]
  readonly category?: string
  readonly session?: string
  /** Only these. */
  readonly ids?: ReadonlySet<string>
  /** Only what one of these speaks in. */
  readonly classes?: readonly SourceClass[]
  /** Nothing that waits for a dream. */
  readonly active?: true
}

/** True if any of the tags fits any of the patterns. */
export function hasTag(tags: readonly string[], patterns: readonly string[]): boolean {
  return tags.some((tag) => patterns.some((pattern) => matchesTag(pattern, tag)))
}

/** True if a block with these tags may appear, as far as tags decide. */
export function passesTags(tags: readonly string[], { include, tags: wanted, exclude }: Filter): boolean {
  if (exclude && hasTag(tags, exclude)) return false
  if (include && !hasTag(tags, include)) return false
  return wanted === undefined || hasTag(tags, wanted)
}

export function passesFilter(
  block: Pick<Block, 'id' | 'tags' | 'category' | 'session' | 'sourceClass' | 'status'>,
  filter: Filter,
): boolean {
  const { category, session, classes, ids, active } = filter
  return (
    passesTags(block.tags, filter) &&
    (category === undefined || block.category === category) &&
    (session === undefined || block.session === session) &&
    (classes === undefined || classes.includes(block.sourceClass)) &&
    (ids === undefined || ids.has(block.id)) &&
    (active === undefined || block.status === 'active')
  )
}
