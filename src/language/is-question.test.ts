import { expect, test } from 'vitest'
import { fenced } from '../block/text.ts'
import { questionOf } from './pack.ts'

test('questionOf leaves recalled text out, and is empty for that alone and for small talk', () => {
  const frame = fenced('Staging listens on port 4210.', ['c1760a95'])
  expect(questionOf(`${frame}\n Is it up? `)).toBe('Is it up?')
  for (const nothing of [frame, '', ' \n', 'Ok, go on.']) expect(questionOf(nothing)).toBe('')
})

test('questionOf a long message is its beginning and its end, in whole characters', () => {
  const asked = questionOf(`Which port?${'🙂'.repeat(5_000)}When is tea?`)
  expect(asked.length).toBeLessThan(2_100)
  expect(asked).toMatch(/^Which port\?.*When is tea\?$/u)
  expect(asked.isWellFormed()).toBe(true)
})
