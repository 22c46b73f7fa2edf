import { setTimeout as sleep } from 'node:timers/promises'
import { ElfmemError } from '../../errors.ts'
import type { Embedder, EmbedOptions } from '../../ports/embedder.ts'
import { readVectors } from './embedding-answer.ts'
import type { Failure } from './http-failure.ts'
import { retryDelay } from './retry-delay.ts'

const MAX_RETRIES = 3

/** What came of a request: an answer as `readVectors` takes it, or why there is none. */
export type Outcome = { readonly ok: true; readonly answer: unknown } | (Failure & { readonly ok: false })

/** A model somewhere else. */
export interface Remote {
  readonly model: string
  /** What the vectors must have; without it the first answer tells. */
  readonly dimensions?: number | undefined
  /** Texts in one request at most. */
  batchSize(): Promise<number>
  /** One request for a few texts; never throws. */
  request(texts: readonly string[], signal: AbortSignal): Promise<Outcome>
}

export interface RetryOptions {
  /** Requests after the first one that failed for a reason that may pass, 3 by default. */
  readonly maxRetries?: number
  /** Waits between retries; it rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** The jitter of the waits, in [0, 1). */
  readonly random?: () => number
}

/**
 * An embedder of a model somewhere else. Lists go out in batches, one after another; a failure that may pass is tried
 * again with growing waits, any other and the last one is thrown. CANCELLED when the signal aborts, CLOSED after
 * close().
 */
export function createRemoteEmbedder(remote: Remote, retries: RetryOptions): Embedder {
  const closing = new AbortController()
  let { dimensions } = remote

  async function embedBatch(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    signal.throwIfAborted()
    const answer = await requestWithRetries(remote, retries, texts, signal)
    const vectors = readVectors(answer, { count: texts.length, dimensions })
    dimensions ??= vectors[0]?.length
    return vectors
  }

  return {
    model: remote.model,
    get dimensions() {
      return dimensions
    },
    async embed(texts, { signal, progress }: EmbedOptions = {}) {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
      const vectors: Float32Array[] = []
      try {
        const batchSize = texts.length === 0 ? 1 : Math.max(1, await remote.batchSize())
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
  remote: Remote,
  retries: RetryOptions,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const wait = retries.wait ?? ((ms: number, until: AbortSignal) => sleep(ms, undefined, { signal: until }))
  const maxRetries = retries.maxRetries ?? MAX_RETRIES
  for (let attempt = 0; ; attempt++) {
    const outcome = await remote.request(texts, signal)
    if (outcome.ok) return outcome.answer
    signal.throwIfAborted()
    if (!outcome.passing || attempt >= maxRetries) throw outcome.error
    const random = (retries.random ?? Math.random)()
    await wait(retryDelay({ attempt, random, retryAfter: outcome.retryAfter }), signal)
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
