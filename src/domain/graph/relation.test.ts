import { expect, test } from 'vitest'
import { evictionOrder, normaliseRelation, relationDefaultWeight } from './relation.ts'

test('normaliseRelation gives one lower-case word', () => {
  expect(normaliseRelation('  Depends  On ')).toBe('depends_on')
})

test('normaliseRelation refuses an empty and a too long relation with INVALID_INPUT', () => {
  for (const relation of [' ', 'x'.repeat(65)]) {
    expect(() => normaliseRelation(relation)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
  }
})

test('relationDefaultWeight of an unknown relation is that of similarity, also of one named constructor', () => {
  expect(relationDefaultWeight('blocks')).toBe(0.65)
  expect(relationDefaultWeight('constructor')).toBe(0.65)
  expect(relationDefaultWeight('OUTCOME')).toBe(0.8)
})

test('evictionOrder puts similarity first and use together next, and has no place for others', () => {
  expect(['similar', 'co_occurs', 'supports', 'outcome', 'mine'].map(evictionOrder)).toEqual([
    0,
    1,
    undefined,
    undefined,
    undefined,
  ])
})
