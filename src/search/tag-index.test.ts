import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasTag } from './filter.ts'
import { TagIndex } from './tag-index.ts'

const tags = fc.uniqueArray(fc.constantFrom('self/value', 'self/goal', 'ops', 'ops/cache', 'peer/eve'), {
  maxLength: 3,
})
const patterns = fc.array(fc.constantFrom('self/*', 'self/goal', 'ops', 'ops*', '*', 'none'), {
  maxLength: 3,
})

test('what is found by a pattern is exactly what carries a fitting tag', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ slot: fc.nat({ max: 6 }), tags }), { maxLength: 20 }),
      patterns,
      (edits, wanted) => {
        const index = new TagIndex()
        const model = new Map<number, readonly string[]>()
        for (const { slot, tags: given } of edits) {
          index.set(slot, given)
          model.set(slot, given)
        }
        const fitting = [...model].filter(([, given]) => hasTag(given, wanted)).map(([slot]) => slot)
        expect(index.find(wanted)).toEqual(fitting.sort((a, b) => a - b))
      },
    ),
  )
})
