/** Decision on a similar block: `duplicate` archives it, `near` flags the pair, `distinct` does nothing. */
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
