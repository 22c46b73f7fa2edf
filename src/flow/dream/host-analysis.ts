import type { Block } from '../../domain/block.ts'
import { grantableByModel, normaliseTags } from '../../domain/tags.ts'

/** What the host agent thought of a waiting block, in place of a model. */
export interface HostAnalysis {
  /** How strongly the block expresses the agent's identity, 0..1. */
  readonly alignmentScore: number
  readonly tags: readonly string[]
  readonly summary: string
}

/**
 * The block as the host understands it. Tags outside the vocabulary of identity are left out, and
 * `self/constitutional` always: only an explicit trusted act grants it.
 */
export function applyAnalysis(
  block: Block,
  analysis: HostAnalysis | undefined,
): { readonly block: Block; readonly refusedTags: readonly string[] } {
  if (!analysis) return { block, refusedTags: [] }
  const { accepted, refused } = grantableByModel(analysis.tags)
  const { content } = block
  return {
    block: {
      ...block,
      alignment: analysis.alignmentScore,
      tags: normaliseTags([...block.tags, ...accepted]),
      ...(analysis.summary.trim() === '' || analysis.summary === content
        ? {}
        : { summary: analysis.summary }),
    },
    refusedTags: refused,
  }
}
