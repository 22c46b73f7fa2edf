import { expect, test } from 'vitest'
import { namesIn } from './text.ts'

test('namesIn gives capitalised words inside a question, numbers and identifiers', () => {
  expect(namesIn('Which port does the Staging host use, 4210 or EX-204?')).toEqual([
    'staging',
    '4210',
    'ex-204',
  ])
  expect(namesIn('is v1.2 of (Nordlicht) out; and v1.2 again.')).toEqual(['v1.2', 'nordlicht'])
  expect(namesIn('Wo wohnt Ärger-Müller?')).toEqual(['ärger-müller'])
})

test('namesIn gives nothing for plain words, and a first word only with a digit', () => {
  expect(namesIn('Where do we keep the spare key?')).toEqual([])
  expect(namesIn('')).toEqual([])
  expect(namesIn('E18')).toEqual(['e18'])
})
