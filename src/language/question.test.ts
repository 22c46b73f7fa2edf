import { expect, test } from 'vitest'
import { LANGUAGE, readQuestion, SourceIndex } from './question.ts'

const read = (text: string, ...common: readonly string[]) =>
  readQuestion(text, LANGUAGE, (term) => common.includes(term), undefined)

test('readQuestion leaves names that most blocks share out of what is embedded, not out of the words', () => {
  const question = read("What did Caroline's brother buy?", 'carolin')
  expect(question.toEmbed).toBe('What did brother buy?')
  expect(question.terms).toContain('carolin')
})

/** An index of some sources, by their places. */
function indexOf(...names: readonly string[]): SourceIndex {
  const sources = new SourceIndex(LANGUAGE)
  sources.take({ end: names.length, textOf: (number) => names[number] ?? '' })
  return sources
}

test('mentions of a named source are 1, and of others −1', () => {
  expect([...(indexOf('Ana Kovac', 'Ben').mentions("What is Ana's plan?") ?? [])]).toEqual([1, -1])
})

test('mentions of a question about the user are 1 for the user, and 0 for others', () => {
  const sources = indexOf('User', 'search-tool')
  expect([...(sources.mentions('What is my favourite tea?') ?? [])]).toEqual([1, 0])
  expect(sources.mentions('What does the tool say of my tea?')?.[1]).toBe(1)
  expect(sources.mentions('What is the favourite tea?')).toBeUndefined()
  expect(sources.mentions('Which value has i after the loop?')).toBeUndefined()
})

test('readQuestion counts a word at most eight times', () => {
  const { terms } = read(`${'harbour '.repeat(1_000)} gate gate opens`)
  expect(terms.filter((term) => term === 'harbour')).toHaveLength(8)
  expect(terms.slice(8)).toEqual(['gate', 'gate', 'open'])
})
