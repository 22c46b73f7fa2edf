import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GATE_ONE, RANKING, SessionChains } from './chains.ts'

const relatedness = (a: number, b: number) => 1 / (1 + Math.abs(a - b))
const need = (slot: number) => 1 / (1 + (slot % 3))
/** All slots are blocks that somebody said. */
const SAID = {
  cosine: (a: number, b: number) => RANKING.gateFloor + RANKING.gateWidth * relatedness(a, b),
  termsOf: (slot: number) => 18 / need(slot),
  isSaid: () => true,
  isOneBlock: () => false,
}

const edits = fc.array(
  fc.record({
    slot: fc.nat({ max: 11 }),
    place: fc.option(fc.record({ session: fc.constantFrom(0, 1), position: fc.nat({ max: 11 }) }), {
      nil: undefined,
    }),
  }),
  { maxLength: 40 },
)

test('before, after and the shares taken of neighbours follow the order in the session after any edits', () => {
  fc.assert(
    fc.property(edits, (all) => {
      const chains = new SessionChains(SAID)
      const model = new Map<number, { session: number; position: number }>()
      for (const { slot, place } of all) {
        const taken =
          place &&
          [...model].some(
            ([other, at]) => other !== slot && at.session === place.session && at.position === place.position,
          )
        if (taken) continue
        if (place) {
          chains.add(slot, place.session, place.position)
          model.set(slot, place)
        } else {
          chains.remove(slot)
          model.delete(slot)
        }
        if (slot % 2 === 0) chains.settle()
      }
      chains.settle()
      for (const session of [0, 1]) expectOrder(chains, model, session)
    }),
  )
})

function expectOrder(
  chains: SessionChains,
  model: ReadonlyMap<number, { session: number; position: number }>,
  session: number,
): void {
  const order = [...model]
    .filter(([, at]) => at.session === session)
    .sort((a, b) => a[1].position - b[1].position)
  const { before: links, back, ahead } = chains.columns
  for (const [i, [slot]] of order.entries())
    for (let k = 1; k <= 3; k++) {
      const [before, after] = [order[i - k]?.[0] ?? -1, order[i + k]?.[0] ?? -1]
      if (k === 1) expect(links[slot]).toBe(before)
      const shareOf = (lender: number) => (lender < 0 ? 0 : need(slot) * relatedness(slot, lender))
      expect((back[k - 1]?.[slot] ?? 0) / GATE_ONE).toBeCloseTo(shareOf(before), 3)
      if (k <= 2) expect((ahead[k - 1]?.[slot] ?? 0) / GATE_ONE).toBeCloseTo(shareOf(after), 3)
    }
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
