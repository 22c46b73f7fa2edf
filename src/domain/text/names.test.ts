import { expect, test } from 'vitest'
import { namesIn } from './names.ts'

test('names are words with a capital inside, numbers and identifiers, whatever stands around them', () => {
  expect(namesIn('Which port does the Staging host use, 4210 or EX-204?')).toEqual([
    'staging',
    '4210',
    'ex-204',
  ])
  expect(namesIn('is v1.2 of (Nordlicht) out; and v1.2 again.')).toEqual(['v1.2', 'nordlicht'])
  expect(namesIn('Wo wohnt Ärger-Müller?')).toEqual(['ärger-müller'])
})

test('a question without any has none, and its first word is none unless it has a digit', () => {
  expect(namesIn('Where do we keep the spare key?')).toEqual([])
  expect(namesIn('')).toEqual([])
  expect(namesIn('E18')).toEqual(['e18'])
})
