import fc from 'fast-check'

/** The names calls are made of, so few that calls meet each other's traces. */
export interface Names {
  /** Of blocks that are inserted. */
  readonly own: readonly string[]
  /** Of blocks that are only asked about. */
  readonly others: readonly string[]
  readonly sessions: readonly string[]
  /** Of blocks inserted into the whole store. */
  readonly scopes: readonly string[]
  /** Whether calls are about the shadow vectors, too, which are the whole store's. */
  readonly spares: boolean
  /** Whether calls take writes back, and whether they drop entries of the log with what is kept for that. */
  readonly undoes: boolean
  readonly trimsLog: boolean
}

export const NAMES: Names = {
  own: ['a', 'ab', 'abc', 'b', 'b%', 'B', 'c_1', 'c-1'],
  others: ['nobody'],
  sessions: ['one', 'two', 'three'],
  scopes: ['X', 'Y'],
  spares: true,
  undoes: true,
  trimsLog: true,
}

/** Ids of blocks as arguments: any of them. */
export function idsOf({ own, others }: Names) {
  const id = fc.constantFrom(...own, ...others)
  return { id, ids: fc.array(id, { maxLength: 6 }), ends: fc.tuple(id, id) }
}

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
/** A time after that of all blocks that are given none. */
export const LATER = '2999-01-01T00:00:00.000Z'
