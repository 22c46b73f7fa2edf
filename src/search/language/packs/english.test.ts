import { expect, test } from 'vitest'
import { wordsOf } from '../words.ts'
import { createEnglish } from './english.ts'

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

// W42
test('punctuation does not hide a word', () => {
  expect(english.terms('redis. (redis), "Redis"!')).toEqual(['redi', 'redi', 'redi'])
})

test('stop words and possessives leave no term', () => {
  expect(english.terms("What is the user's name?")).toEqual(['user', 'name'])
})

test('accents are folded and unspaced scripts are cut into pairs', () => {
  expect(wordsOf('Café ÉCLAIR')).toEqual(['cafe', 'eclair'])
  expect(wordsOf('東京都 tower')).toEqual(['東京', '京都', 'tower'])
  expect(wordsOf('Привет мир')).toEqual(['привет', 'мир'])
})

test('a date is found by how people write it', () => {
  expect(english.dateTerms('2023-05-08T10:00:00.000Z')).toEqual(english.terms('8 May 2023'))
})

test('a question is told from a statement', () => {
  expect(english.asks('Where is it?')).toBe(true)
  expect(english.asks('Where is it? [shares a map]')).toBe(true)
  expect(english.asks('Is it? It is.')).toBe(false)
})

test('a question for a time is told from others', () => {
  expect(english.asksWhen('When did she move?')).toBe(true)
  expect(english.asksWhen('In which month was the release?')).toBe(true)
  expect(english.asksWhen('Who moved when?')).toBe(false)
})

test('a text that speaks of a time is recognised', () => {
  expect(english.speaksOfTime('We met two weeks ago')).toBe(true)
  expect(english.speaksOfTime('Due on Friday')).toBe(true)
  expect(english.speaksOfTime('The port is 4210')).toBe(false)
})
