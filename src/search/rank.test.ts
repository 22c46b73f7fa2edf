import fc from 'fast-check'
import { expect, test } from 'vitest'
import { strength } from '../domain/score/score.ts'
import { rankBlocks } from './rank.ts'

const tenth = fc.integer({ min: -10, max: 10 }).map((n) => n / 10)
const slot = fc.record({
  cosine: tenth,
  raw: fc.integer({ min: 0, max: 12 }),
  bonus: fc.constantFrom(-0.05, 0, 0.08),
})

test('rankBlocks gives the ranks that sorting all blocks gives', () => {
  fc.assert(
    fc.property(
      fc.array(slot, { maxLength: 40 }),
      fc.integer({ min: 0, max: 8 }),
      fc.constantFrom(1, 1.5, 3),
      (slots, count, power) => {
        const full = 10
        const shareOf = (at: number) => Math.min(1, (slots[at]?.raw ?? 0) / full) ** 2
        const allowed = (at: number) => at % 4 !== 1
        const ranked = rankBlocks(count, {
          slots: slots.length,
          cosines: Float32Array.from(slots, ({ cosine }) => cosine),
          shares: { raw: Float32Array.from(slots, ({ raw }) => raw), full, of: shareOf },
          power,
          bonusOf: (at) => slots[at]?.bonus ?? 0,
          mostBonus: 0.08,
          allowed,
          precedes: (one, other) => one > other,
        })
        const wanted = slots
          .map(({ cosine, bonus }, at) => ({
            slot: at,
            rank: Math.fround(strength(Math.fround(cosine), shareOf(at), power) + bonus),
          }))
          .filter((each) => allowed(each.slot))
          .sort((one, other) => other.rank - one.rank || other.slot - one.slot)
          .slice(0, count)
        expect(ranked.map(({ rank }) => rank)).toEqual(
          wanted.map(({ rank }) => expect.closeTo(rank, 6) as number),
        )
      },
    ),
  )
})
