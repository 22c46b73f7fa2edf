import type { Block } from '../../domain/block/block.ts'
import { normaliseContent } from '../../domain/text/text.ts'
import { embedOptionsOf } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'

/** A waiting block and its vector. */
export interface Embedded {
  readonly block: Block
  readonly vector: Float32Array
}

/** The vectors of some waiting blocks, in one batch. Each content is embedded once in its life. */
export async function embedBlocks(
  engine: Engine,
  blocks: readonly Block[],
  context: CallContext,
): Promise<Embedded[]> {
  const vectors = await engine.embedder.embed(
    blocks.map(({ content }) => normaliseContent(content)),
    embedOptionsOf(context),
  )
  return blocks.map((block, i) => ({ block, vector: vectors[i] as Float32Array }))
}
