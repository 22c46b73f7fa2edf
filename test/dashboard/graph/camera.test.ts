import { expect, test } from 'vitest'
import { between, boxOf, fitting, zoomed } from '../../../dashboard/graph/camera.ts'
import { mixed } from '../../../dashboard/screens/graph/scenes/colours.ts'

const SIZE = { width: 1000, height: 600 }
const INSETS = { top: 50, right: 100, bottom: 50, left: 300 }

test('a picture that fits lies in the room the panels leave', () => {
  const box = { x0: -40, y0: 10, x1: 60, y1: 35 }
  const { x, y, k } = fitting(box, SIZE, INSETS)
  for (const [px, py] of [
    [box.x0, box.y0],
    [box.x1, box.y1],
  ] as const) {
    expect(px * k + x).toBeGreaterThanOrEqual(299.9)
    expect(px * k + x).toBeLessThanOrEqual(900.1)
    expect(py * k + y).toBeGreaterThanOrEqual(49.9)
    expect(py * k + y).toBeLessThanOrEqual(550.1)
  }
  expect(fitting(box, SIZE, INSETS, 1).k).toBe(1)
})

test('zooming keeps the point under the hand where it is, and has ends', () => {
  const camera = { x: 20, y: -30, k: 2 }
  const point = { x: (400 - camera.x) / camera.k, y: (100 - camera.y) / camera.k }
  const near = zoomed(camera, 2, { x: 400, y: 100, by: 1.7 })
  expect(point.x * near.k + near.x).toBeCloseTo(400)
  expect(point.y * near.k + near.y).toBeCloseTo(100)
  expect(zoomed(camera, 2, { x: 0, y: 0, by: 1e9 }).k).toBe(120)
  expect(zoomed(camera, 2, { x: 0, y: 0, by: 1e-9 }).k).toBe(0.6)
})

test('a flight begins and ends where it should', () => {
  const [from, to] = [
    { x: 1, y: 2, k: 1 },
    { x: 50, y: -60, k: 4 },
  ] as const
  expect(between(from, to, 0)).toEqual(from)
  expect(between(from, to, 1)).toEqual(to)
  expect(between(from, { ...to, k: 1 }, 0.5).x).toBeCloseTo(25.5)
})

test('a few strays among many do not make the rest small; hidden points do not count', () => {
  const places = Float32Array.from({ length: 2_000 }, (_, i) => (i < 4 ? 1e6 : i % 100))
  expect(boxOf(places)?.x1).toBeLessThan(100)
  expect(boxOf(Float32Array.of(1, 2, 30, 40), Uint8Array.of(1, 0))).toEqual({ x0: 1, y0: 2, x1: 1, y1: 2 })
  expect(boxOf(Float32Array.of(1, 2), Uint8Array.of(0))).toBeUndefined()
})

test('a mixed colour is opaque and lies between its two', () => {
  expect(mixed('#ffffff', '#000000', 0.5)).toBe('#808080')
  expect(mixed('#fff', '#000000', 1)).toBe('#ffffff')
  expect(mixed('#1c6b52', '#f6f6f1', 0)).toBe('#f6f6f1')
})
