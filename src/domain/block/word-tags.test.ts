import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stemOf as stem } from '../../search/language/choose.ts'
import { WordTags } from './tags.ts'

const OPTIONS = { most: 3, lengthLeast: 3 }
const tagsOf = (content: string, known: readonly string[]) =>
  new WordTags(stem, OPTIONS).add(known).tagsOf(content)

test('tagsOf gives the known tags all of whose words a text has, in any form', () => {
  expect(
    tagsOf('Backups of the photo libraries failed.', ['backup', 'photo library', 'photo album']),
  ).toEqual(['photo library', 'backup'])
})

test('tagsOf gives at most so many tags, the most specific first', () => {
  const known = ['salt', 'lemon', 'oven', 'green bean']
  expect(tagsOf('Salt, lemon and green beans go into the oven.', known)).toEqual([
    'green bean',
    'lemon',
    'oven',
  ])
})

test('tagsOf gives known tags alone, each once', () => {
  const word = fc.constantFrom('salt', 'lemon', 'oven', 'green', 'bean', 'self/goal')
  const tag = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(fc.array(word), fc.array(tag), (words, known) => {
      const given = tagsOf(words.join(' '), known)
      expect(new Set(given).size).toBe(given.length)
      expect(given.filter((each) => !known.includes(each) || each.includes('/'))).toEqual([])
      expect(given.length).toBeLessThanOrEqual(OPTIONS.most)
    }),
  )
})
