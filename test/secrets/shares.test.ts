import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foundByGroup, marred } from '../../bench/secrets/secrets.ts'
import { redactSecrets } from '../../src/domain/safety/secrets/secrets.ts'
import { HELD_OUT } from './held-out.ts'
import { NEGATIVES } from './negatives.ts'
import { isTakenOut } from './shape.ts'
import { SHAPES } from './shapes.ts'

const ALL = [...SHAPES, ...HELD_OUT]

test('of at least 150 shapes 95 in a hundred are taken out whole, and the words around them stay', () => {
  const missed = SHAPES.filter((shape) => !isTakenOut(shape, redactSecrets(shape.text).text))
  expect(missed.map(({ text }) => text)).toEqual([])
  expect(SHAPES.length).toBeGreaterThanOrEqual(150)
})

test('of shapes that the rules were not made for, 95 in a hundred are taken out as well', () => {
  const rows = foundByGroup(HELD_OUT)
  const [found, tried] = (['found', 'shapes'] as const).map((of) =>
    rows.reduce((sum, row) => sum + row[of], 0),
  )
  expect(found).toBeGreaterThanOrEqual(0.95 * Number(tried))
  expect(tried).toBeGreaterThanOrEqual(100)
})

test('of at least 100 texts without a secret none is changed', () => {
  expect(marred(NEGATIVES)).toEqual([])
  expect(NEGATIVES.length).toBeGreaterThanOrEqual(100)
})

test('doing it twice changes nothing more, whatever stands beside a secret', () => {
  const piece = fc.oneof(
    fc.constantFrom(...ALL.map(({ text }) => text)),
    fc.constantFrom(...NEGATIVES),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'password',
      'is',
      ':',
      '=',
      '"',
      '| --- |',
      'token',
      '[redacted: ',
      ']',
      '\\\n',
      '\n> ',
      '\u200b',
    ),
  )
  const between = fc.constantFrom(' ', '\n', '', '=', ', ', '\\\n')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 7 }), between, (pieces, sign) => {
      const once = redactSecrets(pieces.join(sign)).text
      expect(redactSecrets(once).text).toBe(once)
    }),
    { numRuns: 500 },
  )
})

test('any text can be looked through, and one without a secret comes back as the very same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      const { text: after, found, first } = redactSecrets(text)
      if (found.length === 0) expect(after).toBe(text)
      else expect(first).toMatchObject({ kind: expect.any(String), start: expect.any(Number) })
    }),
    { numRuns: 2000 },
  )
})
