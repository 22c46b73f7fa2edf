import type { Embedder } from '../../../ports/embedder.ts'
import { DIMENSIONS, type KernelBuild } from './kernel.ts'
import { LruCache } from './lru-cache.ts'
import { WorkerPool } from './pool.ts'

/** Single texts whose vectors are kept: 256 of them take about 0.5 MB. */
const CACHED_QUERIES = 256

export interface MiniLmOptions {
  /** Worker threads at most, 1 by default; each holds its own 40 MB. */
  readonly workers?: number
  /** Which build of the kernel, the fastest that is exact here by default; the vectors are the same. */
  readonly build?: KernelBuild
}

/**
 * The embedder inside the package: all-MiniLM-L6-v2 with int8 weights, in worker threads, without network.
 *
 * Texts longer than 254 tokens are cut at sentences and their parts averaged. Fails with EMBEDDER_FAILED
 * when a worker stops, CANCELLED when the signal aborts, and CLOSED after close().
 */
export function createMiniLmEmbedder(options: MiniLmOptions = {}): Embedder {
  const pool = new WorkerPool(Math.max(1, options.workers ?? 1), { build: options.build })
  const queries = new LruCache<Float32Array>(CACHED_QUERIES)
  return {
    model: 'all-MiniLM-L6-v2-int8',
    dimensions: DIMENSIONS,
    warm: () => pool.warm(),
    close: () => pool.close(),
    async embed(texts, embedOptions) {
      const [text] = texts
      if (text === undefined || texts.length > 1) return pool.embed(texts, embedOptions)
      const known = pool.closed || embedOptions?.signal?.aborted ? undefined : queries.get(text)
      if (known !== undefined) {
        embedOptions?.progress?.(1)
        return [known.slice()]
      }
      const vectors = await pool.embed(texts, embedOptions)
      if (vectors[0] !== undefined) queries.set(text, vectors[0].slice())
      return vectors
    },
  }
}
