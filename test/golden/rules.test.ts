import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recency } from '../../src/domain/score/experience.ts'
import {
  attributionScore,
  centroid,
  cueSimilarity,
  drift,
  hoursUntilRecency,
  mergePeerEvidence,
  volatilityClass,
} from './rules.ts'

const lambda = fc.double({ min: 1e-6, max: 1, noNaN: true })

test('identity outlasts the project, and the project outlasts a status', () => {
  expect(volatilityClass(['self/constitutional'], 'observation')).toBe('identity')
  expect(volatilityClass(['self/style'], 'task')).toBe('project')
  expect(volatilityClass([], 'mind')).toBe('project')
  expect(volatilityClass(['x'], 'task')).toBe('status')
})

test('after the hours until a recency, that recency is reached', () => {
  fc.assert(
    fc.property(lambda, fc.double({ min: 0.001, max: 1, noNaN: true }), (rate, threshold) => {
      expect(recency(rate, hoursUntilRecency(rate, threshold))).toBeCloseTo(threshold, 9)
    }),
  )
})

test("a peer's evidence counts by trust", () => {
  const merged = mergePeerEvidence({ alpha: 1, beta: 2 }, { alpha: 4, beta: 6 }, 0.5)
  expect(merged).toEqual({ alpha: 3, beta: 5 })
})

test('cues are compared by their words, and a missing cue compares to nothing', () => {
  expect(cueSimilarity('When Deploying', 'deploying now')).toBeCloseTo(1 / 3, 12)
  expect(cueSimilarity(undefined, 'x')).toBeUndefined()
  expect(cueSimilarity('x', '')).toBeUndefined()
})

test('a centre of nothing is nothing, and of one vector that vector at length 1', () => {
  expect(centroid([])).toBeUndefined()
  expect(Array.from(centroid([Float32Array.of(0, 2)]) ?? [])).toEqual([0, 1])
})

test('drift is 0 at the centre, 1 opposite to it and one half for a zero vector', () => {
  const centre = Float32Array.of(1, 0)
  const vectors = [Float32Array.of(3, 0), Float32Array.of(-1, 0), Float32Array.of(0, 0)]
  expect(vectors.map((vector) => drift(vector, centre))).toEqual([0, 1, 0.5])
})

const OPTIONS = { minLength: 4, stopWords: new Set(['with']) }

test('an answer is credited to a block by the share of its telling words', () => {
  expect(attributionScore('Redis pool with twenty', 'the REDIS pool', OPTIONS)).toBeCloseTo(2 / 3, 12)
})

test('a block without telling words gets no credit', () => {
  expect(attributionScore('it is so', 'it is so', OPTIONS)).toBe(0)
})
