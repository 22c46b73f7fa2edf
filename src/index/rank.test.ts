import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rankBlocks } from './rank.ts'
import { strength } from './strength.ts'

const tenth = fc.integer({ min: -10, max: 10 }).map((n) => n / 10)
const slot = fc.record({
  cosine: tenth,
  raw: fc.integer({ min: 0, max: 12 }),
  bonus: fc.constantFrom(-0.05, 0, 0.08),
  lift: fc.constantFrom(0, 0, 0.04, 0.1),
})

test('rankBlocks gives the ranks of a sort of all slots that keeps the best of each block', () => {
  fc.assert(
    fc.property(
      fc.array(slot, { maxLength: 40 }),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 1, max: 4 }),
      (slots, count, passages) => {
        const full = 10
        const shareOf = (at: number) => Math.min(1, (slots[at]?.raw ?? 0) / full) ** 2
        const allowed = (at: number) => at % 4 !== 1
        const headOf = (at: number) => Math.floor(at / passages)
        const ranked = rankBlocks(count, {
          slots: slots.length,
          cosines: Float32Array.from(slots, ({ cosine }) => cosine),
          shares: { raw: Float32Array.from(slots, ({ raw }) => raw), full, of: shareOf },
          bonusOf: (at) => slots[at]?.bonus ?? 0,
          mostBonus: 0.08,
          liftOf: (at) => slots[at]?.lift ?? 0,
          allowed,
          precedes: (one, other) => one > other,
          headOf,
        })
        const plain = slots
          .map(({ cosine, bonus, lift }, at) => ({
            slot: at,
            lift,
            rank: Math.fround(strength(Math.fround(cosine), shareOf(at)) + bonus),
          }))
          .filter((each) => allowed(each.slot))
        const most = 0.95 * Math.max(...plain.map(({ rank }) => rank))
        const best = new Map<number, number>()
        for (const { slot: at, rank, lift } of plain) {
          const risen = lift > 0 ? Math.max(rank, Math.min(rank + lift, most)) : rank
          best.set(headOf(at), Math.max(risen, best.get(headOf(at)) ?? Number.NEGATIVE_INFINITY))
        }
        const wanted = [...best.values()].sort((one, other) => other - one).slice(0, count)
        expect(ranked.map(({ rank }) => rank)).toEqual(
          wanted.map((rank) => expect.closeTo(rank, 6) as number),
        )
        expect(new Set(ranked.map((each) => headOf(each.slot))).size).toBe(ranked.length)
      },
    ),
  )
})
