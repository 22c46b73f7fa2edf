import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHANGED } from '../../../../test/fixtures/changed-statements.ts'
import { ASIDE, pairsOf, UNLIKE } from '../../../../test/fixtures/unlike-statements.ts'
import { createLanguage, stemOf } from '../../../search/language/choose.ts'
import { SlotReader } from './slot-reader.ts'

const OPTIONS = { alikeCosine: 0.8, changedCosine: 0.5 }
const reader = new SlotReader(createLanguage('auto'), stemOf)
const isLater = (newer: string, older: string, cosine: number) =>
  reader.isLater(
    { id: newer, content: newer },
    { id: older, content: older },
    { cosine, namedIn: () => [] },
    OPTIONS,
  )

test.each(pairsOf(UNLIKE))('%s: %s || %s are of two things, however like they are', (_, older, newer) => {
  expect([isLater(newer, older, 1), isLater(older, newer, 1)]).toEqual([false, false])
})

test.each(pairsOf(ASIDE))('%s: the later of %s || %s takes the place of nothing', (_, older, newer) => {
  expect(isLater(newer, older, 1)).toBe(false)
})

/** Least share of what changed that must be seen; what is not stays an entry of its own. */
const LEAST = 0.9

test('what changed of one thing is seen in most of the pairs', () => {
  const missed = pairsOf(CHANGED).filter(([, older, newer]) => !isLater(newer, older, 0.85))
  expect(missed.length).toBeLessThanOrEqual((1 - LEAST) * pairsOf(CHANGED).length)
})

/** What is told of a thing: before, then, and a question that asks for just that. */
const ASKED = [
  ['The default branch is master.', 'The default branch is main.', 'What is the default branch?'],
  ['The logo colour is blue.', 'The logo colour is green.', 'What is the logo colour?'],
  ['Our main database is MySQL.', 'We switched our main database to Postgres.', 'What is our main database?'],
  ['The cat is called Momo.', 'We renamed the cat to Kiki.', 'What is the cat called?'],
] as const
const asking = (question: string, newer: string, older: string) =>
  reader.isLater(
    { id: newer, content: newer },
    { id: older, content: older },
    { cosine: 0.7, namedIn: () => [], asked: reader.termsOf(question) },
    OPTIONS,
  )

test.each(ASKED)('"%s" and "%s" are versions for "%s" only', (older, newer, question) => {
  expect([asking(question, newer, older), isLater(newer, older, 0.7)]).toEqual([true, false])
})

test.each([
  ['The front door is heavy.', 'The front door is green.', 'Which colour is the front door?'],
  ['The parser is slow.', 'The parser is old.', 'How is the parser?'],
  ['Our main database is MySQL.', 'We switched our test database to SQLite.', 'What is our main database?'],
  ['The cat is called Momo.', 'We renamed the dog to Kiki.', 'What is the cat called?'],
  ['The cat is called Momo.', 'We switched the cat to dry food.', 'What does the cat eat?'],
])('"%s" and "%s" both hold for "%s"', (older, newer, question) => {
  expect(asking(question, newer, older)).toBe(false)
})

/** Statements with a name, and such that say that it changed; `#` is the value. */
const STATES = ['@ sits in room #.', '@ is in bed #.', 'The door of @ is painted #.', '@ weighs # kilos.']
const CHANGES = [
  '@ now sits in room #.',
  '@ was moved to bed #.',
  'The door of @ is now painted #.',
  '@ now weighs # kilos.',
]

test('a statement is never a later word about another name, and most often one about its own', () => {
  const name = fc.constantFrom(
    'Ada',
    'Bela',
    'Bus 9',
    'Bus 7',
    'Dr. Oduya',
    'Class 5b',
    'prod-eu',
    'prod-us',
    'Team Nord',
  )
  const at = fc.nat({ max: STATES.length - 1 })
  const value = fc.integer({ min: 10, max: 99 })
  let seen = 0
  fc.assert(
    fc.property(name, name, at, at, value, value, (one, other, first, second, before, after) => {
      const older = STATES[first]?.replace('@', one).replace('#', String(before)) ?? ''
      const newer = CHANGES[second]?.replace('@', other).replace('#', String(after)) ?? ''
      const found = isLater(newer, older, 1)
      if (one === other && first === second && found) seen++
      return one === other || !found
    }),
    { numRuns: 2_000 },
  )
  expect(seen).toBeGreaterThan(20)
})

test('a statement that only repeats another one is of the same thing, whatever its language', () => {
  for (const [, older, newer] of pairsOf(CHANGED))
    for (const text of [older, newer]) {
      const [one, other] = [
        { id: 'one', content: text },
        { id: 'other', content: text },
      ]
      const adds = createLanguage('auto').said?.(text).adds
      expect([text, reader.areOfSame(one, other)]).toEqual([text, !adds])
    }
})
