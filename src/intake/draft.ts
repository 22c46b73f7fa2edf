import type { Block, Occurrence } from '../block/block.ts'
import type { SourceClass } from '../block/source-class.ts'

/** A text to be remembered with its fields; checked, tags and category in their one spelling. */
export interface Draft {
  readonly content: string
  readonly tags: readonly string[]
  readonly category: string
  readonly cue?: string
  readonly source?: string
  readonly sourceClass: SourceClass
  /** The running session when left out. */
  readonly session?: string
  /** ISO-8601 UTC; now when left out. */
  readonly occurredAt?: string
  /** When it holds, as it was given, ISO-8601 UTC; what was not is read from its text. */
  readonly validFrom?: string
  readonly validUntil?: string
  /** Id of the block whose place it is to take. */
  readonly supersedes?: string
  /** The id it had in another program; it keeps it where that is free. */
  readonly id?: string
  /** Evidence that it brings along, as in a block; none unless given. */
  readonly evidence?: Pick<Block, 'successes' | 'failures'>
  /** It may hold a frame and words besides. */
  readonly keepFrame?: true
  /** If a block says the same already, this is another occurrence of its text. */
  readonly occurs?: true
  /** It only says again what a recall has just shown. */
  readonly isEcho?: true
  /** An explicit trusted act: may also change a principle that says the same. */
  readonly trusted?: boolean
  /** It says who the agent is, and becomes no part of a less trusted block that says the same. */
  readonly insists?: true
}

/** Where a draft ended up: in a block of its own, or in one that says the same already. */
export interface Admitted {
  readonly block: Block
  readonly created: boolean
  /** Tags a block that was already there gained. */
  readonly mergedTags: readonly string[]
  /** The cue replaced that of a block that was already there. */
  readonly mergedCue: boolean
  /** When a block that was already there holds was said anew. */
  readonly mergedValidity?: true
  /** Other dates were given for words that are trusted more, and were not taken. */
  readonly refusedValidity?: true
  /** The class a block that was there had before the owner said the same. */
  readonly raisedFrom?: SourceClass
  /** The block as it was, when it was changed. */
  readonly before?: Block
  /** The text was said again, which `saidAgain` has yet to keep. */
  readonly occurrence?: Occurrence
  /** The living block that stands over it, of one that was archived and is back. */
  readonly over?: Block
}
