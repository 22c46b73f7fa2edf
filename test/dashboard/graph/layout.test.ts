import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstPlaces, partsIn } from '../../../dashboard/graph/first-places.ts'
import { groupsOf } from '../../../dashboard/graph/groups.ts'
import { settle } from '../../../dashboard/graph/layout.ts'
import { type Edges, startPlaces } from '../../../dashboard/graph/start.ts'
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

test('no group holds blocks that nothing joins, and grouping explains the edges better than none does', () => {
  const node = fc.nat(30)
  const edge = fc.record({ a: node, b: node, weight: fc.double({ min: 0, max: 1, noNaN: true }) })
  fc.assert(
    fc.property(fc.array(edge, { minLength: 1, maxLength: 60 }), (list) => {
      const edges = {
        ...{ count: 31, a: list.map(({ a }) => a), b: list.map(({ b }) => b) },
        weight: list.map(({ weight }) => Math.max(0.01, weight)),
      }
      const groups = groupsOf(edges)
      const { part } = partsIn(edges)
      const parts = new Map(Array.from(groups, (group, i) => [group, part[i]]))
      expect(Array.from(groups, (group) => parts.get(group))).toEqual(Array.from(part))
      const alone = modularity(edges, (i) => i)
      expect(modularity(edges, (i) => groups[i] ?? -1)).toBeGreaterThanOrEqual(alone - 1e-9)
    }),
  )
})

/** The share of weight inside groups less what it would be if ends were joined by chance. */
function modularity({ a, b, weight }: Edges, groupOf: (node: number) => number): number {
  const totals = new Map<number, number>()
  let [inside, all] = [0, 0]
  for (let k = 0; k < a.length; k++) {
    const [p, q, w] = [groupOf(a[k] ?? 0), groupOf(b[k] ?? 0), weight[k] ?? 0]
    for (const group of [p, q]) totals.set(group, (totals.get(group) ?? 0) + w)
    if (p === q) inside += w
    all += w
  }
  return [...totals.values()].reduce((sum, total) => sum - (total / (2 * all)) ** 2, inside / all)
}

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
