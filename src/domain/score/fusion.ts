/**
 * How well a block answers a question, absolute, 0..1: the power mean ((max(0, c)^p + l^p) / 2)^(1/p) of its cosine and
 * its lexical share (docs/retrieval.md 3; p = 1.5 lets one strong side carry more than the plain mean).
 */
export function strength(cosine: number, lexical: number, power = 1.5): number {
  const dense = Math.min(1, Math.max(0, cosine))
  return ((dense ** power + lexical ** power) / 2) ** (1 / power)
}

/**
 * How much the words of a question say, 0..1: (1 − sizeLoss · ln N) · min(1, (n + 1) / (fullWords + 1)). One broad word is
 * no full match, where its subject has other names as well, and among many blocks some share a word by chance.
 */
export function wordsWeight(
  words: number,
  blocks: number,
  { fullWords, sizeLoss }: { readonly fullWords: number; readonly sizeLoss: number },
): number {
  const ofSize = Math.max(0, 1 - sizeLoss * Math.log(Math.max(1, blocks)))
  return ofSize * Math.min(1, (words + 1) / (fullWords + 1))
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
