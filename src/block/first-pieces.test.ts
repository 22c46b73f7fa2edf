import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstPieces } from './text.ts'

test.each([
  ['Where is the tea kept?', 5, 'Where is the tea '],
  ['Where is the tea kept?', 100, 'Where is the tea kept?'],
  ['[[[[[[', 3, '[[['],
  ['茶在哪里', 2, '茶在'],
  ['😀😀😀', 1, '😀'],
  ['   ', 0, '   '],
])('firstPieces of %j, at most %i, is %j', (text, most, first) => {
  expect(firstPieces(text, most)).toBe(first)
})

test('firstPieces begins the text, grows with the number, and has whole signs', async () => {
  const text = fc.string({ unit: 'binary' }).map((each) => each.toWellFormed())
  await fc.assert(
    fc.property(text, fc.nat(30), (given, most) => {
      const first = firstPieces(given, most)
      expect(given.startsWith(first)).toBe(true)
      expect(first.isWellFormed()).toBe(true)
      expect(firstPieces(given, most + 1).startsWith(first)).toBe(true)
      expect(firstPieces(first, most)).toBe(first)
    }),
  )
})
