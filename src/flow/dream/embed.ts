import type { Block } from '../../domain/block.ts'
import { normaliseContent } from '../../domain/text.ts'
import { dot } from '../../domain/vector.ts'
import { SCAN_BATCH } from '../../search/vector-matrix.ts'
import type { CallContext, Engine } from '../engine.ts'

/** A waiting block and its vector. */
export interface Embedded {
  readonly block: Block
  readonly vector: Float32Array
}

/** Waiting blocks that are looked up together, with who is near each. */
export interface Group {
  readonly members: readonly Embedded[]
  readonly near: readonly (readonly { readonly id: string; readonly cosine: number }[])[]
}

/** Neighbours worth a look when a block is linked or compared. */
const NEIGHBOURS = 8

/** The vectors of some waiting blocks, in one batch. Each content is embedded once in its life. */
export async function embedBlocks(
  engine: Engine,
  blocks: readonly Block[],
  context: CallContext,
): Promise<Embedded[]> {
  const vectors = await engine.embedder.embed(
    blocks.map(({ content }) => normaliseContent(content)),
    context.signal ? { signal: context.signal } : {},
  )
  return blocks.map((block, i) => ({ block, vector: vectors[i] as Float32Array }))
}

/**
 * Looks a few blocks up at once, because a scan loads every row only once for all of them. Blocks of the same group
 * are not in the index yet; they are compared with each other directly.
 */
export function* groups(engine: Engine, embedded: readonly Embedded[]): Generator<Group> {
  const floor = engine.settings.memory.edgeCosineFloor
  for (let at = 0; at < embedded.length; at += SCAN_BATCH) {
    const members = embedded.slice(at, at + SCAN_BATCH)
    const known = engine.index.nearest(
      members.map(({ vector }) => vector),
      NEIGHBOURS,
      floor,
    )
    const near = members.map(({ vector }, i) =>
      [
        ...(known[i] ?? []),
        ...members.slice(0, i).map((mate) => ({ id: mate.block.id, cosine: dot(vector, mate.vector) })),
      ]
        .filter(({ cosine }) => cosine >= floor)
        .sort((a, b) => b.cosine - a.cosine)
        .slice(0, NEIGHBOURS),
    )
    yield { members, near }
  }
}
