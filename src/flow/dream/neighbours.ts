import {
  type QuantisedVector,
  quantise,
  quantisedCosine,
  SCAN_BATCH,
} from '../../search/index/vector-matrix.ts'
import type { Embedded } from '../blocks/embed-blocks.ts'
import type { Engine } from '../engine/engine.ts'

/** A block near another one. */
export interface Near {
  readonly id: string
  /** Of the two contents. */
  readonly cosine: number
}

/** Neighbours worth a look when a block is linked or compared. */
export const NEIGHBOURS = 8

/**
 * Returns who is near each waiting block in its scope, most similar first: the nearest active blocks, and all
 * of the batch before it, which may turn out not to become active. Those are not in the index yet and are
 * compared here exactly as the index would, so that no decision depends on where a batch ends. Several are
 * looked up at once, because a scan loads every row only once for all of them.
 */
export function neighboursOf(engine: Engine, batch: readonly Embedded[]): Near[][] {
  const floor = engine.settings.memory.edgeCosineFloor
  const known: Near[][] = []
  for (let at = 0; at < batch.length; at += SCAN_BATCH) {
    const asked = batch
      .slice(at, at + SCAN_BATCH)
      .map(({ block, vector }) => ({ scope: block.scope, vector }))
    known.push(...engine.index.nearest(asked, NEIGHBOURS, floor))
  }
  const quantised = batch.map(({ vector }) => quantise(vector))
  return batch.map((_, i) =>
    [...(known[i] ?? []), ...mates(batch, quantised, i)]
      .filter(({ cosine }) => cosine >= floor)
      .sort((a, b) => b.cosine - a.cosine),
  )
}

/** Those before the `i`-th, of its scope. */
function mates(batch: readonly Embedded[], vectors: readonly QuantisedVector[], i: number): Near[] {
  const own = vectors[i] as QuantisedVector
  const { scope } = (batch[i] as Embedded).block
  return batch
    .slice(0, i)
    .flatMap(({ block }, j) =>
      block.scope === scope
        ? [{ id: block.id, cosine: quantisedCosine(own, vectors[j] as QuantisedVector) }]
        : [],
    )
}
