import { expect, test } from 'vitest'
import { centroid, drift, driftRecommendedMax } from './drift.ts'

test('a centre of nothing is nothing, and of one vector that vector at length 1', () => {
  expect(centroid([])).toBeUndefined()
  expect(Array.from(centroid([Float32Array.of(0, 2)]) ?? [])).toEqual([0, 1])
})

test('drift is 0 at the centre, 1 opposite to it and one half for a zero vector', () => {
  const centre = Float32Array.of(1, 0)
  const vectors = [Float32Array.of(3, 0), Float32Array.of(-1, 0), Float32Array.of(0, 0)]
  expect(vectors.map((vector) => drift(vector, centre))).toEqual([0, 1, 0.5])
})

test('the recommended run covers all that waits, in steps of fifty', () => {
  expect([-5, 0, 1, 50, 51, 120].map((waiting) => driftRecommendedMax(waiting))).toEqual([
    20, 20, 50, 50, 100, 150,
  ])
})
