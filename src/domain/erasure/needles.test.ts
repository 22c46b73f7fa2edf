import { expect, test } from 'vitest'
import { isCode, leastWordBytes, needlesOf } from './needles.ts'

const of = (texts: readonly string[], terms: readonly string[] = [], least?: number) =>
  needlesOf({ texts, terms }, least)

test('whole texts, six words in a row and single words are looked for, each also in lower case', () => {
  const needles = of(['Rosa hides the key behind the old lantern'])
  expect(needles.get('Rosa hides the key behind the old lantern')).toBe('text')
  expect(needles.get('hides the key behind the old')).toBe('run')
  expect(needles.get('rosa hides the key behind the')).toBe('run')
  expect(needles.get('lantern')).toBe('word')
  expect(needles.has('hides the key behind the')).toBe(false)
})

test('as JSON writes them, in JSON within JSON too', () => {
  const needles = of(['say "no"\tnow'])
  expect([...needles.keys()]).toEqual(
    expect.arrayContaining(['say "no"\tnow', String.raw`say \"no\"\tnow`, String.raw`say \\\"no\\\"\\tnow`]),
  )
})

test('six words in a row are looked for as they stand and with single spaces', () => {
  const needles = of(['one\ntwo  three four\tfive six seven'])
  expect(needles.get('one\ntwo  three four\tfive six')).toBe('run')
  expect(needles.get('two three four five six seven')).toBe('run')
})

test('twelve characters in a row are looked for where words have no spaces between them', () => {
  const needles = of(['山田さんの暗証番号は九八七六ですから気をつけて', 'internationalisierungsbehörde'])
  expect(needles.get('山田さんの暗証番号は九八')).toBe('run')
  expect(needles.get('証番号は九八七六ですから')).toBe('run')
  expect([...needles.values()].filter((kind) => kind === 'run')).toHaveLength(2)
})

test('words joined by signs, their parts, and stems are looked for', () => {
  const needles = of(['Call (4711-ABCD)!'], ['harbour pilot'])
  for (const word of ['4711-ABCD', '4711', 'ABCD', 'harbour', 'pilot']) expect(needles.get(word)).toBe('word')
})

test('a word that would stand anywhere by chance is left out', () => {
  expect(of(['Rosa rests'], [], 5).has('Rosa')).toBe(false)
  expect(leastWordBytes(1_000, 10)).toBe(4)
  expect(leastWordBytes(1 << 30, 1_000)).toBe(6)
})

test('a word is found between many signs', () => {
  expect(of([`${'!'.repeat(100_000)}lantern${'!'.repeat(100_000)}`]).get('lantern')).toBe('word')
})

test('a number or code tells by itself, a date, a year, a time and a plain word do not', () => {
  expect(['471199', '4711', 'hunter2', 'BE89-3704', 'v24.11.0'].filter(isCode)).toHaveLength(5)
  expect(['lantern', '2026', '2026-03-09', '15:30', '9.30', 'a1'].filter(isCode)).toEqual([])
})
