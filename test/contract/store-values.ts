import fc from 'fast-check'

export const IDS = ['a', 'ab', 'abc', 'b', 'b%', 'B', 'c_1', 'c-1']
export const id = fc.constantFrom(...IDS, 'nobody')
export const ids = fc.array(id, { maxLength: 6 })
export const ends = fc.tuple(id, id)
export const session = fc.constantFrom('one', 'two', 'three')
export const tags = fc.uniqueArray(fc.constantFrom('self/goal', 'self/value', 'selfish', 'x_y', 'x%y', 'ä'), {
  maxLength: 3,
})
export const status = fc.constantFrom(
  'inbox' as const,
  'active' as const,
  'active' as const,
  'archived' as const,
)
export const unit = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0)
export const hours = fc.double({ min: 0, max: 1000, noNaN: true }).map((value) => value + 0)
export const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => value.replaceAll('\0', ''))
export const limit = fc.integer({ min: 0, max: 5 })
