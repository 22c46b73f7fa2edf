/**
 * How well a block answers a question, absolute, 0..1: the power mean ((max(0, c)^p + l^p) / 2)^(1/p) of its cosine and
 * its lexical share (docs/retrieval.md 3; p = 1.5 lets one strong side carry more than the plain mean).
 */
export function strength(cosine: number, lexical: number, power = 1.5): number {
  const dense = Math.min(1, Math.max(0, cosine))
  return ((dense ** power + lexical ** power) / 2) ** (1 / power)
}

/**
 * Returns the idf of what a short question leaves unsaid: each word it has fewer than `questionWords` counts
 * `unsaidWeight` of a word that ten blocks hold, ln(1 + N/10). So one broad word is no full match in a large
 * store, where its subject has other names as well; in a small store nearly nothing is missing.
 */
export function unsaidOf(
  words: number,
  blocks: number,
  { questionWords, unsaidWeight }: { readonly questionWords: number; readonly unsaidWeight: number },
): number {
  return Math.max(0, questionWords - words) * unsaidWeight * Math.log(1 + blocks / 10)
}

/** How much of the reachable already counts as full, and how much less a small share says. */
export interface LexicalShareOptions {
  /** Share of the reachable that counts as full, 0..1. */
  readonly norm: number
  /** ≥ 1; above 1 a share says less than it is, for words that may be chance. */
  readonly exponent: number
}

/**
 * How much of what a question could reach its words found in a block, 0..1: min(1, bm25 / (norm·reachable))^exponent,
 * where reachable = (k1 + 1)·Σ idf over all terms of the question, unseen ones too (docs/retrieval.md 3; the exponent is
 * ours). 0 when nothing is reachable.
 */
export function lexicalShare(
  bm25: number,
  reachable: number,
  { norm, exponent }: LexicalShareOptions,
): number {
  return reachable > 0 ? Math.min(1, Math.max(0, bm25) / (norm * reachable)) ** exponent : 0
}
