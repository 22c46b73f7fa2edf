import { setTimeout as sleep } from 'node:timers/promises'
import { ElfmemError } from '../../errors.ts'
import type { Embedder, EmbedOptions } from '../../ports/embedder.ts'
import { readVectors } from './embedding-answer.ts'
import { type Failure, refused, unreachable } from './http-failure.ts'
import { retryDelay } from './retry-delay.ts'

const TIMEOUT_MS = 30_000
const MAX_RETRIES = 3
const BATCH_SIZE = 96

export interface HttpEmbedderOptions {
  /** The address that `/embeddings` is appended to, such as https://api.openai.com/v1. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token; never part of a message. */
  readonly apiKey?: string | undefined
  /** What the vectors must have; without it the first answer tells. */
  readonly dimensions?: number | undefined
  /** For one request with its answer, 30,000 ms by default. */
  readonly timeoutMs?: number
  /** Requests after the first one that failed for a reason that may pass, 3 by default. */
  readonly maxRetries?: number
  /** Texts in one request at most, 96 by default. */
  readonly batchSize?: number
  readonly fetch?: typeof fetch
  /** Waits between retries; it rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** The jitter of the waits, in [0, 1). */
  readonly random?: () => number
}

/**
 * An embedder behind an HTTP interface like OpenAI's (also Ollama, LM Studio, vLLM, LiteLLM).
 *
 * Lists go out in batches, one after another. 408, 429, 5xx, timeouts and network failures are tried again with
 * growing waits; everything else, and the last failure, throws EMBEDDER_FAILED with what to do about it.
 */
export function createHttpEmbedder(options: HttpEmbedderOptions): Embedder {
  const closing = new AbortController()
  const batchSize = Math.max(1, options.batchSize ?? BATCH_SIZE)
  let dimensions = options.dimensions

  async function embedBatch(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const answer = await requestWithRetries(options, texts, signal)
    const vectors = readVectors(answer, { count: texts.length, dimensions })
    dimensions ??= vectors[0]?.length
    return vectors
  }

  return {
    model: options.model,
    get dimensions() {
      return dimensions
    },
    async embed(texts, { signal, progress }: EmbedOptions = {}) {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
      const vectors: Float32Array[] = []
      try {
        either.throwIfAborted()
        for (let start = 0; start < texts.length; start += batchSize) {
          vectors.push(...(await embedBatch(texts.slice(start, start + batchSize), either)))
          progress?.(vectors.length)
        }
        return vectors
      } catch (error) {
        if (closing.signal.aborted) throw closed()
        if (signal?.aborted) throw cancelled(signal)
        throw error
      }
    },
    async close() {
      closing.abort()
    },
  }
}

async function requestWithRetries(
  options: HttpEmbedderOptions,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const wait = options.wait ?? ((ms: number, until: AbortSignal) => sleep(ms, undefined, { signal: until }))
  const maxRetries = options.maxRetries ?? MAX_RETRIES
  for (let attempt = 0; ; attempt++) {
    const outcome = await request(options, texts, signal)
    if (outcome.ok) return outcome.answer
    signal.throwIfAborted()
    if (!outcome.passing || attempt >= maxRetries) throw outcome.error
    const random = (options.random ?? Math.random)()
    await wait(retryDelay({ attempt, random, retryAfter: outcome.retryAfter }), signal)
  }
}

type Outcome = { readonly ok: true; readonly answer: unknown } | (Failure & { readonly ok: false })

async function request(
  options: HttpEmbedderOptions,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Outcome> {
  const { model, apiKey } = options
  const address = endpoint(options.baseUrl)
  const target = { host: address.host, model, apiKey }
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  try {
    const response = await (options.fetch ?? fetch)(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ input: texts, model, encoding_format: 'float' }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const body = await response.text()
    if (response.ok) return { ok: true, answer: parse(body) }
    const retryAfter = response.headers.get('retry-after') ?? undefined
    return { ok: false, ...refused(target, { status: response.status, body, retryAfter }) }
  } catch (cause) {
    return { ok: false, ...unreachable(target, cause, timeoutMs) }
  }
}

function endpoint(baseUrl: string): URL {
  const url = URL.parse(baseUrl)
  if (url === null) {
    throw new ElfmemError('EMBEDDER_FAILED', 'The base URL of the embedder is not a URL.', {
      recovery: 'Set it to an address such as http://localhost:11434/v1.',
    })
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`
  return url
}

/** The answer as JSON, or undefined: then it has the wrong shape like any other wrong answer. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function cancelled(signal: AbortSignal): ElfmemError {
  return new ElfmemError('CANCELLED', 'Embedding was cancelled.', {
    recovery: 'Call again without aborting the signal.',
    cause: signal.reason,
  })
}

function closed(): ElfmemError {
  return new ElfmemError('CLOSED', 'The embedder is closed.', { recovery: 'Create a new embedder.' })
}
