import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createScanFallback, loadScanKernel } from '../../adapters/system/scan-kernel.ts'
import { normalise } from '../../domain/score/vector.ts'
import { quantise, quantisedCosine } from './quantise.ts'
import { VectorMatrix } from './vector-matrix.ts'

const vector = fc
  .float32Array({ minLength: 40, maxLength: 40, min: -1, max: 1, noNaN: true })
  .map((values) => normalise(values))

test('quantisedCosine is to the bit the cosine that a matrix gives', () => {
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 9 }), vector, (rows, question) => {
      const matrix = new VectorMatrix(loadScanKernel() ?? createScanFallback())
      for (const [slot, row] of rows.entries()) matrix.set(slot, row)
      const cosines = matrix.cosines(question, rows.length)
      for (const [slot, row] of rows.entries())
        expect(quantisedCosine(quantise(question), quantise(row))).toBe(cosines[slot])
    }),
  )
})

test('quantise rounds each component to the nearest of 127 steps, halves up', () => {
  const halves = Float32Array.from([127, 0.5, -0.5, 1.5, -1.5, 63.49, 63.51, -126.5, -127, 0])
  fc.assert(
    fc.property(fc.constant(halves), vector, (exact, chance) => {
      for (const each of [exact, chance]) {
        const { bytes, scale } = quantise(each)
        expect([...bytes]).toEqual([...each].map((value) => Math.round(value / scale) + 0))
      }
    }),
  )
})
