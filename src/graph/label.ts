import type { Edge } from './edge.ts'

/** The labels that a model or host may give a pair. */
export const LABELS = ['supports', 'contradicts', 'elaborates', 'supersedes', 'unrelated'] as const
/** A word for how one block of a pair relates to the other. */
export type Label = (typeof LABELS)[number]

/** A judgement of how two blocks relate. */
export interface PairLabel {
  /** `similar` stands for a word that is not a label. */
  readonly relation: Label | 'similar'
  /** 0..1 */
  readonly confidence: number
}

/** Decision on the edge of a labelled pair. */
export type LabelledEdge =
  | { readonly kind: 'keep' }
  | { readonly kind: 'replace'; readonly edge: Edge }
  | { readonly kind: 'remove' }

/** Confidences from which a label counts. */
export interface LabelLimits {
  /** Below it nothing changes. */
  readonly least: number
  /** From it on an unrelated pair loses its edge; below, the edge loses half its weight. */
  readonly removes: number
}

/**
 * Returns the decision that a label means for the edge between two blocks. What supersedes another stays joined to it as it
 * is. An edge that an agent asserted, or
 * that an outcome or use made, stays as it is: a model's word is guidance, weaker than a deed.
 */
export function labelledEdge(
  edge: Edge,
  { relation, confidence }: PairLabel,
  limits: LabelLimits,
): LabelledEdge {
  const isOpen = edge.origin === 'similarity' || edge.origin === 'llm_inferred'
  const saysNothing = relation === 'similar' || relation === 'supersedes'
  if (!isOpen || saysNothing || confidence < limits.least) return { kind: 'keep' }
  if (relation !== 'unrelated')
    return { kind: 'replace', edge: { ...edge, relation, origin: 'llm_inferred' } }
  if (confidence >= limits.removes) return { kind: 'remove' }
  return { kind: 'replace', edge: { ...edge, weight: edge.weight / 2, origin: 'llm_inferred' } }
}
