/** A piece of a document that stands on its own. */
export interface Chunk {
  /** Text to be remembered, its heading path included; never blank. */
  readonly text: string
  /** The headings above it, outermost first, joined by ` > `. */
  readonly heading?: string
}

/**
 * Cuts a document into pieces.
 *
 * What must hold: the pieces come in the document's order and together hold all its words; the same text is always
 * cut the same way; none is longer than `maxTokens` estimated tokens unless a single word is.
 */
export interface Chunker {
  /** Others get their turn while a long text is cut. */
  chunks(text: string, maxTokens: number): Promise<readonly Chunk[]>
}
