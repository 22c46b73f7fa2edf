import fc from 'fast-check'
import { expect, test } from 'vitest'
import { strength } from '../index/rank.ts'
import { lexicalShare, wordsWeight } from '../index/words.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const cosine = fc.double({ min: -1, max: 1, noNaN: true })

test('strength lies between the plain mean and the stronger side', () => {
  fc.assert(
    fc.property(unit, unit, (c, l) => {
      const fused = strength(c, l)
      expect(fused).toBeGreaterThanOrEqual((c + l) / 2 - 1e-9)
      expect(fused).toBeLessThanOrEqual(Math.max(c, l) + 1e-9)
    }),
  )
})

test('strength never falls when a side rises', () => {
  fc.assert(
    fc.property(cosine, cosine, unit, (one, other, l) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      expect(strength(less, l)).toBeLessThanOrEqual(strength(more, l))
    }),
  )
})

test('lexicalShare is 1 from the norm on, and 0 of an unreachable question', () => {
  const plain = { norm: 0.6, exponent: 1 }
  expect(lexicalShare(3, 10, plain)).toBeCloseTo(0.5, 12)
  expect(lexicalShare(6, 10, plain)).toBe(1)
  expect(lexicalShare(9, 10, plain)).toBe(1)
  expect(lexicalShare(0, 0, plain)).toBe(0)
  expect(lexicalShare(-1, 10, plain)).toBe(0)
})

test('wordsWeight rises with the number of words and falls with the size of the store', () => {
  const options = { fullWords: 4, wordsSizeLoss: 0.03 }
  expect(wordsWeight(4, 1, options)).toBe(1)
  expect(wordsWeight(9, 1, options)).toBe(1)
  expect(wordsWeight(1, 1, options)).toBeCloseTo(0.4, 12)
  expect(wordsWeight(4, 1_000, options)).toBeCloseTo(1 - 0.03 * Math.log(1_000), 12)
  expect(wordsWeight(4, Number.MAX_VALUE, { ...options, wordsSizeLoss: 1 })).toBe(0)
  expect(wordsWeight(1, 1, { fullWords: 0, wordsSizeLoss: 0 })).toBe(1)
})
