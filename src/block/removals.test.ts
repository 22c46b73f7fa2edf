import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Removal, removedBetween, withRemoval } from './removals.ts'

const idsOf = (generation: number, many: number) =>
  Array.from({ length: many }, (_, i) => `${generation}-${i}`)

test('removedBetween gives all removals that a reader missed, or undefined where some are no longer kept', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ many: fc.nat(400), sequence: fc.nat(50), isOther: fc.boolean() }), {
        maxLength: 12,
      }),
      fc.nat(12),
      (steps, from) => {
        const all = steps.map(({ many, sequence, isOther }, at) => ({
          isOther,
          removal: { generation: at + 1, sequence, ids: idsOf(at + 1, many) },
        }))
        const removals = all.flatMap(({ removal, isOther }) => (isOther ? [] : [removal]))
        const kept = removals.reduce<Removal[]>(withRemoval, [])
        const keptIds = kept.flatMap(({ ids }) => ids)
        expect(keptIds.length).toBeLessThanOrEqual(1_000)
        const missed = all.slice(from)
        const ids = missed.flatMap(({ removal }) => removal.ids)
        const told = removedBetween(kept, from, all.length)
        if (told !== undefined) {
          expect(told.ids).toEqual(ids)
          expect(told.sequence).toBe(Math.min(...missed.map(({ removal }) => removal.sequence)))
        } else {
          const isShort =
            missed.reduce((sum, { removal }) => sum + Math.max(1, removal.ids.length), 0) <= 1_000
          expect(missed.length > 0 && isShort && missed.every(({ isOther }) => !isOther)).toBe(false)
        }
      },
    ),
  )
})
