import type { SessionChains } from './session-chains.ts'

/**
 * Cosines that lean on their neighbours in the session: (c + Σ w·g·c′) / (1 + Σ w·g), g being how related the two
 * are. Normalised, so that an isolated block loses nothing.
 *
 * @param window weights of the cosines 2, 1 before and 1, 2 after
 */
export function windowedCosines(
  cosines: Float32Array,
  chains: SessionChains,
  window: readonly number[],
): Float32Array<ArrayBuffer> {
  const [back2 = 0, back1 = 0, ahead1 = 0, ahead2 = 0] = window
  const { before, after, gates } = chains.columns
  const [before1, before2] = before as [Int32Array, Int32Array]
  const [after1, after2] = after as [Int32Array, Int32Array]
  const [gate1, gate2] = gates as [Float32Array, Float32Array]
  const answer = new Float32Array(cosines.length)
  for (let slot = 0; slot < cosines.length; slot++) {
    let sum = cosines[slot] as number
    let weights = 1
    const b1 = before1[slot] ?? -1
    if (b1 >= 0) {
      const w = back1 * (gate1[slot] as number)
      sum += w * (cosines[b1] as number)
      weights += w
      const b2 = before2[slot] as number
      if (b2 >= 0) {
        const w2 = back2 * (gate2[slot] as number)
        sum += w2 * (cosines[b2] as number)
        weights += w2
      }
    }
    const a1 = after1[slot] ?? -1
    if (a1 >= 0) {
      const w = ahead1 * (gate1[a1] as number)
      sum += w * (cosines[a1] as number)
      weights += w
      const a2 = after2[slot] as number
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
