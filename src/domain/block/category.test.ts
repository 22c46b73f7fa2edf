import { expect, test } from 'vitest'
import { normaliseCategory } from './category.ts'

test('a category is a lower-case word or a path of them', () => {
  expect(normaliseCategory(' Work/Notes-2.0 ')).toBe('work/notes-2.0')
})

test.each(['', '/x', 'x/', 'x//y', 'a b', '-x', 'x/.y', 'é', 'x'.repeat(129)])(
  'the category %j is refused as invalid input',
  (category) => {
    expect(() => normaliseCategory(category)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
  },
)
