import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAtOnce, isLaterWord, isNewer, isPlanned, saidAt } from './standing.ts'

const anyDay = fc.integer({ min: 1, max: 6 }).map((day) => `2026-05-0${day}T00:00:00.000Z`)
const anyBlock = fc.record({
  id: fc.string({ minLength: 4, maxLength: 4 }),
  occurredAt: anyDay,
  createdAt: anyDay,
})

test('a block was said when it happened, and never later than it was remembered', () => {
  fc.assert(
    fc.property(anyBlock, (block) => {
      expect(saidAt(block)).toBe([block.occurredAt, block.createdAt].sort()[0])
    }),
  )
})

test('which of blocks is newer is a total order', () => {
  fc.assert(
    fc.property(anyBlock, anyBlock, anyBlock, (a, b, c) => {
      fc.pre(new Set([a.id, b.id, c.id]).size === 3)
      expect(isNewer(a, b)).toBe(!isNewer(b, a))
      if (isNewer(a, b) && isNewer(b, c)) expect(isNewer(a, c)).toBe(true)
    }),
  )
})

test('of two blocks one is the later word, and beside a date ahead it is the one remembered later', () => {
  fc.assert(
    fc.property(anyBlock, anyBlock, (a, b) => {
      fc.pre(a.id !== b.id)
      expect(isLaterWord(a, b)).toBe(!isLaterWord(b, a))
      if (!isPlanned(a) && !isPlanned(b)) expect(isLaterWord(a, b)).toBe(isNewer(a, b))
      else if (a.createdAt !== b.createdAt) expect(isLaterWord(a, b)).toBe(a.createdAt > b.createdAt)
    }),
  )
})

test('two blocks remembered at one moment are at once, unless one of them happened before', () => {
  fc.assert(
    fc.property(anyBlock, anyBlock, (a, b) => {
      expect(isAtOnce(a, b)).toBe(saidAt(a) === saidAt(b) && a.createdAt === b.createdAt)
    }),
  )
})
