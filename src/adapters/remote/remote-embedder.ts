import { estimateTokens } from '../../domain/text/text.ts'
import type { Embedder, EmbedOptions } from '../../ports/embedder.ts'
import { readVectors } from './embedding-answer.ts'
import { beginLifetime, type Outcome, type RetryOptions, withRetries } from './retries.ts'

/** An answer as `readVectors` takes it, and the tokens it says it used. */
export interface EmbeddingAnswer {
  readonly answer: unknown
  readonly tokens?: number | undefined
}

/** A model somewhere else. */
export interface RemoteEmbedding {
  readonly model: string
  /** True if texts leave this machine. */
  readonly remote: boolean
  /** Components of a vector; if absent, the first answer decides. */
  readonly dimensions?: number | undefined
  /** Returns the most texts of one request. */
  batchSize(): Promise<number>
  /** Makes one request for a few texts; never throws. */
  request(texts: readonly string[], signal: AbortSignal): Promise<Outcome<EmbeddingAnswer>>
}

/**
 * An embedder of a model somewhere else. Lists go out in batches, one after another; a failure that may pass is tried
 * again with growing waits, any other and the last one is thrown. CANCELLED when the signal aborts, CLOSED after
 * close().
 */
export function createRemoteEmbedder(remote: RemoteEmbedding, retries: RetryOptions): Embedder {
  const lifetime = beginLifetime('Embedding', 'embedder')
  let { dimensions } = remote

  async function embedBatch(texts: readonly string[], signal: AbortSignal, usage: EmbedOptions['usage']) {
    const { answer, tokens } = await withRetries(() => remote.request(texts, signal), retries, signal)
    usage?.({ tokens: tokens ?? texts.reduce((sum, text) => sum + estimateTokens(text), 0), calls: 1 })
    const vectors = readVectors(answer, { count: texts.length, dimensions })
    dimensions ??= vectors[0]?.length
    return vectors
  }

  return {
    model: remote.model,
    remote: remote.remote,
    get dimensions() {
      return dimensions
    },
    embed: (texts, { signal, progress, usage }: EmbedOptions = {}) =>
      lifetime.run(signal, async (either) => {
        const vectors: Float32Array[] = []
        const batchSize = texts.length === 0 ? 1 : Math.max(1, await remote.batchSize())
        for (let start = 0; start < texts.length; start += batchSize) {
          vectors.push(...(await embedBatch(texts.slice(start, start + batchSize), either, usage)))
          progress?.(vectors.length)
        }
        return vectors
      }),
    close: async () => lifetime.close(),
  }
}
