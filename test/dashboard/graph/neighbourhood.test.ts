import { expect, test } from 'vitest'
import { neighbourhood, placeNeighbours } from '../../../dashboard/graph/neighbourhood.ts'

// 0 is joined to 1 … 5; 1 to 6 and 7; 2 to 7; 6 to 8.
const EDGES = {
  a: [0, 0, 0, 0, 0, 1, 1, 2, 6],
  b: [1, 2, 3, 4, 5, 6, 7, 7, 8],
  relation: [1, 0, 1, 0, 2, 0, 0, 0, 0],
  weight: [40, 50, 80, 90, 10, 50, 60, 70, 50],
}
const ROOM = { width: 900, height: 700 }

test('neighbours come in the order of relations, the firmest of each first', () => {
  expect(neighbourhood(EDGES, 0, 1).map(({ node }) => node)).toEqual([0, 4, 2, 3, 1, 5])
})

test('with two steps each block stands once, behind the neighbour it is reached through', () => {
  const found = neighbourhood(EDGES, 0, 2)
  expect(found.map(({ node }) => node)).toEqual([0, 4, 2, 7, 3, 1, 6, 5])
  expect(found.find(({ node }) => node === 7)).toEqual({ node: 7, step: 2, parent: 2 })
  expect(found.some(({ node }) => node === 8)).toBe(false)
})

test('a block without edges is its own neighbourhood', () => {
  expect(neighbourhood(EDGES, 9, 2)).toEqual([{ node: 9, step: 0, parent: undefined }])
  expect(placeNeighbours(neighbourhood(EDGES, 9, 2), ROOM)).toHaveLength(1)
})

test.each([1, 2, 7, 40, 200])('no two lines of words meet among %i neighbours', (count) => {
  const list = Array.from({ length: count }, (_, i) => ({
    node: i + 1,
    step: i % 3 === 0 ? 1 : 2,
    parent: 0,
  }))
  const placed = placeNeighbours([{ node: 0, step: 0, parent: undefined }, ...list], ROOM)
  expect(placed).toHaveLength(count + 1)
  for (const side of ['left', 'right'] as const) {
    const ys = placed
      .filter((each) => each.side === side)
      .map(({ y }) => y)
      .sort((p, q) => p - q)
    ys.forEach((y, i) => {
      if (i > 0) expect(y - (ys[i - 1] ?? 0)).toBeGreaterThanOrEqual(24)
    })
  }
  for (const { x, side } of placed) {
    if (side === 'right') expect(x).toBeGreaterThan(0)
    if (side === 'left') expect(x).toBeLessThan(0)
  }
})

test('what is behind a neighbour stays on its side, farther out', () => {
  const placed = placeNeighbours(neighbourhood(EDGES, 0, 2), ROOM)
  const of = (node: number) => placed.find((each) => each.node === node)
  expect(of(7)?.side).toBe(of(2)?.side)
  expect(Math.abs(of(7)?.x ?? 0)).toBeGreaterThan(Math.abs(of(2)?.x ?? 0))
})
