/** What dream does with a block that resembles one it has: archive it, keep both and flag the pair, or nothing. */
export type DuplicateVerdict = 'duplicate' | 'near' | 'distinct'

/** Cosines from which two contents are equal, or near, if their facts allow it; exact ≥ near. */
export interface DuplicateThresholds {
  readonly exact: number
  readonly near: number
}

/**
 * The verdict on two contents: a high cosine alone never rejects, their facts must agree too.
 * Rejecting wrongly loses a fact; keeping wrongly costs a flagged pair.
 */
export function duplicateVerdict(
  similarity: { readonly cosine: number; readonly sameFacts: boolean },
  thresholds: DuplicateThresholds,
): DuplicateVerdict {
  if (similarity.cosine >= thresholds.exact && similarity.sameFacts) return 'duplicate'
  return similarity.cosine >= thresholds.near ? 'near' : 'distinct'
}
