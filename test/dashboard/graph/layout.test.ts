import { expect, test } from 'vitest'
import { firstPlaces } from '../../../dashboard/graph/first-places.ts'
import { groupsOf, settle } from '../../../dashboard/graph/layout.ts'
import { startPlaces } from '../../../dashboard/graph/start.ts'
import { apart, lastOf, rings } from './made.ts'

const SIX = rings(6, 20)

test('a graph is laid out the same each time', () => {
  const run = () => lastOf(settle(SIX, { ...startPlaces(SIX), groups: groupsOf(SIX) }))
  expect(run()).toEqual(run())
  expect(run()?.every(Number.isFinite)).toBe(true)
})

test('blocks of a group lie closer together than blocks of different groups', () => {
  const places = lastOf(settle(SIX, { ...startPlaces(SIX), groups: groupsOf(SIX) }))
  const distances = { within: [] as number[], between: [] as number[] }
  for (let p = 0; p < SIX.count; p++)
    for (let q = p + 1; q < SIX.count; q++)
      distances[Math.floor(p / 20) === Math.floor(q / 20) ? 'within' : 'between'].push(
        apart(places as Float32Array, p, q),
      )
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  expect(mean(distances.between)).toBeGreaterThan(2 * mean(distances.within))
})

test('groups follow what is joined, and are numbered by size', () => {
  const groups = groupsOf(SIX)
  for (let ring = 0; ring < 6; ring++)
    expect(new Set(groups.subarray(ring * 20, ring * 20 + 20)).size, `ring ${ring}`).toBe(1)
  const sizes = new Map<number, number>()
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const inOrder = [...sizes].sort(([p], [q]) => p - q).map(([, size]) => size)
  expect(inOrder).toEqual([...inOrder].sort((p, q) => q - p))
})

test('a graph without edges has a place and a group for each block', () => {
  const lonely = { count: 5, a: [], b: [], weight: [] }
  expect(groupsOf(lonely)).toEqual(Int32Array.of(0, 1, 2, 3, 4))
  expect(lastOf(settle(lonely, startPlaces(lonely)))?.every(Number.isFinite)).toBe(true)
  expect(firstPlaces({ count: 0, a: [], b: [], weight: [] })).toHaveLength(0)
})

test('in the first picture blocks that are few steps apart are near each other', () => {
  const line = {
    count: 50,
    a: Array.from({ length: 49 }, (_, i) => i),
    b: Array.from({ length: 49 }, (_, i) => i + 1),
    weight: Array.from({ length: 49 }, () => 1),
  }
  const places = firstPlaces(line)
  expect(apart(places, 0, 49)).toBeGreaterThan(5 * apart(places, 0, 1))
  expect(apart(places, 0, 49)).toBeGreaterThan(1.5 * apart(places, 0, 25))
})

test('parts that nothing joins stand outside the largest, none upon another', () => {
  const five = rings(5, 20)
  const edges = {
    count: 106,
    a: [...Array.from(five.a), 100, 102, 104],
    b: [...Array.from(five.b), 101, 103, 105],
    weight: [...Array.from(five.weight), 0.5, 0.5, 0.5],
  }
  const places = lastOf(settle(edges, startPlaces(edges))) as Float32Array
  const main = Array.from({ length: 100 }, (_, i) => i)
  const mean = (axis: 0 | 1) => main.reduce((sum, i) => sum + (places[2 * i + axis] ?? 0), 0) / main.length
  const [x, y] = [mean(0), mean(1)]
  const far = (i: number) => Math.hypot((places[2 * i] ?? 0) - x, (places[2 * i + 1] ?? 0) - y)
  const reach = main.map(far).sort((p, q) => p - q)[97] ?? 0
  for (const node of [100, 102, 104]) expect(far(node)).toBeGreaterThan(reach)
  expect(apart(places, 100, 102)).toBeGreaterThan(1)
  expect(apart(places, 100, 101)).toBeGreaterThan(1)
})
