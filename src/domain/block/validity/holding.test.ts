import fc from 'fast-check'
import { expect, test } from 'vitest'
import { begunLater, holdsAt } from './validity.ts'

const DAYS = [1, 2, 3, 4, 5, 6].map((day) => `2026-05-0${day}T00:00:00.000Z`)
const anyDay = fc.constantFrom(...DAYS)
const maybeDay = fc.option(anyDay, { nil: undefined })
/** A block with none, one or both of its dates, in order. */
const anyBlock = fc
  .record({ from: maybeDay, until: maybeDay, supersededAt: maybeDay, occurredAt: anyDay, createdAt: anyDay })
  .filter(({ from, until }) => from === undefined || until === undefined || from < until)
  .map(({ from, until, supersededAt, ...block }) => ({
    ...block,
    ...(from && { validFrom: from }),
    ...(until && { validUntil: until }),
    ...(supersededAt && { supersededAt }),
  }))

test('begunLater is the same in either order, and the second of two blocks that held apart', () => {
  fc.assert(
    fc.property(anyBlock, anyBlock, (one, other) => {
      const later = begunLater(one, other)
      expect(begunLater(other, one)).toBe(later)
      const [days, others] = [one, other].map((block) => DAYS.filter((day) => holdsAt(block, day)))
      if (!days?.length || !others?.length) return
      const areApart = (days.at(-1) ?? '') < (others[0] ?? '') && one.validUntil !== undefined
      if (areApart) expect(later).toBe(other)
    }),
  )
})
