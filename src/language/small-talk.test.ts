import { expect, test } from 'vitest'
import { isSmallTalk } from './pack.ts'

test.each([
  '',
  '👍🏽!!',
  'OK.',
  'yes, please continue',
  'Danke, sehr gut!',
  's’il vous plaît',
  'да, спасибо',
  '好的',
  '-'.repeat(100_000),
])('isSmallTalk of %j is true', (text) => {
  expect(isSmallTalk(text)).toBe(true)
})

test.each([
  'Ana',
  'yes, Tuesday',
  'ok, but not on Fridays',
  '北京',
  'Thanks to Ben the harbour is open.',
  'ok '.repeat(9),
  `ok${' '.repeat(300)}4210`,
])('isSmallTalk of %j is false', (text) => {
  expect(isSmallTalk(text)).toBe(false)
})
