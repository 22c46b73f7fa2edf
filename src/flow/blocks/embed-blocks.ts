import type { Block } from '../../domain/block/block.ts'
import { normaliseContent } from '../../domain/text/text.ts'
import { embedOptionsOf } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'

/** A waiting block and its vector. */
export interface Embedded {
  readonly block: Block
  readonly vector: Float32Array
}

/** The vectors of some waiting blocks, in one batch; those known already are taken over. */
export async function embedBlocks(
  engine: Engine,
  blocks: readonly Block[],
  context: CallContext,
  known: ReadonlyMap<string, Float32Array> = new Map(),
): Promise<Embedded[]> {
  const lacking = blocks.filter(({ id }) => !known.has(id))
  const made = await engine.embedder.embed(
    lacking.map(({ content }) => normaliseContent(content)),
    embedOptionsOf(context),
  )
  const vectors = new Map([...known, ...lacking.map(({ id }, i) => [id, made[i] as Float32Array] as const)])
  return blocks.map((block) => ({ block, vector: vectors.get(block.id) as Float32Array }))
}
