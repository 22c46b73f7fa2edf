import type { Block, ContentVectors } from '../../domain/block/block.ts'

/** How many vectors recall uses and how much text they stand for. */
export interface VectorTotals {
  /** Blocks with a vector in use. */
  readonly blocks: number
  /** Code points of their contents. */
  readonly characters: number
  /** How many of them have none in the shadow set; absent when there is no shadow set. */
  readonly missing?: number
}

/** The vectors of a block and the content they were made of. */
export interface EmbeddedContent extends ContentVectors {
  readonly id: string
  readonly content: string
}

/**
 * A second set of vectors beside the one in use: being made by another model, or what was in use before.
 *
 * What must hold: a block is missing here when it has a vector in use and none here. Whatever changes or removes a
 * block's vector in use removes the one it has here.
 */
export interface ShadowReader {
  /** Walks over all vectors. */
  vectorTotals(): Promise<VectorTotals>
  /** The first `limit` blocks that are missing in the shadow set, by arrival; none when there is no shadow set. */
  missingShadow(limit: number): Promise<Block[]>
}

/** Changes of the shadow set. */
export interface ShadowWriter {
  /** Makes an empty shadow set; what was there is dropped. */
  beginShadow(): Promise<void>
  /** Keeps those whose block has a vector in use and still has the content; nothing when there is no shadow set. */
  saveShadow(vectors: readonly EmbeddedContent[]): Promise<void>
  /**
   * The shadow set comes into use and the one in use becomes the shadow set; `Changes.generation` grows by one. False, and
   * nothing happens, when there is no shadow set or a block is missing in it. Costs the same at any size.
   */
  swapVectors(): Promise<boolean>
  /** Removes the shadow set, if any. */
  dropShadow(): Promise<void>
}

/**
 * Vectors of blocks that wait, made before their dream.
 *
 * What must hold: such a vector goes when its block is archived or its content changes, and stays when it becomes active.
 */
export interface WaitingVectorWriter {
  /** Keeps those whose block waits and still has the content, as a change for readers. */
  saveWaitingVectors(vectors: readonly EmbeddedContent[]): Promise<void>
  /**
   * Removes those of the whole store; `Changes.generation` grows by one. False, and nothing happens, when a block that does
   * not wait has a vector.
   */
  dropWaitingVectors(): Promise<boolean>
}
