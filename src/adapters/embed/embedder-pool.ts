import type { Embedder, EmbedOptions } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { wrapped } from './embedder-wrappers.ts'

/** The most texts of a call that waits for others, and of a batch; a call with more texts goes its own way at once. */
const TEXTS = { call: 16, batch: 64 }

/** Milliseconds that a call waits for others while the embedder works; an idle embedder works at once. */
const WAIT_MS = 5

/** A call that waits for its batch. */
interface Waiting {
  readonly texts: readonly string[]
  readonly options: EmbedOptions
  readonly resolve: (vectors: Float32Array[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * Returns an embedder for many memories, which makes the vectors of small calls that come at the same time in one batch. Each memory may
 * close it; the given embedder is closed by whoever made it.
 */
export function poolEmbedder(embedder: Embedder): Embedder {
  const pool = new Pool(embedder)
  return wrapped(embedder, {
    embed: (texts, options = {}) => pool.embed(texts, options),
    close: async () => undefined,
  })
}

class Pool {
  readonly #embedder: Embedder
  #waiting: Waiting[] = []
  #texts = 0
  #running = 0
  /** True: the calls that wait are sent soon. */
  #isDue = false

  constructor(embedder: Embedder) {
    this.#embedder = embedder
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    if (texts.length === 0) return []
    if (texts.length > TEXTS.call) return this.#counted(texts, options)
    if (this.#texts + texts.length > TEXTS.batch) this.#send()
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>()
    this.#waiting.push({ texts, options, resolve, reject })
    this.#texts += texts.length
    if (!this.#isDue && this.#running === 0) setImmediate(() => this.#send())
    else if (!this.#isDue) setTimeout(() => this.#send(), WAIT_MS)
    this.#isDue = true
    const { signal } = options
    // A caller that leaves gets no vectors; the others of its batch get theirs.
    const leave = () =>
      reject(new ElfmemError('CANCELLED', 'The embedding was cancelled.', { recovery: 'Ask again.' }))
    signal?.addEventListener('abort', leave, { once: true })
    if (signal?.aborted) leave()
    return promise.finally(() => signal?.removeEventListener('abort', leave))
  }

  #send(): void {
    this.#isDue = false
    const batch = this.#waiting.splice(0).filter(({ options }) => options.signal?.aborted !== true)
    this.#texts = 0
    if (batch.length > 0) void this.#run(batch)
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    const [first] = batch
    if (first !== undefined && batch.length === 1)
      return this.#counted(first.texts, first.options).then(first.resolve, first.reject)
    const texts = batch.flatMap((call) => call.texts)
    const length = texts.join('').length
    try {
      const vectors = await this.#counted(texts, {
        usage: ({ tokens, calls }) => {
          // Each pays for its share of the texts, and the first one for the request.
          for (const [at, { texts: own, options }] of batch.entries())
            options.usage?.({
              tokens: Math.round((tokens * own.join('').length) / Math.max(1, length)),
              calls: at === 0 ? calls : 0,
            })
        },
      })
      let from = 0
      for (const call of batch) {
        const to = from + call.texts.length
        call.options.progress?.(call.texts.length)
        call.resolve(vectors.slice(from, to))
        from = to
      }
    } catch (error) {
      const isPassing = ElfmemError.is(error) && Object(error.details).passing === true
      if (isPassing) for (const { reject } of batch) reject(error)
      // One text may be what fails: it fails its own call alone.
      else for (const call of batch) await this.#run([call])
    }
  }

  async #counted(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    this.#running += 1
    try {
      return await this.#embedder.embed(texts, options)
    } finally {
      this.#running -= 1
    }
  }
}
