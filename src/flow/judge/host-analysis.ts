import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted, isOwn, type SourceClass } from '../../domain/block/source-class.ts'
import { isFaithful } from '../../domain/block/summary.ts'
import { grantableByModel, grantableTags, isIdentityTag, normaliseTags } from '../../domain/block/tags.ts'
import { stripInvisible } from '../../domain/safety/visible.ts'
import { stemOf } from '../../search/language/choose.ts'

/** The analysis of a block by a model, or by the host agent in its place. */
export interface HostAnalysis {
  /** How strongly the block expresses the agent's identity, 0..1. */
  readonly alignmentScore: number
  readonly tags: readonly string[]
  readonly summary: string
}

/** An analysis and who made it. */
export interface Analysis extends HostAnalysis {
  readonly by: 'model' | 'host'
  /** The most trusted class that the host's caller may claim. */
  readonly rank?: SourceClass
}

export interface AnalysedBlock {
  readonly block: Block
  readonly refusedTags: readonly string[]
}

/**
 * The block as whoever analysed it understands it. Tags outside the vocabulary of identity are left out, protected ones
 * always: only an explicit trusted act grants them. The words of others gain no identity at all, and goals are granted by
 * the host alone. What is trusted more than the host's caller gains none from it. A summary that lost or invented a fact is
 * left out, unless the host made it of what is not trusted more.
 *
 * @param at ISO-8601 UTC
 */
export function applyAnalysis(
  block: Block,
  analysis: Analysis,
  { settings, at }: { readonly settings: Settings; readonly at: string },
): AnalysedBlock {
  const { accepted, refused } = grantableTags(analysis.tags, settings.prompts.validSelfTags)
  const granted = accepted.filter((tag) => mayHave(block, tag, analysis))
  const { judgementPending: _judged, summary: _before, ...rest } = block
  const summary = summaryOf(block, analysis)
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
  if (isIdentityTag(tag) && (!isOwn(block) || isAboveHost(block, analysis))) return false
  return analysis.by === 'host' || grantableByModel(tag)
}

function isAboveHost({ sourceClass }: Block, { by, rank = 'user' }: Analysis): boolean {
  return by === 'host' && isLessTrusted(rank, sourceClass)
}

function summaryOf(block: Block, analysis: Analysis): string | undefined {
  const { content } = block
  const { summary, by } = analysis
  const visible = stripInvisible(summary).text.trim()
  if (visible === '' || visible === content.trim()) return undefined
  const isTaken = by === 'host' && !isAboveHost(block, analysis)
  return isTaken || isFaithful(visible, content, stemOf) ? visible : undefined
}
