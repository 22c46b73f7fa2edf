import type { Block } from '../../domain/block/block.ts'
import { isOwn, mayCover, type SourceClass } from '../../domain/block/source-class.ts'
import { isFaithful } from '../../domain/block/summary.ts'
import {
  CONSTITUTIONAL_TAG,
  grantableByModel,
  grantableTags,
  isIdentityTag,
  normaliseTags,
} from '../../domain/block/tags.ts'
import { stripInvisible } from '../../domain/safety/visible.ts'

/** The analysis of a block by a model, or by the host agent in its place. */
export interface HostAnalysis {
  /** How strongly the block expresses the agent's identity, 0..1. */
  readonly alignmentScore: number
  readonly tags: readonly string[]
  readonly summary: string
  /** Ids or prefixes of blocks that it rests on; only a host says so. */
  readonly derivedFrom?: readonly string[] | undefined
}

/** An analysis and who made it. */
export interface Analysis extends HostAnalysis {
  readonly by: 'model' | 'host'
  /** The most trusted class that the host's caller may claim. */
  readonly rank?: SourceClass
}

/** A block with what its analysis says of it, and the tags that the analysis may not give it. */
export interface AnalysedBlock {
  readonly block: Block
  readonly refusedTags: readonly string[]
}

/**
 * True if whoever analysed a block may judge it: a host judges no words that are trusted more than its caller, and a
 * principle only for the owner.
 */
export function mayJudge(
  { sourceClass, tags }: Pick<Block, 'sourceClass' | 'tags'>,
  { by, rank = 'user' }: Pick<Analysis, 'by' | 'rank'>,
): boolean {
  if (by === 'model') return true
  return mayCover(rank, sourceClass) && (rank === 'user' || !tags.includes(CONSTITUTIONAL_TAG))
}

/**
 * The block as whoever analysed it understands it. Tags outside the vocabulary of identity are left out, protected ones
 * always: only an explicit trusted act grants them. The words of others gain no identity at all, and goals are granted by
 * the host alone. A summary that lost, turned round or invented a fact is left out. What the host may not judge only counts
 * as looked at, so that others are judged next.
 *
 * @param at ISO-8601 UTC
 */
export function applyAnalysis(block: Block, analysis: Analysis, at: string): AnalysedBlock {
  const { accepted, refused } = grantableTags(analysis.tags)
  if (!mayJudge(block, analysis))
    return { block: { ...block, scoredAt: at }, refusedTags: [...refused, ...accepted] }
  const granted = accepted.filter((tag) => mayHave(block, tag, analysis))
  const { judgementPending: _judged, summary: _before, ...rest } = block
  const summary = summaryOf(block, analysis.summary)
  return {
    block: {
      ...rest,
      alignment: analysis.alignmentScore,
      scoredAt: at,
      tags: normaliseTags([...block.tags, ...granted]),
      ...(summary === undefined ? {} : { summary }),
    },
    refusedTags: [...refused, ...accepted.filter((tag) => !granted.includes(tag))],
  }
}

function mayHave(block: Block, tag: string, analysis: Analysis): boolean {
  if (isIdentityTag(tag) && !isOwn(block)) return false
  return analysis.by === 'host' || grantableByModel(tag)
}

function summaryOf({ content }: Block, summary: string): string | undefined {
  const visible = stripInvisible(summary).text.trim()
  if (visible === '' || visible === content.trim()) return undefined
  return isFaithful(visible, content) ? visible : undefined
}
