import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePointLength, preview } from './text.ts'

test('preview is one line of at most so many characters, with a mark where it was cut', () => {
  expect(preview(' one\n two\tthree ', 80)).toBe('one two three')
  expect(preview('😀😀😀😀', 3)).toBe('😀😀…')
  expect(preview('abc', 0)).toBe('')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, count) => {
      expect(codePointLength(preview(text, count))).toBeLessThanOrEqual(count)
    }),
  )
})
