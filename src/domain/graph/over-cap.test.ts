import { expect, test } from 'vitest'
import { edgesOverCap } from './rules.ts'

const made = (from: string, to: string, day: number, weight = 0.5) => ({
  from,
  to,
  weight,
  createdAt: `2026-01-0${day}T00:00:00.000Z`,
})

test('edgesOverCap gives the newest edges, of those made at once the weakest', () => {
  const [old, late, faint] = [made('a', 'b', 1), made('a', 'c', 2), made('a', 'd', 2, 0.4)]
  expect(edgesOverCap([{ id: 'a', many: 1 }], [old, late, faint])).toEqual([faint])
  expect(edgesOverCap([{ id: 'a', many: 2 }], [old, late, faint])).toEqual([faint, late])
})

test('edgesOverCap counts an edge between two full blocks for both', () => {
  const [both, one] = [made('a', 'b', 2), made('b', 'c', 1)]
  const full = [
    { id: 'a', many: 1 },
    { id: 'b', many: 1 },
  ]
  expect(edgesOverCap(full, [both, one])).toEqual([both])
})

test('edgesOverCap is undefined if too few edges may go', () => {
  expect(edgesOverCap([{ id: 'a', many: 2 }], [made('a', 'b', 1), made('c', 'd', 1)])).toBeUndefined()
  expect(edgesOverCap([], [made('a', 'b', 1)])).toEqual([])
})
