import { isLoopback } from '../../domain/safety/loopback.ts'
import { attempt } from '../../errors.ts'
import type { Embedder } from '../../ports/embedder.ts'
import { EMBEDDER } from './failure.ts'
import { BATCH_SIZE, createRemoteEmbedder, type EmbeddingAnswer } from './remote-embedder.ts'
import type { Outcome, RetryOptions } from './retries.ts'
import { endpoint, postJson } from './transport.ts'

/** 96 vectors of 4,096 components in long decimals are some 10 MB. */
const MAX_BYTES = 64_000_000

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
  /** Most texts in one request, 96 by default. */
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
  return createRemoteEmbedder(
    {
      model: options.model,
      remote: !isLoopback(options.baseUrl),
      dimensions: options.dimensions,
      batchSize: async () => options.batchSize ?? BATCH_SIZE,
      request: (texts, signal) => request(options, texts, signal),
    },
    options,
  )
}

async function request(
  options: HttpEmbedderOptions,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Outcome<EmbeddingAnswer>> {
  const { model, apiKey, baseUrl } = options
  const target = { part: EMBEDDER, host: URL.parse(baseUrl)?.host ?? '', model, apiKey }
  const address = endpoint(target, baseUrl, '/embeddings')
  if (!address.ok) return address
  const posted = await postJson({
    target,
    address: address.answer,
    body: { input: texts, model, encoding_format: 'float' },
    timeoutMs: options.timeoutMs,
    maxBytes: MAX_BYTES,
    signal,
    fetch: options.fetch,
  })
  if (!posted.ok) return posted
  // What is no JSON has the wrong shape like any other wrong answer.
  const answer: unknown = attempt(() => JSON.parse(posted.answer.text))
  const { usage } = (answer ?? {}) as { usage?: { total_tokens?: unknown; prompt_tokens?: unknown } | null }
  const tokens = usage?.total_tokens ?? usage?.prompt_tokens
  return { ok: true, answer: { answer, tokens: typeof tokens === 'number' ? tokens : undefined } }
}
