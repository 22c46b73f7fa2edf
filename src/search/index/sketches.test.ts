import { describe, expect, test } from 'vitest'
import { loadScanKernel } from '../../adapters/system/scan-kernel.ts'
import { normalise } from '../../domain/score/vector.ts'
import type { ScanKernel } from '../../ports/scan-kernel.ts'
import { type Scan, VectorMatrix } from './vectors.ts'

const ROWS = 5_000
const FLOORS = [0.3, 0.5, 0.7, 0.9]

/** Returns a generator of normally distributed numbers that depend on the seed alone. */
function noise(seed: number): () => number {
  let state = seed
  const even = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 1) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(even())) * Math.cos(2 * Math.PI * even())
}

/** Makes vectors around 50 centres, spread around them by `spread` and moved by `offset` along one axis. */
function clustered(
  dimensions: number,
  { spread, offset }: { spread: number; offset: number },
): Float32Array[] {
  const next = noise(dimensions + 17)
  const centres = Array.from({ length: 50 }, () => Float32Array.from({ length: dimensions }, next))
  return Array.from({ length: ROWS }, (_, i) => {
    const centre = centres[i % 50] as Float32Array
    const away = spread * (0.2 + (i % 7) / 3)
    return normalise(centre.map((value, d) => value + away * next() + (d === 3 ? offset : 0)))
  })
}

function matrixOf(vectors: readonly Float32Array[], kernel: ScanKernel): VectorMatrix {
  const matrix = new VectorMatrix(kernel)
  for (const [slot, vector] of vectors.entries()) matrix.set(slot, vector)
  return matrix
}

function simd(): ScanKernel {
  const kernel = loadScanKernel()
  if (!kernel) throw new Error('this engine has no SIMD')
  return kernel
}

/** Returns a matrix whose sketches are all made. */
function sketched(vectors: readonly Float32Array[], kernel = simd()): VectorMatrix {
  const matrix = matrixOf(vectors, kernel)
  for (let call = 0; call * 1_024 < vectors.length; call++) near(matrix, vectors, [0], { floor: 1 })
  return matrix
}

/** Lists places, slots and cosines at or above a floor; with `count` the floor rises to the last of the best ones. */
function near(
  matrix: VectorMatrix,
  vectors: readonly Float32Array[],
  places: readonly number[],
  { floor, count, scan = 'sketched' }: { floor: number; count?: number; scan?: Scan },
): string[] {
  const found = places.map((): { slot: number; cosine: number }[] => [])
  const least = places.map(() => floor)
  matrix.eachAbove(
    places.map((place) => vectors[place] as Float32Array),
    { slots: vectors.length, floorOf: (query) => least[query] as number, scan },
    (query, slot, cosine) => {
      const best = found[query] as { slot: number; cosine: number }[]
      best.push({ slot, cosine })
      if (count === undefined) return
      best.sort((a, b) => b.cosine - a.cosine || a.slot - b.slot)
      if (best.length > count) best.pop()
      if (best.length === count) least[query] = best[count - 1]?.cosine as number
    },
  )
  return found.flatMap((each, i) => each.map(({ slot, cosine }) => `${places[i]} ${slot} ${cosine}`))
}

/** Returns groups of four places from all over the rows. */
function asked(times: number): number[][] {
  return Array.from({ length: times }, (_, i) => [0, 1, 2, 3].map((j) => (i * 397 + j * 1_231) % ROWS))
}

function expectSame(matrix: VectorMatrix, vectors: readonly Float32Array[], times: number): void {
  for (const places of asked(times)) {
    for (const floor of FLOORS) {
      const exact = near(matrix, vectors, places, { floor, scan: 'exact' })
      expect(near(matrix, vectors, places, { floor })).toEqual(exact)
    }
    const best = near(matrix, vectors, places, { floor: 0.3, count: 8, scan: 'exact' })
    expect(best.length).toBeGreaterThan(0)
    expect(near(matrix, vectors, places, { floor: 0.3, count: 8 })).toEqual(best)
  }
}

describe('a sketched scan finds the rows of an exact one', () => {
  test.each([
    ['vectors of 384 dimensions', clustered(384, { spread: 0.8, offset: 0 })],
    ['vectors of 1,536 dimensions', clustered(1_536, { spread: 0.8, offset: 0 })],
    ['vectors of 1,000 dimensions', clustered(1_000, { spread: 0.5, offset: 0 })],
    ['vectors that are all near one another', clustered(384, { spread: 0.8, offset: 30 })],
    ['vectors with one great component', clustered(768, { spread: 1, offset: 80 })],
    ['vectors that hardly differ', clustered(384, { spread: 0.02, offset: 0 })],
  ])('among %s', (_, vectors) => {
    expectSame(sketched(vectors), vectors, 12)
  })

  test('among vectors that are mostly zeros', () => {
    const vectors = clustered(384, { spread: 0.8, offset: 0 }).map((vector, i) =>
      normalise(vector.map((value, d) => (d % 16 === i % 3 ? value : 0))),
    )
    expectSame(sketched(vectors), vectors, 12)
  })
})

describe('sketches', () => {
  const vectors = clustered(384, { spread: 0.8, offset: 0 })

  test('follow changed and new rows', () => {
    const matrix = sketched(vectors)
    const changed = [...vectors]
    const [one, other] = [vectors[10], vectors[11]] as [Float32Array, Float32Array]
    changed[4_000] = one
    changed[11] = one
    for (const slot of [11, 4_000]) matrix.set(slot, one)
    for (let i = 0; i < 4_000; i++) {
      changed.push(i % 2 === 0 ? one : other)
      matrix.set(ROWS + i, changed[ROWS + i] as Float32Array)
    }
    for (let call = 0; call < 9; call++) {
      const exact = near(matrix, changed, [10, 12], { floor: 0.9, scan: 'exact' })
      expect(exact.length).toBeGreaterThan(2_000)
      expect(near(matrix, changed, [10, 12], { floor: 0.9 })).toEqual(exact)
    }
  })

  test.each([
    ['that lie around', vectors],
    ['that all lean to one side', clustered(384, { spread: 0.8, offset: 40 })],
  ])('spare most rows of vectors %s', (_, vectors) => {
    const kernel = simd()
    let dots = 0
    const counting: ScanKernel = {
      ...kernel,
      scanMany: (queries, count, matrix, rows, ...more) => {
        dots += count * rows
        kernel.scanMany(queries, count, matrix, rows, ...more)
      },
      dotsAt: (query, matrix, places, count, ...more) => {
        dots += count
        kernel.dotsAt(query, matrix, places, count, ...more)
      },
    }
    const matrix = sketched(vectors, counting)
    dots = 0
    near(matrix, vectors, [1, 2, 3, 4], { floor: 0.5, count: 8 })
    // The scan reads all of the first part, because it does not know the floor there yet.
    expect(dots).toBeLessThan(4 * 1_024 + (4 * ROWS) / 8)
  })
})
