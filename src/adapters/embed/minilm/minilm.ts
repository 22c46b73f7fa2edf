import type { Embedder } from '../../../ports/embedder.ts'
import { DIMENSIONS, type KernelBuild } from './kernel.ts'
import { WorkerPool } from './pool.ts'

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
  return {
    model: 'all-MiniLM-L6-v2-int8',
    dimensions: DIMENSIONS,
    warm: () => pool.warm(),
    close: () => pool.close(),
    embed: (texts, embedOptions) => pool.embed(texts, embedOptions),
  }
}
