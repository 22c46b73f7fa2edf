import { expect, test } from 'vitest'
import { createEnglish } from './english.ts'
import { wordsOf } from './words.ts'

const english = createEnglish()

test('forms of one word are one term', () => {
  for (const forms of [
    ['deploy', 'deploys', 'deployed', 'deploying'],
    ['go', 'went', 'gone', 'going'],
    ['child', 'children'],
    ['buy', 'bought', 'buys'],
  ])
    expect(new Set(forms.map((form) => english.term(form))).size).toBe(1)
})

test('stop words and possessives leave no term', () => {
  expect(english.terms("What is the user's name?")).toEqual(['user', 'name'])
})

test('accents are folded and unspaced scripts are cut into pairs', () => {
  expect(wordsOf('Café ÉCLAIR')).toEqual(['cafe', 'eclair'])
  expect(wordsOf('東京都 tower')).toEqual(['東京', '京都', 'tower'])
  expect(wordsOf('Привет мир')).toEqual(['привет', 'мир'])
})

/** A Wednesday. */
const NOW = Date.parse('2026-03-18T15:30:00Z')
const span = (question: string) => {
  const found = english.spanOf?.(question, NOW)
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
