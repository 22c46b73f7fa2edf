import { expect, test } from 'vitest'
import { bestPassage } from './passage.ts'

const termsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+|\d+/gu) ?? []
const found = (text: string, question: string): string | undefined => {
  const passage = bestPassage(text, termsOf(question), termsOf)
  return passage && text.slice(passage.from, passage.to)
}

test('bestPassage is the sentence with most of the wanted words', () => {
  const text = 'The mill grinds. The key of the mill hangs by the door! The door is green.'
  expect(found(text, 'key door mill')).toBe('The key of the mill hangs by the door!')
})

test('bestPassage counts a rare word more than a common one', () => {
  const text = 'Barge one carries coal. Barge two carries coal. Barge three carries lanterns.'
  expect(found(text, 'coal lanterns barge')).toBe('Barge three carries lanterns.')
})

test('bestPassage is the first of equal sentences, and undefined without a shared word', () => {
  expect(found('Tea is hot. Tea is green.', 'tea')).toBe('Tea is hot.')
  expect(found('Tea is hot.', 'coffee')).toBeUndefined()
  expect(found('', 'tea')).toBeUndefined()
})
