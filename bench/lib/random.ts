/** Repeatable random numbers: the same seed gives the same sequence on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  /** Uniform whole number in [0, below). */
  below(below: number): number
  /** Uniform in [low, high). */
  between(low: number, high: number): number
  /** Normal deviate, mean 0, variance 1. */
  normal(): number
  pick<T>(items: readonly T[]): T
  /** `count` different items in random order; with weights, heavier ones sooner. */
  sample<T>(items: readonly T[], count: number, weights?: readonly number[]): T[]
  shuffled<T>(items: readonly T[]): T[]
}

/** sfc32 seeded from whole numbers; the generator of the practRand collection by Chris Doty-Humphrey. */
export function createRandom(...seed: readonly number[]): Random {
  const next = generator(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const sample = <T>(items: readonly T[], count: number, weights = items.map(() => 1)): T[] => {
    const left = items.map((item, i) => ({ item, weight: weights[i] as number }))
    const chosen: T[] = []
    while (chosen.length < count && left.length > 0) {
      const at = weighted(left, next)
      chosen.push((left[at] as { item: T }).item)
      left.splice(at, 1)
    }
    return chosen
  }
  return {
    next,
    below,
    between: (low, high) => low + (high - low) * next(),
    normal,
    pick,
    sample,
    shuffled: (items) => sample(items, items.length),
  }
}

function generator(seed: readonly number[]): () => number {
  let [a, b, c, counter] = [0x9e3779b9, seed[0] ?? 0, seed[1] ?? 0, 1]
  const step = () => {
    const t = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    return t >>> 0
  }
  for (const more of seed.slice(2)) {
    for (let i = 0; i < 12; i++) step()
    a ^= more
  }
  for (let i = 0; i < 16; i++) step()
  return () => step() / 4_294_967_296
}

function weighted(items: readonly { readonly weight: number }[], next: () => number): number {
  const total = items.reduce((sum, { weight }) => sum + weight, 0)
  let left = next() * total
  for (let at = 0; at < items.length - 1; at++) {
    left -= (items[at] as { weight: number }).weight
    if (left < 0) return at
  }
  return items.length - 1
}
