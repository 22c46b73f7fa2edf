import { expect, test } from 'vitest'
import { isFaithful } from './summary.ts'

const KEPT: readonly (readonly [content: string, summary: string])[] = [
  ['Ben prefers short answers.', 'Ben likes answers that are short.'],
  [
    'Never share customer data with anyone outside the company.',
    'Customer data is never to leave the company.',
  ],
  ["Don't deploy on Fridays; Ana may.", 'Deployment is not for Fridays; Ana may.'],
  ['Ana drinks green tea at 4 pm in the garden.', 'Green tea at 4 pm is what Ana drinks.'],
]
const REFUSED: readonly (readonly [content: string, summary: string])[] = [
  ['Never share customer data with anyone.', 'Share customer data with anyone.'],
  ['You cannot deploy on Fridays.', 'You can deploy on Fridays.'],
  ['Bob pays Ana.', 'Ana pays Bob.'],
  ['Staging listens on port 4210, production on port 4211.', 'Staging listens on 4211, production on 4210.'],
  ['The freezer is at -5 degrees.', 'The freezer is at 5 degrees.'],
  ['Ben has the key.', 'Ben has the key of Mallory.'],
  ['Ben and Mia have the key.', 'Ben has the key.'],
]

test.each(KEPT)('isFaithful is true of a digest with the same facts: %s', (content, summary) => {
  expect(isFaithful(summary, content)).toBe(true)
})

test.each(REFUSED)('isFaithful is false of a digest with other facts: %s', (content, summary) => {
  expect(isFaithful(summary, content)).toBe(false)
})
