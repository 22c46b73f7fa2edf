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

/** Not nearer to 0: before SQLite 3.53 the last bit of such numbers may change on their way through JSON. */
const SMALLEST = 1e-9
export const unit = fc.oneof(fc.constant(0), fc.double({ min: SMALLEST, max: 1, noNaN: true }))
export const hours = fc.oneof(fc.constant(0), fc.double({ min: SMALLEST, max: 1000, noNaN: true }))
export const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => value.replaceAll('\0', ''))
export const limit = fc.integer({ min: 0, max: 5 })
