import type { Embedder } from '../../src/engine/ports.ts'
import { ElfmemError } from '../../src/index.ts'
import { DIMENSIONS } from './vectors.ts'

/** An embedder that was told the vector of every text beforehand. */
export class ToldEmbedder implements Embedder {
  readonly model = 'told'
  readonly dimensions = DIMENSIONS
  readonly #vectors = new Map<string, Float32Array | undefined>()

  /** Makes a text of the words that nobody else has, and remembers its vector; without one it fails to embed it. */
  tell(words: readonly string[], vector: Float32Array | undefined): string {
    // The number is written in signs that are no words, so that it counts for nothing but its being different.
    const number = this.#vectors.size.toString(2).replaceAll('0', '.').replaceAll('1', '!')
    const text = `${words.join(' ')} ${number}`.trim()
    this.#vectors.set(text, vector)
    return text
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => {
      const vector = this.#vectors.get(text)
      if (!vector)
        throw new ElfmemError('EMBEDDER_FAILED', `Nobody told the vector of "${text}".`, {
          recovery: 'Tell it with the text.',
        })
      return vector.slice()
    })
  }

  async close(): Promise<void> {}
}
