import { expect, test } from 'vitest'
import { fenced, prefixBreak } from '../../src/frames/index.ts'

const FRAME = fenced('Tea is at four.', ['c1760a9542f2481c'])
const user = (...texts: readonly string[]) => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})

test('prefixBreak of a prompt that only grew is undefined', () => {
  const before = [user('a', FRAME), { role: 'assistant', content: 'x' }]
  expect(prefixBreak(before, [...before, user('b')])).toBeUndefined()
  expect(prefixBreak([], before)).toBeUndefined()
})

test.each([
  ['a part of its own', user('a', FRAME), user('a')],
  ['the end of a text', { role: 'user', content: `a\n\n${FRAME}` }, { role: 'user', content: 'a' }],
])('prefixBreak tells a dropped frame that was %s from other changes', (_, before, now) => {
  expect(prefixBreak([user('x'), before], [user('x'), now, user('b')])).toEqual({
    at: 1,
    isDroppedFrame: true,
  })
})

test.each([
  ['a message that changed', [user('a')], [user('b')]],
  ['a message that went', [user('a'), user('b')], [user('a')]],
  ['a frame that came', [user('a')], [user('a', FRAME)]],
  ['another frame', [user('a', FRAME)], [user('a', fenced('Tea is at five o’clock.', []))]],
  ['a frame that went with a word', [user('a', FRAME)], [user('A')]],
  ['a frame that went before another change', [user('a', FRAME), user('b')], [user('a'), user('c')]],
])('prefixBreak of %s is no dropped frame', (_, before, now) => {
  expect(prefixBreak(before, now)).toMatchObject({ isDroppedFrame: false })
})
