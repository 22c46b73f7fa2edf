import { defined } from '../../src/block/text.ts'
import type { Embedder } from '../../src/engine/ports.ts'

/** An embedder that computes each text once, and says what that cost. */
export interface SharedEmbedder extends Embedder {
  /** Milliseconds spent in the embedder behind it so far. */
  readonly spent: number
  /** One vector a text, as `embed` gives them; for pipelines that are not the library's. */
  vectorsOf(texts: readonly string[]): Promise<Float32Array[]>
}

const BATCH = 32

/**
 * Remembers every vector by its text, so that all pipelines of a run compare on the same vectors and none pays twice.
 * Holds 4 bytes a component and text for as long as it lives.
 */
export function shareEmbedder(inner: Embedder): SharedEmbedder {
  const known = new Map<string, Float32Array>()
  let spent = 0
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const missing = [...new Set(texts.filter((text) => !known.has(text)))]
    const started = performance.now()
    for (let at = 0; at < missing.length; at += BATCH) {
      const batch = missing.slice(at, at + BATCH)
      const vectors = await inner.embed(batch)
      batch.forEach((text, i) => {
        known.set(text, vectors[i] as Float32Array)
      })
    }
    if (missing.length > 0) spent += performance.now() - started
    return texts.map((text) => (known.get(text) as Float32Array).slice())
  }
  return {
    model: inner.model,
    dimensions: inner.dimensions,
    ...defined({ scripts: inner.scripts }),
    embed,
    vectorsOf: embed,
    get spent() {
      return spent
    },
    close: async () => {},
  }
}
