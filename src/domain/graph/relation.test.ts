import { expect, test } from 'vitest'
import { evictionOrder, normaliseRelation, relationDefaultWeight } from './relation.ts'

test('a relation is one lower-case word', () => {
  expect(normaliseRelation('  Depends  On ')).toBe('depends_on')
})

test('a relation without characters, or with too many, is refused as invalid input', () => {
  for (const relation of [' ', 'x'.repeat(65)]) {
    expect(() => normaliseRelation(relation)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
  }
})

test("a relation of the caller's own weighs like similarity, even when named like a property of objects", () => {
  expect(relationDefaultWeight('blocks')).toBe(0.65)
  expect(relationDefaultWeight('constructor')).toBe(0.65)
  expect(relationDefaultWeight('OUTCOME')).toBe(0.8)
})

test('similarity gives way first, use together next, and nothing else ever', () => {
  expect(['similar', 'co_occurs', 'supports', 'outcome', 'mine'].map(evictionOrder)).toEqual([
    0,
    1,
    undefined,
    undefined,
    undefined,
  ])
})
