import type { Cells, Key } from '../store/database.ts'
import type { Cell, Kind } from '../store/description.ts'

/** A column of a statement: its name and the kind of its values. */
export type Named = readonly [name: string, kind: Kind]

/** A value is bound to a statement; a list is bound whole, and a list of keys as the dialect spreads it (`Dialect.keys`). */
export type SqlValue = Cell | readonly (Cell | readonly Cell[])[]

/**
 * The words in which SQLite and PostgreSQL differ. Statements are written with `?` for the next value, or `?1`, `?2` … for a value of
 * that number, and with these words; `numbered` then gives places the sign of the dialect.
 */
export interface Dialect {
  /** The sign before the number of a value. */
  readonly sign: '?' | '$'
  /** The sign before a column or value that the planner must not look at; empty where it does no harm. */
  readonly plus: '+' | ''
  /** Joins the rows of a table to those before it, for each of which they are sought by an index. */
  readonly join: (table: string, alias: string, on: string) => string
  readonly greatest: 'max' | 'greatest'
  /** Compares A to Z regardless of case. */
  readonly like: 'LIKE' | 'ILIKE'
  /** The function for the place of one text in another; 0 if it is not there. */
  readonly indexOf: 'instr' | 'strpos'
  /** The aggregate of values to a list, which `in` and `touching` take. */
  readonly gather: 'json_group_array' | 'array_agg'
  /** A list of values or keys as a table: the parts of a value by `at`, its place by `key`. */
  readonly list: (alias: string, kinds: readonly Kind[], place?: string) => string
  readonly at: (alias: string, part: number, kinds: readonly Kind[]) => string
  /** Sorts by the places of a list, where a join does not keep them. */
  readonly inOrderOf: (alias: string) => string
  /** The values of `list` for some keys. */
  readonly keys: (keys: readonly Key[], width: number) => SqlValue[]
  /** True if a column has one of the values of a list; `source` names the table with the list, if it is a column. */
  readonly in: (column: string, place: string, kind?: Kind, source?: string) => string
  /** True if a column has one of the values of a query. */
  readonly inQuery: (column: string, query: string) => string
  /** The rows of a table whose column has one of the values of a list, after FROM; conditions may follow. */
  readonly touching: (table: string, alias: string, column: string, place: string) => string
  /** The texts of a column with a JSON list as a table with the column `value`. */
  readonly texts: (column: string, alias: string) => string
  /** True if a column with JSON has no list, or one with another part than texts or objects. */
  readonly isNoList: (column: string, of: 'text' | 'object') => string
  /** True if a column is an instant as JavaScript writes it, before the year 0 and after 9999 with a sign and six digits. */
  readonly isInstant: (column: string) => string
  /**
   * A recursive part of a WITH clause: the ids of the list `?1` and those to which steps lead from `name.id`, the nearest first, at
   * most `?2`. A step gives the id and the condition of a row of the table.
   */
  readonly walk: (
    name: string,
    table: string,
    steps: readonly (readonly [to: string, on: string])[],
  ) => string
  /** Inserts rows; with `number` that column gets the next numbers, which come back. */
  readonly insert: (table: string, columns: readonly Named[], number?: string) => string
  /** The columns of a key after ON CONFLICT. */
  readonly conflict: (key: readonly string[]) => string
  /** The lists of values with which `insert` runs for some rows. */
  readonly rows: (rows: readonly Cells[]) => readonly (readonly SqlValue[])[]
}

/** Returns a statement with all places numbered in the way of a dialect; `?0` is the place behind all others. */
export function numbered(text: string, { sign }: Dialect): string {
  let last = 0
  const counted = text.replace(/\?(?!\d)/g, () => {
    last += 1
    return `?${last}`
  })
  for (const [, number] of counted.matchAll(/\?(\d+)/g)) last = Math.max(last, Number(number))
  return counted.replace(/\?(\d+)/g, (_, number: string) => `${sign}${number === '0' ? last + 1 : number}`)
}
