/** An id with its score, in a list whose order is the rank. */
export type Scored = readonly [id: string, score: number]

const RRF_K = 60

/**
 * Two ranked lists as one by reciprocal rank, divided by the best sum (Python elfmem). Without any word match the cosines
 * stay as they are. Quirk: whatever its cosine, a block found by its vector alone lies between 0.38 and 0.50 (W3).
 *
 * @returns in the order of the vector list, then those that only words found
 */
export function rrfFuse(vectors: readonly Scored[], words: readonly Scored[], k = RRF_K): Scored[] {
  const positive = words.filter(([, score]) => score > 0)
  if (positive.length === 0) return [...vectors]
  const sums = new Map<string, number>()
  for (const list of [vectors, positive])
    list.forEach(([id], at) => {
      sums.set(id, (sums.get(id) ?? 0) + 1 / (k + at + 1))
    })
  const best = Math.max(...sums.values())
  return [...sums].map(([id, sum]) => [id, sum / best] as const)
}
