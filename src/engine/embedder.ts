/**
 * Turns texts into unit vectors.
 *
 * What must hold: the same text always yields the same vector, alone or in a batch;
 * vectors have length 1 and exactly `dimensions` components; no text is silently cut;
 * a failure throws `EMBEDDER_FAILED` and never returns a substitute.
 */
export interface Embedder {
  /** Names the model; the store refuses vectors of another one. */
  readonly model: string
  /** Components of a vector, or undefined until the first answer of a remote model has it. */
  readonly dimensions: number | undefined
  /** True if texts leave this machine. */
  readonly remote?: boolean
  /**
   * Unicode names of the scripts that the model was trained on, such as `Latin`; all when absent. A question mostly in
   * another script is ranked by its words alone.
   */
  readonly scripts?: readonly string[]
  /** One vector a text, in the order of the texts. An empty list costs nothing. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>
  /** Starts loading in the background, so that the first `embed` does not wait. Never throws. */
  warm?(): void
  close(): Promise<void>
}

/** The signal that ends an embedding, and whom it reports to while it runs. */
export interface EmbedOptions {
  readonly signal?: AbortSignal
  /** Called as texts are done, with how many so far. */
  readonly progress?: (done: number) => void
  /** Called by embedders somewhere else after every request, with what it used. */
  readonly usage?: (used: EmbeddingUsage) => void
  /** Called for each kind of secret that was taken out of texts before they left the machine. */
  readonly redacted?: (kind: string, count: number) => void
}

/** Usage of requests; tokens are estimated where the endpoint does not count them. */
export interface EmbeddingUsage {
  readonly tokens: number
  readonly calls: number
}
