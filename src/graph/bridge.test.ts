import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bridgeThreshold, isBridge } from '../outcome/formulas.ts'

test('isBridge is true of the best linked fifth of the linked blocks', () => {
  const degrees = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  const threshold = bridgeThreshold(degrees)
  expect(threshold).toBe(9)
  expect(degrees.filter((degree) => isBridge(degree, threshold))).toEqual([9, 10])
})

test('isBridge is false where there are no edges', () => {
  expect(isBridge(0, bridgeThreshold([0, 0]))).toBe(false)
})

test('isBridge is true of the best linked block and false of an unlinked one', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { minLength: 1 }), (degrees) => {
      fc.pre(Math.max(...degrees) > 0)
      const threshold = bridgeThreshold(degrees)
      expect(isBridge(Math.max(...degrees), threshold)).toBe(true)
      expect(isBridge(0, threshold)).toBe(false)
    }),
  )
})
