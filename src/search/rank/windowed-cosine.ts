import { type ChainColumns, GATE_ONE } from '../index/session-chains.ts'

/**
 * Cosines that lean on their neighbours in the session: (c + Σ w·g·c′) / (1 + Σ w·g), g being how related the two
 * are. Normalised, so that an isolated block loses nothing.
 *
 * @param window weights of the cosines 2, 1 before and 1, 2 after
 * @param answer where the result goes; at least as long as `cosines`
 */
export function windowedCosines(
  cosines: Float32Array,
  { before, after, gates }: ChainColumns,
  window: readonly number[],
  answer: Float32Array<ArrayBuffer>,
): Float32Array<ArrayBuffer> {
  const [back2 = 0, back1 = 0, ahead1 = 0, ahead2 = 0] = window.map((weight) => weight / GATE_ONE)
  const [gate1, gate2] = gates as [Uint16Array, Uint16Array]
  for (let slot = 0; slot < cosines.length; slot++) {
    let sum = cosines[slot] as number
    let weights = 1
    const b1 = before[slot] as number
    if (b1 >= 0) {
      const w = back1 * (gate1[slot] as number)
      sum += w * (cosines[b1] as number)
      weights += w
      const b2 = before[b1] as number
      if (b2 >= 0) {
        const w2 = back2 * (gate2[slot] as number)
        sum += w2 * (cosines[b2] as number)
        weights += w2
      }
    }
    const a1 = after[slot] as number
    if (a1 >= 0) {
      const w = ahead1 * (gate1[a1] as number)
      sum += w * (cosines[a1] as number)
      weights += w
      const a2 = after[a1] as number
      if (a2 >= 0) {
        const w2 = ahead2 * (gate2[a2] as number)
        sum += w2 * (cosines[a2] as number)
        weights += w2
      }
    }
    answer[slot] = sum / weights
  }
  return answer
}
