import type { IndexParts } from '../index/index-parts.ts'
import { Top } from './top.ts'

/** Arguments of `nearestBlocks`: each vector with the scope of the blocks it is compared with, undefined for those of none. */
export interface Near {
  readonly asked: readonly { readonly vector: Float32Array; readonly scope: string | undefined }[]
  readonly count: number
  readonly floor: number
}

/** For each vector the `count` likest active blocks of its scope at or above `floor`, best first. One pass for all. */
export function nearestBlocks(
  { blocks, vectors }: IndexParts,
  { asked, count, floor }: Near,
): { readonly id: string; readonly cosine: number }[][] {
  const tops = asked.map(() => new Top(count, blocks.precedes))
  const allowed = asked.map(({ scope }) => blocks.inScope(scope))
  vectors.eachAbove(
    asked.map(({ vector }) => vector),
    { slots: blocks.end, floor },
    (query, slot, cosine) => {
      const top = tops[query] as Top
      if (cosine >= top.least && top.wants(slot, cosine) && allowed[query]?.(slot)) top.take(slot, cosine)
    },
  )
  return tops.map(({ slots, values }) =>
    slots.map((slot, i) => ({ id: blocks.idOf(slot), cosine: values[i] as number })),
  )
}
