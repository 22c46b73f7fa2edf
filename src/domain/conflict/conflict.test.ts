import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stemOf as stem } from '../../search/language/choose.ts'
import { CONFLICT_RULES, type Conflict, type ConflictRule, conflictBetween } from './conflict.ts'
import { conflictFacts } from './facts.ts'

function between(
  newer: string,
  older: string,
  {
    cosine = 0.8,
    rules = CONFLICT_RULES,
  }: { readonly cosine?: number; readonly rules?: readonly ConflictRule[] } = {},
): Conflict | undefined {
  const options = { cosineFloor: 0.6, rules }
  return conflictBetween(conflictFacts(newer, stem), conflictFacts(older, stem), { cosine }, options)
}

const ruleOf = (newer: string, older: string) => between(newer, older)?.rule

test('two amounts of the same thing contradict each other, in digits or in words', () => {
  expect(ruleOf('The proxy listens on port 4211.', 'The proxy listens on port 4210.')).toBe('number')
  expect(ruleOf('The lease runs for three years.', 'The lease runs for 5 years.')).toBe('number')
  expect(ruleOf('The lease runs for three years.', 'The lease runs for 3 years.')).toBeUndefined()
  expect(ruleOf('The fee is 1,500 euros.', 'The fee is 1500 euros.')).toBeUndefined()
})

test('a number that tells which thing is meant is no amount', () => {
  expect(ruleOf('Today ticket 31 was closed.', 'Today ticket 32 was closed.')).toBeUndefined()
  expect(ruleOf('The driver supports Postgres 15.', 'The driver supports Postgres 16.')).toBeUndefined()
  expect(ruleOf('In our yard 7 is full.', 'In our yard 8 is full.')).toBeUndefined()
})

test('an amount that was once done, or is only a bound, contradicts no other', () => {
  expect(ruleOf('Ana bought 3 chairs for the hall.', 'Ana bought 5 chairs for the hall.')).toBeUndefined()
  expect(ruleOf('The hall has at least 80 seats.', 'The hall has at least 60 seats.')).toBeUndefined()
  expect(ruleOf('The hall has 80 seats.', 'The hall has 60 seats.')).toBe('number')
})

test('what was measured, or holds on the day it is said, contradicts no other day', () => {
  expect(ruleOf('The attic was 31 degrees warm.', 'The attic was 28 degrees warm.')).toBeUndefined()
  expect(ruleOf('My weight today is 71 kilos.', 'My weight today is 72 kilos.')).toBeUndefined()
  expect(ruleOf('The shop is open this week.', 'The shop is closed this week.')).toBeUndefined()
  expect(ruleOf('The shop is open on Sundays.', 'The shop is closed on Sundays.')).toBe('antonym')
})

test('statements that differ in two places are about two things', () => {
  expect(ruleOf("Ana's port is 4210.", "Ben's port is 4211.")).toBeUndefined()
  expect(ruleOf('In May rent was 900 euros.', 'In June rent was 950 euros.')).toBeUndefined()
})

test('statements about different subjects do not conflict by their subjects', () => {
  expect(ruleOf('Ana leads the team.', 'Ben leads the team.')).toBeUndefined()
  expect(ruleOf("Ana's port is 4210.", "Ben's port is 4210.")).toBeUndefined()
})

test('two dates of what has one date contradict each other, and those of what may happen again do not', () => {
  expect(ruleOf('The visa expires on 3 May 2027.', 'The visa expires on 9 June 2027.')).toBe('date')
  expect(ruleOf('The visa expires in 2027.', 'The visa expires in 2028.')).toBe('date')
  expect(ruleOf('The demo is on Monday.', 'The demo is on Friday.')).toBe('date')
  expect(ruleOf('Milan called on 3 May.', 'Milan called on 9 May.')).toBeUndefined()
  expect(ruleOf('There was an outage on 3 May.', 'There was an outage on 9 May.')).toBeUndefined()
  expect(ruleOf('A demo is on Monday.', 'A demo is on Friday.')).toBeUndefined()
  expect(ruleOf('The demo is on Monday.', 'The demo is on 9 May.')).toBeUndefined()
})

test('a statement and its negation contradict each other, whichever way it is negated', () => {
  const claim = 'The importer keeps empty rows.'
  for (const negated of [
    "The importer doesn't keep empty rows.",
    'The importer does not keep empty rows.',
    'The importer never keeps empty rows.',
  ])
    expect([ruleOf(negated, claim), ruleOf(claim, negated)]).toEqual(['negation', 'negation'])
  expect(ruleOf('Visitors must not park here.', 'Visitors may park here.')).toBe('negation')
  expect(ruleOf('The importer does not keep empty rows of logs.', claim)).toBeUndefined()
  expect(ruleOf('Some importers do not keep rows.', 'Some importers keep rows.')).toBeUndefined()
})

test('opposites contradict each other where they say what something is, not which one is meant', () => {
  expect(ruleOf('The cache of the gateway is enabled.', 'The cache of the gateway is disabled.')).toBe(
    'antonym',
  )
  expect(ruleOf('Guests are allowed to vote.', 'Guests are forbidden to vote.')).toBe('antonym')
  expect(ruleOf('The back door is unlocked.', 'The back door is locked.')).toBe('antonym')
  expect(ruleOf('The list shows public boards.', 'The list shows private boards.')).toBeUndefined()
  expect(ruleOf('A side door is open.', 'A side door is closed.')).toBeUndefined()
})

test('another name contradicts where a thing has one, and adds where it may have many', () => {
  expect(ruleOf('The owner of the site is Ana.', 'The owner of the site is Ben.')).toBe('replacement')
  expect(ruleOf('The mail archive is in Oslo.', 'The mail archive is in Bergen.')).toBe('replacement')
  expect(ruleOf('The user likes Rome.', 'The user likes Oslo.')).toBeUndefined()
  expect(ruleOf('The team met in Rome.', 'The team met in Oslo.')).toBeUndefined()
})

test('a statement that says what changed takes the place of the one that says what was', () => {
  const pairs = [
    ['We no longer use Redis for locks.', 'We use Redis for locks.'],
    ['The queue moved from RabbitMQ to NATS.', 'The queue is RabbitMQ.'],
    ['We deploy with Helm instead of Ansible.', 'We deploy with Ansible.'],
    ['The choir now meets on Fridays.', 'The choir meets on Mondays.'],
    ['The tool was renamed to Sigma.', 'The tool is called Delta.'],
    ['Ida used to live in Ghent; she left.', 'Ida lives in Ghent.'],
  ] as const
  for (const [newer, older] of pairs)
    expect(between(newer, older)).toMatchObject({ kind: 'supersession', rule: 'supersession' })
})

test('a word of change takes the place of nothing that is about something else, or adds to it', () => {
  const pairs = [
    ['The board meeting moved to Friday.', 'The staff meeting is on Thursday.'],
    ['The report now also lists refunds.', 'The report lists payments.'],
    ['The kitchen is now clean.', 'The kitchen is small.'],
    ['Nina no longer takes the bus on Mondays.', 'Nina takes the bus.'],
    ['The train from Basel to Bern takes 56 minutes.', 'The train to Basel takes 40 minutes.'],
    ['The team now has 5 people in Berlin.', 'The team has 3 people in Paris.'],
  ] as const
  for (const [newer, older] of pairs) expect(ruleOf(newer, older)).toBeUndefined()
})

test('what changed of one thing takes the place of nothing about another of another number or name', () => {
  const pairs = [
    ['Room 12 was moved to floor 3.', 'Room 13 was moved to floor 4.'],
    ['Room 4 was moved to floor 3.', 'Room 3 was moved to floor 4.'],
    ['Room 12 was moved to floor 3.', 'Room 13 is on floor 4.'],
    ['Node 8 now runs kernel 6.2.', 'Node 7 now runs kernel 6.1.'],
    ['Meeting 3 of the board was moved to slot 9.', 'Meeting 2 of the board was moved to slot 7.'],
    ['Branch gamma was renamed to delta.', 'Branch alpha was renamed to beta.'],
  ] as const
  for (const [newer, older] of pairs) expect([newer, ruleOf(newer, older)]).toEqual([newer, undefined])
  expect(ruleOf('Room 12 was moved to floor 3.', 'Room 12 is on floor 4.')).toBe('supersession')
  expect(ruleOf('Room 12 was moved to floor 3.', 'Room 12 was moved to floor 4.')).toBe('supersession')
})

test('questions, requests and suppositions conflict with nothing', () => {
  const older = 'The proxy listens on port 4210.'
  expect(ruleOf('The proxy listens on port 4211.', older)).toBe('number')
  for (const newer of [
    'The proxy listens on port 4211?',
    'Please check: the proxy listens on port 4211.',
    'The proxy might listen on port 4211.',
    'If the proxy listens on port 4211.',
  ])
    expect([ruleOf(newer, older), ruleOf(older, newer)]).toEqual([undefined, undefined])
})

test('a rule that is not asked says nothing', () => {
  const pair = ['The hall has 80 seats.', 'The hall has 60 seats.'] as const
  expect(between(...pair, { rules: ['number'] })?.rule).toBe('number')
  expect(between(...pair, { rules: ['date', 'supersession'] })).toBeUndefined()
})

/** Statements of few words, so that many are near-duplicates. */
const statement = fc
  .array(
    fc.constantFrom(
      ...'The hall has is not now 60 80 seats open closed on Monday Friday no longer Ana in Oslo'.split(' '),
    ),
    { minLength: 1, maxLength: 7 },
  )
  .map((words) => `The old hall ${words.join(' ')}.`)
const near = fc.tuple(statement, statement)
const likely = fc.double({ min: 0.6, max: 1, noNaN: true })

test('no statement conflicts with itself, however likely', () => {
  fc.assert(
    fc.property(fc.oneof(statement, fc.string({ unit: 'grapheme' })), likely, (text, cosine) => {
      expect(between(text, text, { cosine })).toBeUndefined()
    }),
  )
})

test('nothing conflicts below the floor, or where the similarity is no number', () => {
  const unlikely = fc.oneof(
    fc.double({ min: -1, max: 0.6, maxExcluded: true, noNaN: true }),
    fc.constant(Number.NaN),
  )
  const twins = ['The hall has 80 seats.', 'The hall has 60 seats.'] as const
  expect(between(...twins, { cosine: 0.6 })).toBeDefined()
  fc.assert(
    fc.property(unlikely, fc.oneof(near, fc.constant(twins)), (cosine, [newer, older]) => {
      expect(between(newer, older, { cosine })).toBeUndefined()
    }),
  )
})

test('a contradiction is one in both orders, by the same rule and with the same score', () => {
  let found = 0
  const rules = CONFLICT_RULES.filter((rule) => rule !== 'supersession')
  fc.assert(
    fc.property(near, likely, ([one, other], cosine) => {
      const conflict = between(one, other, { cosine, rules })
      expect(between(other, one, { cosine, rules })).toEqual(conflict)
      if (!conflict) return
      found++
      expect(conflict.kind).toBe('contradiction')
      expect(conflict.score).toBeGreaterThan(0)
      expect(conflict.score).toBeLessThanOrEqual(1)
    }),
    { numRuns: 5_000 },
  )
  expect(found).toBeGreaterThan(0)
})

test('a text of a hundred thousand words, or of punctuation alone, is read in one pass', () => {
  const long = 'The hall has seats and '.repeat(20_000)
  const facts = conflictFacts(`${long}60 chairs.`, stem)
  expect(facts.terms.length).toBeGreaterThan(80_000)
  expect(ruleOf(`${long}has 60 chairs.`, `${long}has 80 chairs.`)).toBe('number')
  expect(conflictFacts(`${'.'.repeat(200_000)}x${'('.repeat(200_000)}`, stem).terms).toHaveLength(1)
})
