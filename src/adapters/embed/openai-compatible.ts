import { ElfmemError } from '../../errors.ts'
import type { Embedder } from '../../ports/embedder.ts'
import { refused, unreachable } from './http-failure.ts'
import { createRemoteEmbedder, type Outcome, type RetryOptions } from './remote.ts'

const TIMEOUT_MS = 30_000
const BATCH_SIZE = 96

export interface HttpEmbedderOptions extends RetryOptions {
  /** The address that `/embeddings` is appended to, such as https://api.openai.com/v1. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token; never part of a message. */
  readonly apiKey?: string | undefined
  /** What the vectors must have; without it the first answer tells. */
  readonly dimensions?: number | undefined
  /** For one request with its answer, 30,000 ms by default. */
  readonly timeoutMs?: number
  /** Texts in one request at most, 96 by default. */
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
