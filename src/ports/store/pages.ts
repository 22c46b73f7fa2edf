import type { Block, BlockStatus } from '../../domain/block/block.ts'
import type { SourceClass } from '../../domain/block/source-class.ts'
import type { DecayTier } from '../../domain/score/formulas.ts'

/** The blocks that are meant; an absent field allows all. */
export interface BlockCondition {
  readonly status?: BlockStatus
  /** Literal tag, or a prefix ending in `*`. */
  readonly tag?: string
  readonly category?: string
  readonly session?: string
  /** Its own label, exactly. */
  readonly source?: string
  readonly sourceClass?: SourceClass
  /** By `decayTier`. */
  readonly tier?: DecayTier
  /** Each stands in the content, the cue or the summary, anywhere, in one of its spellings (`spellingsOf`). Cost: all texts. */
  readonly words?: readonly string[]
  /** ISO-8601 UTC: came not before. */
  readonly since?: string
  /** ISO-8601 UTC: came before. */
  readonly until?: string
  /** True: only blocks without any edge. */
  readonly isolated?: boolean
  /** True: only blocks of an open pair. */
  readonly undecided?: boolean
}

/**
 * - `recent`: last reinforced first, ties by id. `arrival`: oldest first.
 * - `newest`: last said first, ties by arrival.
 * - `proved`: by the mean of Beta(1 + successes, 1 + failures) less one standard deviation, greatest first. `doubted`: the
 *   same with successes and failures exchanged.
 * - `fading`: least fresh first at the filter's `hours`.
 * - `joined`: greatest strength first, blocks without edges last.
 *
 * Of equal ones in the last four the last arrived comes first. Cost of these: all blocks that the condition lets through.
 */
export type BlockOrder = 'recent' | 'arrival' | 'newest' | 'proved' | 'doubted' | 'fading' | 'joined'

/** The blocks that a page is to have. */
export interface BlockFilter extends BlockCondition {
  readonly order: BlockOrder
  /** The active hours at which `fading` compares; 0 when left out. A cursor has those of its first page. */
  readonly hours?: number
  readonly limit: number
  /** The `cursor` of the page before, in the same order; another is refused. */
  readonly cursor?: string
  /** So many blocks are passed over first, behind the cursor if there is one. */
  readonly offset?: number
  /** True: the answer says how many blocks the condition lets through. */
  readonly count?: boolean
  /** The answer says how they are spread, at most so many values of each facet. */
  readonly facets?: number
  /** Only these facets are counted, and the others come empty; all when left out. */
  readonly facetsOf?: readonly FacetName[]
}

/** One page of blocks, in the order that its filter asked for. */
export interface BlockPage {
  readonly blocks: readonly Block[]
  /** Present when there is more. */
  readonly cursor?: string
  /** Of all pages; only when it was asked for. */
  readonly total?: number
  /** Only when they were asked for. */
  readonly facets?: Facets
}

/** How many blocks have a value, the most frequent values first, ties in the order of the values. */
export interface Facet {
  readonly values: readonly { readonly value: string; readonly blocks: number }[]
  /** How many different values there are. */
  readonly distinct: number
}

/** The facets of blocks. */
export const FACETS = ['tag', 'category', 'sourceClass', 'source', 'session', 'tier', 'status'] as const

/** The name of a facet. */
export type FacetName = (typeof FACETS)[number]

/** How the blocks that a condition lets through are spread; `status` counts as if no status were asked for. */
export type Facets = Readonly<Record<FacetName, Facet>>

/** When a block came, held and went, and what took its place. */
export type DatedBlock = Pick<
  Block,
  | 'id'
  | 'status'
  | 'sourceClass'
  | 'createdAt'
  | 'occurredAt'
  | 'validFrom'
  | 'validUntil'
  | 'supersededAt'
  | 'archivedAt'
  | 'archiveReason'
  | 'supersededBy'
  | 'supersedes'
>
