import { expect, test } from 'vitest'
import {
  allPairs,
  bestNeighbours,
  CIRCUMSTANCES,
  cosineNeeded,
  joinFrom,
  type Placed,
  scoreOf,
} from '../../bench/edges/pairs.ts'
import { loadTexts } from '../../bench/edges/texts.ts'
import { leastShare } from '../../bench/lib/statistics.ts'

const at = (degrees: number, group: string): Placed => ({
  group,
  vector: Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)),
})

test('the data holds 30 topics of four statements and 40 restatements, nothing twice', () => {
  const { notes, statements, restatements } = loadTexts()
  expect([notes.length, statements.length, restatements.length]).toEqual([400, 120, 80])
  const all = [...notes, ...statements, ...restatements].map(({ text }) => text.toLowerCase())
  expect(new Set(all).size).toBe(600)
  const sizes = (texts: typeof statements) =>
    new Set([...Map.groupBy(texts, ({ group }) => group).values()].map(({ length }) => length))
  expect([...sizes(statements), ...sizes(restatements)]).toEqual([4, 2])
  for (const { text } of statements) expect(text.split(' ').length).toBeGreaterThanOrEqual(6)
  for (const { text } of statements) expect(text.split(' ').length).toBeLessThanOrEqual(17)
})

test('every pair is there once and knows whether both are about the same', () => {
  const pairs = allPairs([at(0, 'a'), at(60, 'a'), at(90, 'b')])
  expect(pairs.map(({ related }) => related)).toEqual([true, false, false])
  expect(pairs[0]?.cosine).toBeCloseTo(0.5, 6)
})

test('best neighbours above the line become edges, each once, and notes should have none', () => {
  const best = bestNeighbours([at(200, 'note'), at(0, 'a'), at(10, 'a'), at(90, 'b'), at(60, 'b')])
  expect(best.slice(1).map(({ from, to }) => [from, to])).toEqual([
    [1, 2],
    [1, 2],
    [3, 4],
    [3, 4],
  ])
  expect(joinFrom(0.9, best, 1)).toEqual({ joined: 0.5, right: 1, notesJoined: 0, edges: 1, precision: 1 })
  const all = joinFrom(-1, best, 1)
  expect(all).toMatchObject({ joined: 1, right: 1, notesJoined: 1, edges: 3 })
  expect(all.precision).toBeCloseTo(2 / 3, 12)
})

test('the cosine that a score needs is the one that just reaches it', () => {
  for (const circumstance of CIRCUMSTANCES)
    for (const threshold of [0.35, 0.45, 0.55])
      expect(scoreOf(Math.min(1, cosineNeeded(threshold, circumstance)), circumstance)).toBeCloseTo(
        threshold,
        6,
      )
  expect(CIRCUMSTANCES.map((each) => cosineNeeded(0.45, each).toFixed(2))).toEqual(['0.36', '0.55', '0.74'])
})

test('the least share grows towards the share with more cases', () => {
  expect(leastShare(0, 0)).toBe(0)
  expect(leastShare(9, 10)).toBeCloseTo(0.596, 3)
  expect(leastShare(90, 100)).toBeCloseTo(0.826, 3)
})
