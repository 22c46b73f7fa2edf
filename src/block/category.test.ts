import { expect, test } from 'vitest'
import { normaliseCategory } from './block.ts'

test('normaliseCategory gives a lower-case path', () => {
  expect(normaliseCategory(' Work/Notes-2.0 ')).toBe('work/notes-2.0')
})

test.each(['', '/x', 'x/', 'x//y', 'a b', '-x', 'x/.y', 'é', 'x'.repeat(129)])(
  'normaliseCategory refuses %j with INVALID_INPUT',
  (category) => {
    expect(() => normaliseCategory(category)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
  },
)
