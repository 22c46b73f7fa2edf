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
])('the first pieces of %j, %i of them, are %j', (text, most, first) => {
  expect(firstPieces(text, most)).toBe(first)
})

test('they begin the text, grow with their number, and are whole signs', async () => {
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
