import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lostToLookAlikes } from './look-alikes.ts'

const block = fc.record({
  family: fc.integer({ min: 0, max: 2 }),
  coverage: fc.constantFrom(0, 0.25, 0.5, 1),
})
const options = {
  isAlike: (one: { family: number }, other: { family: number }) => one.family === other.family,
  coverageOf: ({ coverage }: { coverage: number }) => coverage,
  penalty: 0.2,
}

test('lostToLookAlikes compares a block with the look-alike that has most of the words', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 24 }), (blocks) => {
      const lost = lostToLookAlikes(blocks, options)
      for (const [place, { family, coverage }] of blocks.entries()) {
        const alike = blocks.filter((other) => other.family === family)
        const most = Math.max(...alike.map((other) => other.coverage))
        expect(lost[place]).toBeCloseTo(0.2 * (most ** 2 - coverage ** 2), 9)
      }
    }),
  )
})
