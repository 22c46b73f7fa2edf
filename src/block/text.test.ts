import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePointLength, normaliseContent, preview, takeCodePoints } from './text.ts'

test('normaliseContent of its own result changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const once = normaliseContent(text)
      expect(normaliseContent(once)).toBe(once)
    }),
  )
})

test('codePointLength counts code points, not UTF-16 units', () => {
  expect(codePointLength('a😀b')).toBe(3)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(codePointLength(text)).toBe([...text].length)
    }),
  )
})

test('takeCodePoints splits no character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, count) => {
      expect(takeCodePoints(text, count)).toBe([...text].slice(0, count).join(''))
    }),
  )
})

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
