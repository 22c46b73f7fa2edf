import type { Block } from '../../domain/block/block.ts'

/** How many vectors recall uses and how much text they stand for. */
export interface VectorTotals {
  /** Blocks with a vector in use. */
  readonly blocks: number
  /** Code points of their contents. */
  readonly characters: number
  /** How many of them have none in the spare set; absent when there is no spare set. */
  readonly missing?: number
}

/** The vector of a block by another model, and the content it was made of. */
export interface SpareVector {
  readonly id: string
  readonly content: string
  readonly vector: Float32Array
}

/**
 * A second set of vectors beside the one in use: being made by another model, or what was in use before.
 *
 * What must hold: a block is missing here when it has a vector in use and none here. Whatever changes or removes a
 * block's vector in use removes the one it has here.
 */
export interface SpareReader {
  /** Walks over all vectors. */
  vectorTotals(): Promise<VectorTotals>
  /** The first `limit` blocks that are missing in the spare set, by arrival; none when there is no spare set. */
  missingSpare(limit: number): Promise<Block[]>
}

export interface SpareWriter {
  /** Makes an empty spare set; what was there is dropped. */
  beginSpare(): Promise<void>
  /** Keeps those whose block has a vector in use and still has the content; nothing when there is no spare set. */
  saveSpare(vectors: readonly SpareVector[]): Promise<void>
  /**
   * The spare set comes into use and the one in use becomes the spare; `Changes.generation` grows by one. False, and
   * nothing happens, when there is no spare set or a block is missing in it. Costs the same at any size.
   */
  swapVectors(): Promise<boolean>
  /** Removes the spare set, if any. */
  dropSpare(): Promise<void>
}
