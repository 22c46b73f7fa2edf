import { expect, test } from 'vitest'
import { healthOf } from './health.ts'

test('a full inbox needs attention, a nearly full one is mentioned', () => {
  expect(healthOf(10, 10, 5)).toEqual({ health: 'attention', finding: 'inbox_full' })
  expect(healthOf(8, 10, 5)).toEqual({ health: 'good', finding: 'inbox_nearly_full' })
  expect(healthOf(7, 10, 5)).toEqual({ health: 'good', finding: 'fine' })
})

test('a memory with nothing in it is healthy and says so', () => {
  expect(healthOf(0, 10, 0).finding).toBe('empty')
  expect(healthOf(1, 10, 0).finding).toBe('fine')
})
