import type { Embedder } from '../../engine/ports.ts'
import { attempt } from '../../errors.ts'
import { EMBEDDER } from './failure.ts'
import { isLoopback } from './loopback.ts'
import { BATCH_SIZE, createRemoteEmbedder, type RemoteEmbedding } from './remote-embedder.ts'
import type { RetryOptions } from './retries.ts'
import { endpoint, postJson } from './transport.ts'

/** 96 vectors of 4,096 components in long decimals are some 10 MB. */
const MAX_BYTES = 64_000_000

/** The endpoint and model to ask, besides the rules for retries. */
export interface HttpEmbedderOptions extends RetryOptions {
  /** The address that `/embeddings` is appended to, such as https://api.openai.com/v1. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token; never part of a message. */
  readonly apiKey?: string | undefined
  /** Components of a vector; if absent, the first answer decides. */
  readonly dimensions?: number | undefined
  /** Time limit of one request with its answer, 30,000 ms by default. */
  readonly timeoutMs?: number
  /** The most texts in one request, 96 by default. */
  readonly batchSize?: number
  readonly fetch?: typeof fetch
}

/**
 * An embedder behind an HTTP interface like OpenAI's (also Ollama, LM Studio, vLLM, LiteLLM).
 *
 * Lists go out in batches, one after another. 408, 429, 5xx, timeouts and network failures are tried again with
 * growing waits; everything else, and the last failure, throws EMBEDDER_FAILED with what to do about it.
 */
export function createHttpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { model, apiKey, baseUrl, dimensions, batchSize = BATCH_SIZE, timeoutMs, fetch } = options
  const target = { part: EMBEDDER, host: URL.parse(baseUrl)?.host ?? '', model, apiKey }
  const request: RemoteEmbedding['request'] = async (texts, signal) => {
    const address = endpoint(target, baseUrl, '/embeddings')
    if (!address.ok) return address
    const body = { input: texts, model, encoding_format: 'float' }
    const post = { target, address: address.answer, body, timeoutMs, maxBytes: MAX_BYTES, signal, fetch }
    const posted = await postJson(post)
    if (!posted.ok) return posted
    // What is no JSON has the wrong shape like any other wrong answer.
    const answer: unknown = attempt(() => JSON.parse(posted.answer.text))
    const { usage } = (answer ?? {}) as { usage?: { total_tokens?: unknown; prompt_tokens?: unknown } | null }
    const tokens = usage?.total_tokens ?? usage?.prompt_tokens
    return { ok: true, answer: { answer, tokens: typeof tokens === 'number' ? tokens : undefined } }
  }
  const remote = !isLoopback(baseUrl)
  return createRemoteEmbedder(
    { model, remote, dimensions, batchSize: async () => batchSize, request },
    options,
  )
}
