import { codecOf } from '../../store/codec.ts'
import { BLOCK as BLOCK_VIEW, PAIR as PAIR_VIEW } from '../../store/views.ts'

/** In the `scope` of a row that belongs to none. */
export const NO_SCOPE = ''

/** Between blocks and their rows. */
export const BLOCK = codecOf(BLOCK_VIEW)

/** Between pairs and their rows. */
export const PAIR = codecOf(PAIR_VIEW)

/** Prefixes each column with a table's name. */
export function columnsOf(table: string, columns: readonly string[]): string {
  return columns.map((column) => `${table}.${column}`).join(', ')
}

/** Each value once, at its first place, as one bound parameter for `json_each`. */
export function jsonList(values: readonly string[]): string {
  return JSON.stringify([...new Set(values)])
}
