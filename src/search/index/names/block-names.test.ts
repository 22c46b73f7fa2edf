import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packedOf } from '../../../../test/helpers/packed.ts'
import { BlockNames } from './block-names.ts'

const act = fc.record({
  slot: fc.integer({ min: 0, max: 12 }),
  names: fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 900 })),
})

test('of gives the names that were set last, also after pack and unpack', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), fc.nat(60), (acts, packedAt) => {
      let names = new BlockNames()
      const wanted = new Map<number, string>()
      for (const [at, { slot, names: text }] of acts.entries()) {
        if (text === '') names.remove(slot)
        else names.set(slot, text)
        wanted.set(slot, text.toWellFormed())
        if (at === packedAt) names = repacked(names)
      }
      const all = repacked(names)
      for (let slot = 0; slot < 13; slot++) {
        expect(names.of(slot)).toBe(wanted.get(slot) ?? '')
        expect(all.of(slot)).toBe(wanted.get(slot) ?? '')
      }
    }),
  )
})

function repacked(names: BlockNames): BlockNames {
  const again = new BlockNames()
  again.unpack(packedOf(names.pack(13)), 13)
  return again
}
