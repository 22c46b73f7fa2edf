/**
 * Slots of the highest values, best first; equal values keep slot order. Slots the mask rules out never appear.
 * One pass with a small sorted list: cost grows with the values, hardly with `count`.
 */
export function topSlots(values: Float32Array, count: number, allowed: (slot: number) => boolean): number[] {
  const best: number[] = []
  let least = Number.NEGATIVE_INFINITY
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot] as number
    if ((best.length >= count && value <= least) || !allowed(slot)) continue
    let at = best.length
    while (at > 0 && (values[best[at - 1] as number] as number) < value) at--
    best.splice(at, 0, slot)
    if (best.length > count) best.pop()
    least = values[best[best.length - 1] as number] as number
  }
  return best
}
