import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RANKING, SessionChains } from './chains.ts'

const relatedness = (a: number, b: number) => 1 / (1 + Math.abs(a - b))
const need = (slot: number) => 1 / (1 + (slot % 3))
/** All slots are blocks that somebody said. */
const SAID = {
  cosine: (a: number, b: number) => RANKING.gateFloor + RANKING.gateWidth * relatedness(a, b),
  termsOf: (slot: number) => 18 / need(slot),
  isSaid: () => true,
  isOneBlock: () => false,
}

test('settle gives blocks without a source shares that depend on the session alone, not on edits', () => {
  const facts = {
    ...SAID,
    cosine: (a: number, b: number) => ((a * 7 + b * 5) % 10) / 10,
    isSaid: () => false,
  }
  const moves = fc.array(fc.record({ slot: fc.nat({ max: 19 }), position: fc.option(fc.nat({ max: 30 })) }), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(moves, (all) => {
      const edited = new SessionChains(facts)
      const places = new Map(Array.from({ length: 20 }, (_, slot): [number, number] => [slot, 31 + slot]))
      for (const [slot, position] of places) edited.add(slot, 0, position)
      for (const { slot, position } of all) {
        edited.settle()
        edited.remove(slot)
        places.delete(slot)
        if (position === null || [...places.values()].includes(position)) continue
        edited.add(slot, 0, position)
        places.set(slot, position)
      }
      edited.settle()
      const fresh = new SessionChains(facts)
      for (const [slot, position] of places) fresh.add(slot, 0, position)
      fresh.settle()
      const sharesOf = ({ columns: { back, ahead } }: SessionChains) =>
        [...places.keys()].map((slot) => [...back, ...ahead].map((shares) => shares[slot]))
      expect(sharesOf(edited)).toEqual(sharesOf(fresh))
    }),
  )
})
