import { expect, test } from 'vitest'
import { properNamesIn } from './proper-names.ts'

const ENGLISH = { openings: new Set(["don't", 'i', 'in', "it's", 'may', 'the', 'when']), fewestWords: 1 }
const textsIn = (text: string, rules = ENGLISH) => properNamesIn(text, rules).map((name) => name.text)

test.each([
  ['Anna moved to New York with Ben', ['Anna', 'New York', 'Ben']],
  ['The Isle of Man, and the Bay of Bengal', ['Isle of Man', 'Bay of Bengal']],
  ['they say ERR42 and v12 on the server', ['ERR42', 'v12']],
  ['it runs Windows 11 since Apollo 13 landed', ['Windows 11', 'Apollo 13']],
  ["Jean-Paul Sartre met O'Brien & Sons", ['Jean-Paul Sartre', "O'Brien & Sons"]],
  ['Ludwig van Beethoven', ['Ludwig van Beethoven']],
])('properNamesIn finds runs of words with capitals or digits: %s', (text, names) => {
  expect(textsIn(text)).toEqual(names)
})

test('properNamesIn ends a name with its sentence and its line', () => {
  expect(textsIn('we saw Rome. Berlin came later')).toEqual(['Rome', 'Berlin'])
  expect(textsIn('who likes Rome? Berlin does')).toEqual(['Rome', 'Berlin'])
  expect(textsIn('from Rome\nBerlin is far')).toEqual(['Rome', 'Berlin'])
})

test('properNamesIn begins no name with the first word of a sentence, a number or a small word', () => {
  expect(textsIn("When Anna left, I didn't see her. Don't tell. It's late")).toEqual(['Anna'])
  expect(textsIn('The May 2020 report')).toEqual([])
  expect(textsIn('In 1999 Vienna grew')).toEqual(['Vienna'])
})

test('properNamesIn with fewestWords 2 gives names of two words, or with a digit', () => {
  const german = { openings: new Set(['der', 'das']), fewestWords: 2 }
  expect(textsIn('Der Hund von Angela Merkel sieht das Haus am Tor B12', german)).toEqual([
    'Angela Merkel',
    'Tor B12',
  ])
})

test('properNamesIn says how a sentence tells a name from a word with a capital', () => {
  const told = (text: string) => properNamesIn(text, ENGLISH).map((name) => name.told)
  expect(told('we met in Rome')).toEqual(['inside'])
  expect(told('Anna Karenina waits')).toEqual(['beginning'])
  for (const text of [
    'Orders are late',
    'Ask. Wait',
    "We'll go",
    'wait the 250ms',
    'return True',
    'Error Handling',
  ])
    expect(told(text), text).toEqual(told(text).map(() => undefined))
})
