import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Top } from './rank.ts'

/** Offers all values at their places. */
function best(
  values: readonly number[],
  count: number,
  allowed: (slot: number) => boolean,
): readonly number[] {
  const top = new Top(count, (slot, other) => slot < other)
  for (const [slot, value] of values.entries())
    if (value >= top.least && top.wants(slot, value) && allowed(slot)) top.take(slot, value)
  return top.slots
}

test('slots are the first of a full sort, ties in slot order', () => {
  const values = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 30 })
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 8 }), (list, count) => {
      const allowed = (slot: number) => slot % 3 !== 1
      const wanted = list
        .map((value, slot) => ({ value, slot }))
        .filter(({ slot }) => allowed(slot))
        .sort((a, b) => b.value - a.value || a.slot - b.slot)
        .slice(0, count)
      expect(best(list, count, allowed)).toEqual(wanted.map(({ slot }) => slot))
    }),
  )
})
