import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPlainScanKernel } from '../../test/helpers/plain-scan-kernel.ts'
import { loadScanKernel } from '../adapters/system/scan-kernel.ts'
import { dot, normalise, quantise, quantisedCosine, type ScanKernel, VectorMatrix } from './columns.ts'

const DIMENSIONS = 40
const unitVector = fc
  .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .map((values) => normalise(Float32Array.from(values, (value, i) => (i === 0 ? value + 2 : value))))
const fewVectors = fc.array(unitVector, { minLength: 1, maxLength: 12 })

function filled(kernel: ScanKernel, vectors: readonly Float32Array[]): VectorMatrix {
  const matrix = new VectorMatrix(kernel)
  for (const [slot, vector] of vectors.entries()) matrix.set(slot, vector)
  return matrix
}

/** All cosines of several queries at once. */
function cosinesOfMany(
  matrix: VectorMatrix,
  queries: readonly Float32Array[],
  slots: number,
): Float32Array[] {
  const answers = queries.map(() => new Float32Array(slots))
  matrix.eachAbove(queries, { slots, floorOf: () => -2 }, (query, slot, cosine) => {
    ;(answers[query] as Float32Array)[slot] = cosine
  })
  return answers
}

describe('resident vectors', () => {
  test('cosines are equal with the SIMD kernel and with plain JavaScript', () => {
    fc.assert(
      fc.property(fewVectors, fc.array(unitVector, { minLength: 1, maxLength: 4 }), (rows, queries) => {
        const fast = cosinesOfMany(filled(loadScanKernel(), rows), queries, rows.length)
        expect(fast).toEqual(cosinesOfMany(filled(createPlainScanKernel(), rows), queries, rows.length))
      }),
      { numRuns: 50 },
    )
  })

  test('cosines of int8 rows are within 0.02 of those of float rows', () => {
    fc.assert(
      fc.property(fewVectors, unitVector, (rows, query) => {
        const cosines = filled(loadScanKernel(), rows).cosines(query, rows.length)
        for (const [slot, row] of rows.entries())
          expect(Math.abs((cosines[slot] as number) - dot(row, query))).toBeLessThan(0.02)
      }),
      { numRuns: 50 },
    )
  })

  test('cosines of several questions at once equal those of each alone', () => {
    fc.assert(
      fc.property(fewVectors, fc.array(unitVector, { minLength: 1, maxLength: 4 }), (rows, queries) => {
        const matrix = filled(loadScanKernel(), rows)
        expect(cosinesOfMany(matrix, queries, rows.length)).toEqual(
          queries.map((query) => matrix.cosines(query, rows.length)),
        )
      }),
      { numRuns: 50 },
    )
  })

  test('cosines of a row stay the same after growth, replacement and removal of others', () => {
    const matrix = new VectorMatrix(loadScanKernel())
    const axis = (i: number) => Float32Array.from({ length: 1000 }, (_, d) => (d === i ? 1 : 0))
    for (let slot = 0; slot < 900; slot++) matrix.set(slot, axis(slot))
    matrix.set(3, axis(950))
    matrix.remove(5)
    const cosines = matrix.cosines(axis(899), 900)
    expect(cosines[899]).toBeCloseTo(1, 2)
    expect(matrix.between(3, 899)).toBe(0)
    expect(matrix.cosines(axis(950), 900)[3]).toBeCloseTo(1, 2)
    expect(matrix.cosines(axis(5), 900)[5]).toBe(0)
    expect(matrix.has(5)).toBe(false)
  })
})

const vector = fc
  .float32Array({ minLength: 40, maxLength: 40, min: -1, max: 1, noNaN: true })
  .map((values) => normalise(values))

test('quantisedCosine is to the bit the cosine that a matrix gives', () => {
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 9 }), vector, (rows, question) => {
      const matrix = new VectorMatrix(loadScanKernel())
      for (const [slot, row] of rows.entries()) matrix.set(slot, row)
      const cosines = matrix.cosines(question, rows.length)
      for (const [slot, row] of rows.entries())
        expect(quantisedCosine(quantise(question), quantise(row))).toBe(cosines[slot])
    }),
  )
})
