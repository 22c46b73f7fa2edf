import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Finder } from './finder.ts'

/** Few letters, so that texts overlap, repeat and begin alike. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '山'), maxLength: 14 })

test('standingIn answers the texts of 8 bytes or more that a text includes', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), text, text, (texts, one, other) => {
      const whole = `${one}aaaabbbb${other}`
      const long = texts.filter((each) => Buffer.byteLength(each) >= 8)
      const included = new Set(long.filter((each) => whole.includes(each)))
      expect(new Finder(texts).standingIn(whole)).toEqual(included)
    }),
  )
})

test('standingIn compares the first 256 bytes of a longer text', () => {
  const long = 'word '.repeat(400)
  expect(new Finder([long]).longest).toBe(256)
  expect(new Finder([long]).standingIn(long.slice(0, 300)).size).toBe(1)
})
