/** What may be chosen by `topSlots`. */
export interface TopOptions {
  /** Values below it never count; all do when left out. */
  readonly floor?: number
  /** Asked only about slots that would be chosen by their value. */
  readonly allowed: (slot: number) => boolean
}

/**
 * Slots of the highest values, best first; equal values keep slot order. One pass with a small sorted list: cost
 * grows with the values, hardly with `count`.
 */
export function topSlots(values: Float32Array, count: number, { floor, allowed }: TopOptions): number[] {
  const best: number[] = []
  let least = Number.NEGATIVE_INFINITY
  const lowest = floor ?? Number.NEGATIVE_INFINITY
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot] as number
    if (value < lowest || (best.length >= count && value <= least) || !allowed(slot)) continue
    let at = best.length
    while (at > 0 && (values[best[at - 1] as number] as number) < value) at--
    best.splice(at, 0, slot)
    if (best.length > count) best.pop()
    least = values[best[best.length - 1] as number] as number
  }
  return best
}
