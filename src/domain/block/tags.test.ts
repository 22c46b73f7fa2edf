import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  grantableTags,
  isConstitutional,
  isIdentityTag,
  isProtectedTag,
  matchesTag,
  normaliseTag,
} from './tags.ts'

test('a tag is trimmed, lower case, with single spaces', () => {
  expect(normaliseTag(' Self/ROLE/My\t\nPlan ')).toBe('self/role/my plan')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (text) => {
      fc.pre(text.trim() !== '')
      expect(normaliseTag(normaliseTag(`x${text}`))).toBe(normaliseTag(`x${text}`))
    }),
  )
})

test('a pattern is a literal or a prefix, and nothing in it is a wildcard but a final star (W50)', () => {
  expect(matchesTag('self/*', 'self/value')).toBe(true)
  expect(matchesTag('self/*', 'selfish/value')).toBe(false)
  expect(matchesTag('a_c', 'abc')).toBe(false)
  expect(matchesTag('a%', 'abc')).toBe(false)
  expect(matchesTag('a*c', 'abc')).toBe(false)
  fc.assert(
    fc.property(fc.string(), fc.string(), (pattern, tag) => {
      fc.pre(!pattern.endsWith('*'))
      expect(matchesTag(pattern, tag)).toBe(pattern === tag)
      expect(matchesTag(`${pattern}*`, pattern + tag)).toBe(true)
    }),
  )
})

test('identity is everything under self, and the constitution and peers are protected', () => {
  expect(['self/goal', 'selfish', 'peer/inbound'].map(isIdentityTag)).toEqual([true, false, false])
  expect(
    ['self/constitutional', 'peer/from:elf:ada', 'self/goal', 'peers/x', 'self/constitutional/x'].map(
      isProtectedTag,
    ),
  ).toEqual([true, true, false, false, false])
  expect(isConstitutional(['a', 'self/constitutional'])).toBe(true)
  expect(isConstitutional(['self/constitutionals'])).toBe(false)
})

test('a model grants tags of the vocabulary, and never the constitution however it spells it (W5)', () => {
  expect(
    grantableTags(['self/goal', 'SELF/Goal ', ' Self/Constitutional', 'peer/inbound', 'other', '']),
  ).toEqual({ accepted: ['self/goal'], refused: [' Self/Constitutional', 'peer/inbound', 'other', ''] })
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.constantFrom('self/constitutional', 'self/value'))),
      (tags) => {
        const { accepted } = grantableTags(tags)
        expect(accepted.filter(isProtectedTag)).toEqual([])
      },
    ),
  )
})
