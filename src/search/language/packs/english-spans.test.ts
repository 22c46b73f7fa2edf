import { expect, test } from 'vitest'
import { englishSpan } from './english-spans.ts'

/** A Wednesday. */
const NOW = Date.parse('2026-03-18T15:30:00Z')
const span = (question: string) => {
  const found = englishSpan(question, NOW)
  return found && [found.from, found.to].map((ms) => new Date(ms).toISOString().slice(0, 10))
}

test('a time named by its distance from now is a stretch of days', () => {
  expect(span('What did we decide yesterday?')).toEqual(['2026-03-17', '2026-03-18'])
  expect(span('And the day before yesterday?')).toEqual(['2026-03-16', '2026-03-17'])
  expect(span('What broke this morning')).toEqual(['2026-03-18', '2026-03-19'])
  expect(span('Who called three days ago?')).toEqual(['2026-03-15', '2026-03-16'])
  expect(span('Who called 2 weeks ago?')).toEqual(['2026-03-02', '2026-03-09'])
  expect(span('What changed in the past 10 days?')).toEqual(['2026-03-08', '2026-03-18'])
  expect(span('What shipped last week?')).toEqual(['2026-03-09', '2026-03-16'])
  expect(span('What is due this month?')).toEqual(['2026-03-01', '2026-04-01'])
  expect(span('How was it four months ago?')).toEqual(['2025-11-01', '2025-12-01'])
  expect(span('Where were we last year?')).toEqual(['2025-01-01', '2026-01-01'])
  expect(span('What was said last Friday?')).toEqual(['2026-03-13', '2026-03-14'])
  expect(span('What was said last Wednesday?')).toEqual(['2026-03-11', '2026-03-12'])
})

test('a question without such a time names none', () => {
  for (const question of ['When did it ship?', 'What lasts?', 'Who is this?', 'the agony of yesteryear'])
    expect(span(question)).toBeUndefined()
})
