import type { IndexParts } from './index-parts.ts'

/** A straight line that maps cosines: factor · c + offset. */
export interface CosineScale {
  readonly factor: number
  readonly offset: number
}

/** How many vectors a background is measured on. */
export interface BackgroundSample {
  /** Fewer blocks with vectors show no background. */
  readonly fewestBlocks: number
  readonly ones: number
  /** Each of the ones is compared with so many. */
  readonly others: number
}

/** How the cosines of a store's blocks lie. */
export interface MeasuredBackground {
  readonly mean: number
  readonly deviation: number
  /** Blocks with vectors when it was measured. */
  readonly blocks: number
}

/** Maps cosines in place; 0, of slots without a vector, stays. */
export function rescale(cosines: Float32Array, { factor, offset }: CosineScale): void {
  for (let slot = 0; slot < cosines.length; slot++) {
    const cosine = cosines[slot] as number
    if (cosine !== 0) cosines[slot] = factor * cosine + offset
  }
}

/**
 * Mean and standard deviation of the cosines of pairs from all over the store; undefined where there are too few vectors
 * or all are alike.
 */
export function backgroundOf(
  { blocks, vectors }: IndexParts,
  { fewestBlocks, ones, others }: BackgroundSample,
): MeasuredBackground | undefined {
  const slots: number[] = []
  for (let slot = 0; slot < blocks.end; slot++) if (blocks.isHere(slot) && vectors.has(slot)) slots.push(slot)
  if (slots.length < fewestBlocks) return undefined
  let [count, sum, squares] = [0, 0, 0]
  for (const one of spread(slots, ones))
    for (const other of spread(slots, others)) {
      if (one === other) continue
      const cosine = vectors.between(one, other)
      count++
      sum += cosine
      squares += cosine * cosine
    }
  const mean = sum / count
  const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean))
  return deviation > 0 ? { mean, deviation, blocks: slots.length } : undefined
}

/** At most so many of the slots, at even distances. */
function spread(slots: readonly number[], most: number): number[] {
  const step = Math.max(1, slots.length / most)
  return Array.from({ length: Math.min(most, slots.length) }, (_, i) => slots[Math.floor(i * step)] as number)
}
