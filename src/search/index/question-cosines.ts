import { type CosineScale, rescale } from './background.ts'
import type { IndexParts } from './index-parts.ts'
import { windowedCosines } from './session-chains.ts'

/** Cosines of a question with all blocks, after the session's window; in memory that the next question uses again. */
export class QuestionCosines {
  readonly #window: readonly number[] | undefined
  #own = new Float32Array(0)
  #windowed = new Float32Array(0)

  /** @param window weights of the neighbours' cosines; undefined: they lend none */
  constructor(window: readonly number[] | undefined) {
    this.#window = window
  }

  /** On the scale of the constants; all 0 without a vector. Valid until the next call. */
  of(
    { blocks, vectors, chains }: IndexParts,
    vector: Float32Array | undefined,
    onScale: CosineScale | undefined,
  ): Float32Array<ArrayBuffer> {
    const slots = blocks.end
    if (slots > this.#own.length) {
      this.#own = new Float32Array(slots * 2)
      this.#windowed = new Float32Array(slots * 2)
    }
    const own = this.#own.subarray(0, slots)
    if (vector === undefined) return own.fill(0)
    vectors.cosines(vector, slots, own)
    if (onScale) rescale(own, onScale)
    return this.#window === undefined
      ? own
      : windowedCosines(own, chains.columns, this.#window, this.#windowed.subarray(0, slots))
  }
}
