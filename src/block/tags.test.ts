import fc from 'fast-check'
import { expect, test } from 'vitest'
import { grantableTags, isProtectedTag, matchesTag, normaliseTag } from './block.ts'

test('normaliseTag gives a trimmed lower-case tag with single spaces', () => {
  expect(normaliseTag(' Self/ROLE/My\t\nPlan ')).toBe('self/role/my plan')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (text) => {
      fc.pre(text.trim() !== '')
      expect(normaliseTag(normaliseTag(`x${text}`))).toBe(normaliseTag(`x${text}`))
    }),
  )
})

test('matchesTag takes a pattern as a literal, or as a prefix if it ends with a star', () => {
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

test('grantableTags accepts tags of the vocabulary, and the constitution in no spelling', () => {
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
