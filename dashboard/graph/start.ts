import { firstPlaces } from './first-places.ts'

/** A graph as columns: ends and weights (0 to 1) of edges among nodes 0 … count − 1. */
export interface Edges {
  readonly count: number
  readonly a: ArrayLike<number>
  readonly b: ArrayLike<number>
  readonly weight: ArrayLike<number>
}

/** Repeatable random numbers from 0 to 1 (Park and Miller), so that the same memory gives the same map. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** The places nodes start from: those known, the mean of their neighbours for new ones, and new for all if few are known. */
export function startPlaces(edges: Edges, known?: Float32Array): { places: Float32Array; moves: Uint8Array } {
  const isNew = Uint8Array.from({ length: edges.count }, (_, i) => Number(!Number.isFinite(known?.[2 * i])))
  const newOnes = isNew.reduce((sum, each) => sum + each, 0)
  if (known === undefined || 2 * newOnes > edges.count)
    return { places: firstPlaces(edges), moves: new Uint8Array(edges.count).fill(1) }
  return { places: amongNeighbours(edges, known, isNew), moves: withNeighbours(edges, isNew) }
}

/** New nodes at the mean of those neighbours that have a place, in turns from the known outward; the rest beside. */
function amongNeighbours(edges: Edges, known: Float32Array, isNew: Uint8Array): Float32Array {
  const places = Float32Array.from(known)
  const random = randomFrom(7)
  const reach = spread(known)
  while (placeNext(edges, places, { random, apart: 0.02 * reach }));
  for (let i = 0; i < edges.count; i++) {
    if (!isNew[i] || hasPlace(places, i)) continue
    places[2 * i] = reach * (0.6 + 0.1 * random())
    places[2 * i + 1] = reach * (random() - 0.5)
  }
  return places
}

function hasPlace(places: Float32Array, node: number): boolean {
  return !Number.isNaN(places[2 * node] ?? 0)
}

/** Places the nodes that are next to placed ones; returns whether there were any. */
function placeNext(
  edges: Edges,
  places: Float32Array,
  { random, apart }: { readonly random: () => number; readonly apart: number },
): boolean {
  const sums = sumsOfNeighbours(edges, places)
  let isAny = false
  for (let i = 0; i < edges.count; i++) {
    const found = sums[3 * i + 2] ?? 0
    if (found === 0) continue
    isAny = true
    // Two on one spot would push each other nowhere.
    places[2 * i] = (sums[3 * i] ?? 0) / found + (random() - 0.5) * apart
    places[2 * i + 1] = (sums[3 * i + 1] ?? 0) / found + (random() - 0.5) * apart
  }
  return isAny
}

/** Sums of the places of placed neighbours, and their number, for each node without a place. */
function sumsOfNeighbours({ a, b, count }: Edges, places: Float32Array): Float64Array {
  const sums = new Float64Array(3 * count)
  const add = (to: number, from: number) => {
    if (hasPlace(places, to) || !hasPlace(places, from)) return
    sums[3 * to] = (sums[3 * to] ?? 0) + (places[2 * from] ?? 0)
    sums[3 * to + 1] = (sums[3 * to + 1] ?? 0) + (places[2 * from + 1] ?? 0)
    sums[3 * to + 2] = (sums[3 * to + 2] ?? 0) + 1
  }
  for (let k = 0; k < a.length; k++) {
    add(a[k] ?? 0, b[k] ?? 0)
    add(b[k] ?? 0, a[k] ?? 0)
  }
  return sums
}

function spread(places: Float32Array): number {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of places) {
    if (Number.isNaN(value)) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return Number.isFinite(high - low) && high > low ? high - low : 100
}

function withNeighbours({ a, b }: Edges, isNew: Uint8Array): Uint8Array {
  const moves = Uint8Array.from(isNew)
  for (let k = 0; k < a.length; k++) {
    if (isNew[a[k] ?? 0]) moves[b[k] ?? 0] = 1
    if (isNew[b[k] ?? 0]) moves[a[k] ?? 0] = 1
  }
  return moves
}
