import fc from 'fast-check'
import { expect, test } from 'vitest'
import { topSlots } from './top.ts'

test('the best are those a full sort would give, ties in slot order', () => {
  const values = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 30 })
  fc.assert(
    fc.property(
      values,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: -4, max: 3 }),
      (list, count, floor) => {
        const allowed = (slot: number) => slot % 3 !== 1
        const wanted = list
          .map((value, slot) => ({ value, slot }))
          .filter(({ value, slot }) => value >= floor && allowed(slot))
          .sort((a, b) => b.value - a.value || a.slot - b.slot)
          .slice(0, count)
        expect(topSlots(Float32Array.from(list), count, { floor, allowed })).toEqual(
          wanted.map(({ slot }) => slot),
        )
      },
    ),
  )
})
