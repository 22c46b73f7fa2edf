import type { Edges } from '../../../dashboard/graph/start.ts'

/** Rings of nodes, each node also joined across its ring; neighbouring rings are joined by one edge. */
export function rings(count: number, size: number): Edges {
  const a: number[] = []
  const b: number[] = []
  const join = (p: number, q: number) => {
    a.push(p)
    b.push(q)
  }
  for (let ring = 0; ring < count; ring++) {
    const start = ring * size
    for (let i = 0; i < size; i++) {
      join(start + i, start + ((i + 1) % size))
      if (i < size / 2) join(start + i, start + i + size / 2)
    }
    if (ring > 0) join(start - size, start)
  }
  return { count: count * size, a, b, weight: a.map(() => 0.8) }
}

/** The distance of two nodes. */
export function apart(places: Float32Array, p: number, q: number): number {
  const [px = 0, py = 0] = places.subarray(2 * p)
  const [qx = 0, qy = 0] = places.subarray(2 * q)
  return Math.hypot(px - qx, py - qy)
}

/** The last of what a generator yields. */
export function lastOf<T>(values: Iterable<T>): T | undefined {
  let last: T | undefined
  for (const value of values) last = value
  return last
}
