import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  actWords,
  confidenceBy,
  datesIn,
  firstWords,
  hoursOfUse,
  momentWords,
  number,
  percent,
  plural,
  relationColour,
  relationWords,
  shortId,
  speakerWords,
  statusWords,
  tierWords,
} from '../../../dashboard/format.ts'
import { pageWords, redactedWords, withShortIds } from '../../../dashboard/page-words.ts'
import { saidReason } from '../../../dashboard/screens/journal/change-words.ts'
import { shown } from '../../../dashboard/shown.ts'
import { confidenceOf } from '../../../src/domain/score/experience.ts'
import { redactedSentence } from '../../../src/flow/guard/guard-secrets.ts'

test('a block is named by its first words, with nothing in them that cannot be seen', () => {
  expect(firstWords('The harbour office opens at eight.')).toBe('“The harbour office opens at eight.”')
  expect(firstWords('The harbour\noffice opens at eight on weekdays.')).toBe(
    '“The harbour office opens at eight…”',
  )
  expect(firstWords('a\u202eb')).toBe('“a‹U+202E›b”')
  expect(firstWords('港'.repeat(60))).toBe(`“${'港'.repeat(48)}…”`)
})

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

test('a row has the same confidence as the block that no model judged', () => {
  expect(confidenceBy({ successes: 0, failures: 0 })).toBe(confidenceOf({ successes: 0, failures: 0 }))
  expect(confidenceBy({ successes: 1, failures: 0 })).toBe(0.75)
  expect(confidenceBy({ successes: 2, failures: 5 })).toBe(confidenceOf({ successes: 2, failures: 5 }))
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

test('the page says its own words in the place of calls, and leaves other words alone', () => {
  expect(pageWords('3 edges · 1 near-duplicate flagged (see resolve()) · 2 active.')).toBe(
    '3 edges · 1 near-duplicate flagged, for you to decide · 2 active.',
  )
  expect(pageWords('Decide about pairs with resolve(); inbox({ openPairs: 20 }) lists them.')).toBe(
    'Decide about pairs in Review.',
  )
  expect(pageWords('Take an id from recall() or ls().')).toBe('Take an id from Recall lab or Memory.')
  expect(pageWords('The call main() of tidewater (see the notes)')).toBe(
    'The call main() of tidewater (see the notes)',
  )
})

test('what was taken back is named as the journal names it', () => {
  expect(withShortIds('took back edit (operation 171)')).toBe('“corrected”')
  expect(withShortIds('took back dream (operation 9) and all of its run, 5 transactions')).toBe(
    '“dreamt” and 4 entries of its run',
  )
})

test('no two acts that can be chosen in the journal have the same name', () => {
  expect(actWords('resolve')).not.toBe(actWords('decide'))
})

test('a recall has no reason in anybody’s words', () => {
  expect(saidReason({ operation: 'recall', reason: 'attention' })).toBeUndefined()
  expect(saidReason({ operation: 'forget', reason: 'It is wrong.' })).toBe('It is wrong.')
})

test('secrets that were taken out are told as the command line tells them', () => {
  const redacted = [
    { kind: 'an API key', count: 2, field: 'content' },
    { kind: 'a password', count: 1, field: 'cue' },
  ] as unknown as Parameters<typeof redactedSentence>[0]
  expect(redactedWords({ redacted })).toBe(redactedSentence(redacted))
  expect(redactedWords({ redacted })).toContain('2 × an API key, a password')
  expect([{}, { redacted: [] }, { redacted: { key: 1 } }].map(redactedWords)).toEqual(['', '', ''])
})

test('dates and fields of the library are told as the page has them, and names of files stay', () => {
  const noon = '2026-12-01T12:30:00.000Z'
  expect(momentWords('2026-11-05', datesIn('America/New_York'))).toBe('5 Nov 2026')
  expect(momentWords('2026-12-01T00:00:00.000Z', datesIn('America/New_York'))).toBe('1 Dec 2026')
  expect(momentWords(noon, datesIn('Europe/Berlin'))).toBe('1 Dec 2026, 13:30')
  expect(
    pageWords('It would hold from 2026-12-01T00:00:00.000Z and end before, at 2026-11-01T00:00:00.000Z.'),
  ).toBe('It would hold from 1 Dec 2026 and end before, at 1 Nov 2026.')
  expect(pageWords('Give a validUntil that is not before validFrom, or leave one of them out.')).toBe(
    'Give a “Holds until” that is not before “Holds from”, or leave one of them out.',
  )
  expect(withShortIds('changed content, validFrom')).toBe('changed its words, from when it holds')
  const kept =
    'Copied to /tmp/memory-2026-11-05.db and 2026-11-05.bak. Write it like 2024-05-01 or 2024-05-01T09:30:00Z.'
  expect(pageWords(kept)).toBe(kept)
})
