import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redactSecrets } from '../../src/secrets/secrets.ts'
import { HELD_OUT } from './held-out.ts'
import { NEGATIVES } from './negatives.ts'
import { isTakenOut, type Shape } from './shape.ts'
import { SHAPES } from './shapes.ts'

const missed = (shapes: readonly Shape[]) =>
  shapes.filter((shape) => !isTakenOut(shape, redactSecrets(shape.text).text)).map(({ text }) => text)

test('redactSecrets takes out each shape that its rules were made for, and keeps the words around it', () => {
  expect(missed(SHAPES)).toEqual([])
})

test('redactSecrets takes out 90 of 100 shapes that its rules were not made for', () => {
  expect(missed(HELD_OUT).length).toBeLessThanOrEqual(0.1 * HELD_OUT.length)
})

test('redactSecrets changes no text without a secret', () => {
  expect(NEGATIVES.filter((text) => redactSecrets(text).text !== text)).toEqual([])
})

test('redactSecrets of its own result changes nothing', () => {
  const piece = fc.oneof(
    fc.constantFrom(...[...SHAPES, ...HELD_OUT].map(({ text }) => text)),
    fc.constantFrom(...NEGATIVES),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('password', 'is', ':', '=', '"', '| --- |', 'token', '[redacted: ', ']', '\\\n'),
  )
  const between = fc.constantFrom(' ', '\n', '', '=', ', ')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 7 }), between, (pieces, sign) => {
      const once = redactSecrets(pieces.join(sign)).text
      expect(redactSecrets(once).text).toBe(once)
    }),
    { numRuns: 300 },
  )
})
