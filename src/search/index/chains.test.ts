import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GATE_ONE, SessionChains } from './chains.ts'

const relatedness = (a: number, b: number) => 1 / (1 + Math.abs(a - b))
const need = (slot: number) => 1 / (1 + (slot % 3))

const edits = fc.array(
  fc.record({
    slot: fc.nat({ max: 9 }),
    place: fc.option(fc.record({ session: fc.constantFrom(0, 1), position: fc.nat({ max: 6 }) }), {
      nil: undefined,
    }),
  }),
  { maxLength: 30 },
)

test('before, after and the shares taken of neighbours follow the order in the session after any edits', () => {
  fc.assert(
    fc.property(edits, (all) => {
      const chains = new SessionChains({ relatedness, need })
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
  const { back, ahead } = chains.columns
  for (const [i, [slot]] of order.entries())
    for (let k = 1; k <= 3; k++) {
      const [before, after] = [order[i - k]?.[0] ?? -1, order[i + k]?.[0] ?? -1]
      expect(chains.before(k, slot)).toBe(before)
      expect(chains.after(k, slot)).toBe(after)
      const shareOf = (lender: number) => (lender < 0 ? 0 : need(slot) * relatedness(slot, lender))
      expect((back[k - 1]?.[slot] ?? 0) / GATE_ONE).toBeCloseTo(shareOf(before), 3)
      if (k <= 2) expect((ahead[k - 1]?.[slot] ?? 0) / GATE_ONE).toBeCloseTo(shareOf(after), 3)
    }
}

test('settle reports what changed once, with all slots that see it', () => {
  const chains = new SessionChains({ relatedness, need })
  for (let slot = 0; slot < 9; slot++) chains.add(slot, 0, slot)
  expect(chains.settle()).toHaveLength(9)
  expect(chains.settle()).toEqual([])
  chains.remove(4)
  expect(chains.settle().sort()).toEqual([1, 2, 3, 5, 6, 7])
})
