import { estimateTokens } from '../../block/text.ts'
import type { Embedder } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { dot, normalise } from '../../index/columns.ts'
import { beginLifetime, EMBEDDER, postJson, type RetryOptions, type Target } from './client.ts'
import { isLoopback } from './loopback.ts'

/** The most texts of one request. */
const BATCH_SIZE = 96
/** The most bytes of an answer. 96 vectors of 4,096 components in long decimals take some 10 MB. */
const MAX_BYTES = 64_000_000

/** An answer of the form `{ data: [{ index, embedding }], usage }`, of which nothing is checked yet. */
type EmbeddingAnswer = {
  readonly data?: unknown
  readonly usage?: { readonly total_tokens?: unknown; readonly prompt_tokens?: unknown } | null
} | null

/** An embedding model on another machine, or in another program. */
interface RemoteEmbedding {
  readonly model: string
  /** True if texts leave this machine. */
  readonly remote: boolean
  /** Components of a vector; if absent, the first answer decides. */
  readonly dimensions?: number | undefined
  /** The most texts of one request, if that is less than 96. */
  readonly mostTexts?: PromiseLike<number | undefined> | number | undefined
  /** Makes one request for a few texts; throws `Failed`. */
  readonly request: (texts: readonly string[], signal: AbortSignal) => Promise<EmbeddingAnswer | undefined>
}

/**
 * Makes an embedder of a remote model. Lists go out in batches, one after another; a failure that may pass is tried again with
 * growing waits, any other and the last one is thrown. CANCELLED when the signal aborts, CLOSED after close().
 */
export function createRemoteEmbedder(embedding: RemoteEmbedding, retries: RetryOptions): Embedder {
  const { model, remote, mostTexts, request } = embedding
  const lifetime = beginLifetime(EMBEDDER, retries)
  let { dimensions } = embedding
  return {
    model,
    remote,
    get dimensions() {
      return dimensions
    },
    async embed(texts, { signal, progress, usage } = {}) {
      const vectors: Float32Array[] = []
      const size = Math.min(BATCH_SIZE, (await mostTexts) ?? BATCH_SIZE)
      for (let start = 0; start < texts.length; start += size) {
        const batch = texts.slice(start, start + size)
        const answer = await lifetime.run(signal, (either) => request(batch, either))
        const tokens = answer?.usage?.total_tokens ?? answer?.usage?.prompt_tokens
        const estimated = () => batch.reduce((sum, text) => sum + estimateTokens(text), 0)
        usage?.({ tokens: typeof tokens === 'number' ? tokens : estimated(), calls: 1 })
        vectors.push(...readVectors(answer?.data, batch.length, dimensions))
        dimensions ??= vectors[0]?.length
        progress?.(vectors.length)
      }
      return vectors
    },
    close: lifetime.close,
  }
}

/** The endpoint and model to ask, besides the rules for retries. */
export interface HttpEmbedderOptions extends RetryOptions {
  /** The address that `/embeddings` is appended to, such as https://api.openai.com/v1. */
  readonly baseUrl: string
  readonly model: string
  /** The key is sent as a bearer token and is never part of a message. */
  readonly apiKey?: string | undefined
  /** Components of a vector; if absent, the first answer decides. */
  readonly dimensions?: number | undefined
  /** Time limit of one request with its answer, 30,000 ms by default. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

/** Makes an embedder behind an HTTP interface like OpenAI's (also Ollama, LM Studio, vLLM, LiteLLM). */
export function createHttpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { model, apiKey, baseUrl, dimensions, timeoutMs, fetch } = options
  const target: Target = { part: EMBEDDER, host: URL.parse(baseUrl)?.host ?? '', model, apiKey }
  const request: RemoteEmbedding['request'] = async (texts, signal) => {
    const body = { input: texts, model, encoding_format: 'float' }
    const limits = { timeoutMs, maxBytes: MAX_BYTES, signal, fetch }
    const answer = await postJson(target, { baseUrl, path: '/embeddings', body, ...limits })
    return answer as EmbeddingAnswer | undefined
  }
  return createRemoteEmbedder({ model, remote: !isLoopback(baseUrl), dimensions, request }, options)
}

/** Returns the unit vectors of an answer, in the order of the texts. Throws EMBEDDER_FAILED unless each text has one of the same size. */
function readVectors(data: unknown, count: number, dimensions: number | undefined): Float32Array[] {
  if (!Array.isArray(data) || data.length !== count) throw wrong(`it has no list of ${count} vectors`)
  const items = data.map((item, at) => ({ index: item?.index ?? at, vector: unit(item?.embedding) }))
  items.sort((one, other) => one.index - other.index)
  if (items.some(({ index }, at) => index !== at)) throw wrong('its indexes are not those of the texts')
  const vectors = items.map(({ vector }) => vector)
  const size = dimensions ?? vectors[0]?.length
  const other = vectors.find((vector) => vector.length !== size)
  if (other !== undefined) throw wrong(`it has vectors of ${other.length} components instead of ${size}`)
  return vectors
}

function unit(embedding: unknown): Float32Array {
  const vector = Float32Array.from(Array.isArray(embedding) ? embedding : [])
  const square = dot(vector, vector)
  if (!Number.isFinite(square) || square === 0)
    throw wrong('an embedding is no list of numbers, empty, zero or not finite')
  return normalise(vector)
}

function wrong(reason: string): ElfmemError {
  return new ElfmemError('EMBEDDER_FAILED', `The answer of the embedder is not usable: ${reason}.`, {
    recovery:
      'Check that base URL and model name an OpenAI-compatible embeddings interface of the wanted size.',
  })
}
