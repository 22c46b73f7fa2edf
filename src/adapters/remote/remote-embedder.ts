import { estimateTokens } from '../../block/text.ts'
import type { Embedder, EmbedOptions } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { dot, normalise } from '../../index/columns.ts'
import { beginLifetime, type Outcome, type RetryOptions, withRetries } from './retries.ts'

/** The most texts of one request if neither the caller nor the model names a limit. */
export const BATCH_SIZE = 96

/** An answer as `readVectors` takes it, and the tokens it says it used. */
interface EmbeddingAnswer {
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
    const vectors = readVectors(answer, texts.length, dimensions)
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

/**
 * The unit vectors in an answer of the form { data: [{ index, embedding }] }, in the order of the texts.
 *
 * An embedding is a list of numbers or base64 of little-endian f32. Throws EMBEDDER_FAILED when one is missing,
 * of another size, not finite or zero.
 */
function readVectors(answer: unknown, count: number, dimensions: number | undefined): Float32Array[] {
  const data = field(answer, 'data')
  if (!Array.isArray(data)) throw wrong('it has no list "data"')
  if (data.length !== count) throw wrong(`it has ${data.length} vectors for ${count} texts`)
  const vectors: Float32Array[] = new Array(count)
  data.forEach((item: unknown, position) => {
    const index = field(item, 'index') ?? position
    if (typeof index !== 'number' || !(index in data) || vectors[index] !== undefined) {
      throw wrong('its indexes are not those of the texts')
    }
    vectors[index] = unit(numbers(field(item, 'embedding')))
  })
  const size = dimensions ?? vectors[0]?.length
  const other = vectors.find((vector) => vector.length !== size)
  if (other !== undefined) throw wrong(`it has vectors of ${other.length} components instead of ${size}`)
  return vectors
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function numbers(embedding: unknown): Float32Array {
  if (typeof embedding === 'string') return fromBase64(embedding)
  if (Array.isArray(embedding) && embedding.every((v) => typeof v === 'number'))
    return Float32Array.from(embedding)
  throw wrong('an embedding is neither a list of numbers nor base64')
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length % 4 !== 0) throw wrong('an embedding in base64 is not a list of f32')
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i))
}

function unit(vector: Float32Array): Float32Array {
  const square = dot(vector, vector)
  if (!Number.isFinite(square) || square === 0) throw wrong('an embedding is empty, zero or not finite')
  return normalise(vector)
}

function wrong(reason: string): ElfmemError {
  return new ElfmemError('EMBEDDER_FAILED', `The answer of the embedding server is not usable: ${reason}.`, {
    recovery:
      'Check that base URL and model name an OpenAI-compatible embeddings interface of the wanted size.',
  })
}
