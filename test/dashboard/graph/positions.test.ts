import { expect, test } from 'vitest'
import { settle } from '../../../dashboard/graph/layout.ts'
import { knownGroups, knownPlaces } from '../../../dashboard/graph/positions.ts'
import { startPlaces } from '../../../dashboard/graph/start.ts'
import { apart, lastOf, rings } from './made.ts'

const TWO = rings(2, 10)
const kept = {
  ids: Array.from({ length: 20 }, (_, i) => `id${i}`),
  places: Float32Array.from({ length: 40 }, (_, i) => 10 * i),
  groups: Int32Array.from({ length: 20 }, (_, i) => Math.floor(i / 10)),
  edges: TWO.a.length,
}

test('blocks stand where they stood, also in another order', () => {
  const places = knownPlaces(['id3', 'new', 'id0'], kept)
  expect(places.slice(0, 2)).toEqual(Float32Array.of(60, 70))
  expect(places[2]).toBeNaN()
  expect(places.slice(4)).toEqual(Float32Array.of(0, 10))
})

test('a new block starts at the mean of its neighbours, and only it and they move', () => {
  const edges = {
    count: 21,
    a: [...(TWO.a as number[]), 20, 20],
    b: [...(TWO.b as number[]), 4, 6],
    weight: Array.from({ length: TWO.a.length + 2 }, () => 0.8),
  }
  const known = knownPlaces([...kept.ids, 'new'], kept)
  const start = startPlaces(edges, known)
  // The mean of block 4, at 80 and 90, and block 6, at 120 and 130, and a little to a side.
  expect(Math.abs((start.places[40] ?? 0) - 100)).toBeLessThan(10)
  expect(Math.abs((start.places[41] ?? 0) - 110)).toBeLessThan(10)
  expect([...start.moves.keys()].filter((i) => start.moves[i])).toEqual([4, 6, 20])
  const settled = lastOf(settle(edges, start)) as Float32Array
  for (let i = 0; i < 20; i++) {
    const moved = apart(
      Float32Array.from([...settled.slice(2 * i, 2 * i + 2), ...known.slice(2 * i, 2 * i + 2)]),
      0,
      1,
    )
    if (i === 4 || i === 6) expect(moved, `block ${i}`).toBeGreaterThan(0)
    else expect(moved, `block ${i}`).toBe(0)
  }
})

test('a new block behind a new block finds its place, too; one that nothing joins stands beside', () => {
  const edges = {
    count: 23,
    a: [...(TWO.a as number[]), 20, 21],
    b: [...(TWO.b as number[]), 4, 20],
    weight: Array.from({ length: TWO.a.length + 2 }, () => 0.8),
  }
  const { places } = startPlaces(edges, knownPlaces([...kept.ids, 'new', 'newer', 'lone'], kept))
  expect(Math.abs((places[42] ?? 0) - 80)).toBeLessThan(20)
  expect(Number.isFinite(places[44])).toBe(true)
})

test('a map that knows less than half of the blocks is made anew', () => {
  const known = new Float32Array(40).fill(Number.NaN)
  known.set([1, 2, 3, 4])
  expect(startPlaces(TWO, known).moves.every((each) => each === 1)).toBe(true)
})

test('groups are kept while no block and no edge came or went', () => {
  const turned = [...kept.ids].reverse()
  expect(knownGroups(turned, kept.edges, kept)).toEqual(Int32Array.from(kept.groups).reverse())
  expect(knownGroups(turned, kept.edges + 1, kept)).toBeUndefined()
  expect(knownGroups([...turned.slice(1), 'new'], kept.edges, kept)).toBeUndefined()
})
