import { expect, test } from 'vitest'
import { groupsOf } from '../../../dashboard/graph/groups.ts'
import { settle } from '../../../dashboard/graph/layout.ts'
import { namesOf } from '../../../dashboard/graph/names.ts'
import { knownPlaces } from '../../../dashboard/graph/positions.ts'
import { type Edges, startPlaces } from '../../../dashboard/graph/start.ts'

const RING = 20

/** Rings of nodes, each node also joined across its ring; one edge joins neighbouring rings. */
function rings(count: number): Edges {
  const a: number[] = []
  const b: number[] = []
  const join = (p: number, q: number) => {
    a.push(p)
    b.push(q)
  }
  for (let start = 0; start < count * RING; start += RING) {
    for (let i = 0; i < RING; i++) join(start + i, start + ((i + 1) % RING))
    for (let i = 0; i < RING / 2; i++) join(start + i, start + i + RING / 2)
    if (start > 0) join(start - RING, start)
  }
  return { count: count * RING, a, b, weight: a.map(() => 0.8) }
}

function settled(edges: Edges, start?: Parameters<typeof settle>[1]): Float32Array {
  const first = start ?? { ...startPlaces(edges), groups: groupsOf(edges) }
  return [...settle(edges, first)].at(-1) as Float32Array
}

function apart(places: Float32Array, p: number, q: number): number {
  const [px = 0, py = 0] = places.subarray(2 * p)
  const [qx = 0, qy = 0] = places.subarray(2 * q)
  return Math.hypot(px - qx, py - qy)
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

test('a layout is the same each time, finite, and keeps groups together', () => {
  const six = rings(6)
  const places = settled(six)
  expect(settled(six)).toEqual(places)
  expect(places.every(Number.isFinite)).toBe(true)
  const groups = groupsOf(six)
  const [within, between] = [[] as number[], [] as number[]]
  for (let p = 0; p < six.count; p++)
    for (let q = p + 1; q < six.count; q++)
      (groups[p] === groups[q] ? within : between).push(apart(places, p, q))
  expect(new Set(groups).size).toBe(6)
  expect(mean(between)).toBeGreaterThan(2 * mean(within))
})

test('a new block moves only itself and its neighbours', () => {
  const two = rings(2)
  const ids = Array.from({ length: two.count }, (_, i) => `id${i}`)
  const places = Float32Array.from({ length: 2 * two.count }, (_, i) => 10 * i)
  const kept = { ids, places, groups: groupsOf(two), edges: two.a.length }
  const known = knownPlaces([...ids, 'new'], kept)
  const edges = {
    count: two.count + 1,
    a: [...Array.from(two.a), two.count, two.count],
    b: [...Array.from(two.b), 4, 6],
    weight: [...Array.from(two.weight), 0.8, 0.8],
  }
  const now = settled(edges, startPlaces(edges, known))
  const moved = ids.flatMap((_, i) => (now[2 * i] === known[2 * i] ? [] : [i]))
  expect(moved).toEqual([4, 6])
  expect(Number.isFinite(now[2 * two.count])).toBe(true)
})

test('a group is named by its most telling tag and words, and never by a word that is everywhere', () => {
  const texts = [
    'The compost feeds the tomato beds because yesterday',
    'Water the tomato beds with the compost tea because yesterday',
    'The compost steams because yesterday',
    'The violin concert with the sonata because yesterday',
    'Tune the violin before the sonata because yesterday',
    'The violin needs rosin because yesterday',
  ]
  const tags = [['person/ada'], ['person/ada'], [], [], [], []]
  const names = namesOf({ groups: [0, 0, 0, 1, 1, 1], tags, texts })
  expect(names.map(({ name }) => name)).toEqual(['ada: compost, beds', 'violin, sonata'])
})
