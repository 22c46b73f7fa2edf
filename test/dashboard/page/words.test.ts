import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  actWords,
  datesIn,
  hoursOfUse,
  number,
  percent,
  plural,
  relationColour,
  relationWords,
  shortId,
  speakerWords,
  statusWords,
  tierWords,
  withShortIds,
} from '../../../dashboard/format.ts'
import { shown } from '../../../dashboard/shown.ts'

test('dates are told in the zone of the reader, a day as its own date says it', () => {
  const late = '2026-11-20T23:30:00Z'
  const berlin = datesIn('Europe/Berlin')
  expect([berlin.date(late), berlin.time(late), berlin.key(late)]).toEqual([
    '21 Nov 2026',
    '00:30',
    '2026-11-21',
  ])
  const utc = datesIn('UTC')
  expect([utc.date(late), utc.time(late), utc.key(late)]).toEqual(['20 Nov 2026', '23:30', '2026-11-20'])
  expect(utc.day(late)).toMatch(/^Friday,? 20 November 2026$/)
  expect(utc.date('2026-09-05')).toBe('5 Sep 2026')
})

test('numbers have their thousands apart and their nouns', () => {
  expect([number(4152), plural(1, 'edge'), plural(1200, 'edge'), plural(0, 'entry', 'entries')]).toEqual([
    '4,152',
    '1 edge',
    '1,200 edges',
    '0 entries',
  ])
  expect([percent(0.666), percent(0), percent(1)]).toEqual(['67', '0', '100'])
  expect([hoursOfUse(0.2), hoursOfUse(1), hoursOfUse(2993.4)]).toEqual([
    'less than an hour',
    '1 hour',
    '2,993 hours',
  ])
})

test('names of the library are told in words of people, and those nobody gave words stay readable', () => {
  expect([speakerWords('user'), speakerWords('peer'), statusWords('inbox'), tierWords('permanent')]).toEqual([
    'owner',
    'peer',
    'waiting',
    'never fades',
  ])
  expect([
    relationWords('co_occurs'),
    relationWords('depends_on'),
    actWords('edit'),
    actWords('brand_new'),
  ]).toEqual(['comes up with', 'depends on', 'corrected', 'brand new'])
  expect(new Set(['supports', 'similar', 'contradicts', 'of my own'].map(relationColour)).size).toBe(4)
  expect(relationColour('of my own')).toBe(relationColour('of another'))
})

test('an id is told by its first eight signs, also within a sentence', () => {
  expect(shortId('3f2a9c1e55aa01bc')).toBe('3f2a9c1e')
  expect(withShortIds('remembered 3f2a9c1e55aa01bc, not 12345678')).toBe('remembered 3f2a9c1e, not 12345678')
})

test('signs that turn the writing or are not seen are written out, and everything else is as it was', () => {
  expect(shown('port \u202e4300')).toBe('port ‹U+202E›4300')
  expect(shown('a\u200bb\u0007c\u2066d\u{e0041}')).toBe('a‹U+200B›b‹U+0007›c‹U+2066›d‹U+E0041›')
  expect(shown('half \ud83d')).toBe('half ‹U+D83D›')
  const family = '👩‍👩‍👧 नमस्ते 🏴󠁧󠁢󠁳󠁣󠁴󠁿 שלום\n\ttab'
  expect(shown(family)).toBe(family)
  expect(shown('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
})

test('no text that is shown holds a sign that turns the writing', () => {
  const sign = fc.constantFrom(
    ...['\u202e', '\u2066', '\u200f', '\ud83d', '\ude00', '\u{e0067}', '\u{1f3f4}'],
    ...['a', ' '],
  )
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 12 }), (signs) => {
      expect(shown(signs.join(''))).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\p{Cs}]/u)
    }),
  )
})
