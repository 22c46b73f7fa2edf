import { unreadable } from '../errors.ts'

/** A cell is a value of a row in the form that a database gives and takes. */
export type Cell = string | number | null | Uint8Array

/** The kind of a column says what it contains: in a database `flag` is 0 or 1, `json` a text, `bytes` a blob. */
export type Kind = 'text' | 'integer' | 'real' | 'flag' | 'json' | 'bytes'

/** A column describes one value of a row: its type, and what the rest of the store does with it. */
export interface Column<T = unknown, Optional extends boolean = boolean> {
  readonly kind: Kind
  /** True if a row may lack the value: then the database has NULL, or `blank`. */
  readonly isOptional: Optional
  /** Carries the type; never has a value. */
  readonly type?: T
  /** The name in the database, if it is not the property in snake case. */
  readonly column?: string
  /** The value in the database instead of NULL, because an index must not meet NULL. */
  readonly blank?: string | number
  /**
   * The value names a block, by its `id` or by its `arrival`, the number of its row; the row does not outlive the block. `mention`: by its
   * id, and the row may outlive the block.
   */
  readonly block?: 'id' | 'arrival' | 'mention'
  /** The value is the number of an entry of the log, which the row does not outlive. */
  readonly isEntry?: true
  /** The value is a point on the memory's own clock, in active hours. */
  readonly isHours?: true
  /** The value is a time, ISO-8601. */
  readonly isTime?: true
  /** The value is a list in JSON; given is SQLite's name for the type of its parts. */
  readonly isList?: 'text' | 'object'
  /** Use changes the value: `count` counts uses, `clock` is the time of the last use, `sequence` numbers changes for readers. */
  readonly ofUse?: 'count' | 'clock' | 'sequence'
  /** All texts that the value may be. An index may hold only rows with one of them, so a statement may have to spell it out. */
  readonly words?: readonly string[]
  /** The least value of a number; `most` is the greatest. */
  readonly least?: number
  readonly most?: number
  /** The value is counted from 0 among the rows with equal values of these properties, as rows are inserted. */
  readonly nextIn?: readonly string[]
  /** The value is the number of a set of rows, of which one is in use; undo and export deal with that set alone. */
  readonly isSet?: true
  /** The value is made from other columns whenever rows come in; no export has it. */
  readonly isDerived?: true
  /** The value has words of the block, which erasing looks for. */
  readonly holdsWords?: true
  /** The text that erasing puts in place of free words, in a row that stays because its blocks stay. */
  readonly erasedTo?: string | null
}

/** Columns describe the rows of a table, by property. */
export type Columns = Readonly<Record<string, Column>>

/**
 * An undo rule says what an undo does if it finds a row changed since. `refuse`: it takes nothing back. `follow`: it sets the row back
 * anyway, because the row belongs to a block that is checked. `leave`: it leaves the row, because use keeps changing it.
 */
export type UndoRule = 'refuse' | 'follow' | 'leave'

/** A view selects the properties of a table's rows that are read. */
export interface View<Row = unknown> {
  readonly table: Table
  readonly properties: readonly string[]
  /** Carries the type of a row; never has a value. */
  readonly row?: Row
}

/** A table describes stored rows; as a view it reads all of their properties. */
export interface Table<C extends Columns = Columns>
  extends TableTraits,
    View<RowOf<{ readonly columns: C }>> {
  readonly name: string
  readonly columns: C
}

/** These traits describe a table besides its columns; they name columns by property. */
export interface TableTraits<Property extends string = string> {
  readonly key: readonly Property[]
  /** The key numbers rows as they arrive, and no other row refers to it: a row whose key is taken gets another. */
  readonly isNumbered?: true
  /** Properties whose values together differ from those of every other row, besides the key. */
  readonly unique?: readonly Property[]
  /** The two ends of a row have no direction and stand in the order of their ids. */
  readonly isUndirected?: true
  /** Indexes besides the key: columns and condition in SQL. */
  readonly indexes?: readonly string[]
  /** Further indexes that begin with the scope, for the rows of each scope. */
  readonly within?: readonly string[]
  /** The rule for a changed row; absent if no undo touches the table. */
  readonly undo?: UndoRule
  /** First words of the keys whose rows an undo takes back; all keys if absent. */
  readonly undoneKeys?: readonly string[]
  /** A row with words of an erased block, anywhere in it, is erased as a whole. */
  readonly goesWithWords?: true
  /** The rows are about this memory or about work in progress: an import into a memory that is not empty leaves them out. */
  readonly staysHome?: true
}

type Required<C extends Columns> = { [P in keyof C as C[P] extends Column<unknown, false> ? P : never]: C[P] }
type Optional<C extends Columns> = { [P in keyof C as C[P] extends Column<unknown, false> ? never : P]: C[P] }
type ValueOf<C> = C extends Column<infer T, boolean> ? T : never

/** A row of a table has the types of its columns. */
export type RowOf<T extends { readonly columns: Columns }> = {
  readonly [P in keyof Required<T['columns']>]: ValueOf<T['columns'][P]>
} & { readonly [P in keyof Optional<T['columns']>]?: ValueOf<T['columns'][P]> }

/** The traits of a column besides its type. */
type Traits = Omit<Column, 'kind' | 'isOptional' | 'type'>

function columnOf<T>(kind: Kind, common: Traits = {}) {
  return {
    always: (traits: Traits = {}): Column<T, false> => ({ kind, isOptional: false, ...common, ...traits }),
    maybe: (traits: Traits = {}): Column<T, true> => ({ kind, isOptional: true, ...common, ...traits }),
  }
}

/** Returns builders for a column of texts; the type may narrow them. */
export const text = <T extends string = string>() => columnOf<T>('text')

/** Returns builders for a column of texts that are each one of a few words. */
export const word = <T extends string>(...words: readonly T[]) => columnOf<T>('text', { words })

/** Builders for a column of whole numbers. */
export const integer = columnOf<number>('integer')
/** Builders for a column of numbers with fractions. */
export const real = columnOf<number>('real')
/** Returns builders for a column of booleans, 0 or 1 in the database. */
export const flag = <T extends boolean = boolean>() => columnOf<T>('flag')
/** Returns builders for a column of data, kept as the text of its JSON. */
export const json = <T>() => columnOf<T>('json')
/** Builders for a column of bytes, a blob in the database. */
export const bytes = columnOf<Uint8Array>('bytes')

/** Returns a description of a table; its columns have the same order in the database. */
export function table<const C extends Columns>(
  name: string,
  columns: C,
  traits: TableTraits<keyof C & string>,
): Table<C> {
  const described = { name, columns, ...traits, properties: Object.keys(columns) }
  // A table is its own view with all properties.
  return Object.assign(described, { table: described as unknown as Table }) as Table<C>
}

/** Returns a view of some properties of a table. */
export function viewOf<C extends Columns, P extends keyof C & keyof RowOf<{ readonly columns: C }> & string>(
  of: Table<C>,
  properties: readonly P[],
): View<Pick<RowOf<{ readonly columns: C }>, P>> {
  return { table: of, properties }
}

/** Returns a view of all properties of a table except the given ones. */
export function viewWithout<C extends Columns, P extends keyof C & string>(
  of: Table<C>,
  properties: readonly P[],
): View<Omit<RowOf<{ readonly columns: C }>, P>> {
  return { table: of, properties: of.properties.filter((each) => !properties.includes(each as P)) }
}

/** Returns the name of a property's column in the database. */
export function columnName({ columns }: Table, property: string): string {
  return columns[property]?.column ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns the properties whose columns fulfil a condition, in their order. */
export function propertiesWhere({ columns }: Table, holds: (column: Column) => boolean): string[] {
  return Object.entries(columns).flatMap(([property, column]) => (holds(column) ? [property] : []))
}

/** Returns the names of the columns that fulfil a condition, in their order. */
export function columnsWhere(described: Table, holds: (column: Column) => boolean = () => true): string[] {
  return propertiesWhere(described, holds).map((property) => columnName(described, property))
}

/** A codec converts between rows and the values of some columns in order: rows read by names cost several times more. */
export interface Codec<Row> {
  /** Names of the columns, in the order of the values. */
  readonly names: readonly string[]
  /** Returns the row whose values come first in a list. */
  readonly decode: (values: readonly unknown[]) => Row
  readonly encode: (row: Row) => Cell[]
}

const made = new WeakMap<View, Codec<never>>()

/** Returns the codec of a view, which is made once. */
export function codecOf<Row>(view: View<Row>): Codec<Row> {
  const known = made.get(view)
  if (known !== undefined) return known as unknown as Codec<Row>
  const codec = makeCodec(view)
  made.set(view, codec as unknown as Codec<never>)
  return codec
}

function makeCodec<Row>({ table, properties }: View<Row>): Codec<Row> {
  const columns = properties.map((property) => table.columns[property] as Columns[string])
  const encoders = columns.map(encoderOf)
  return {
    names: properties.map((property) => columnName(table, property)),
    decode: decoderOf(properties, columns),
    encode: (row) => {
      const values = row as Readonly<Record<string, unknown>>
      return properties.map((property, i) => (encoders[i] as Encode)(values[property]))
    },
  }
}

type Encode = (value: unknown) => Cell

function encoderOf({ kind, blank }: Columns[string]): Encode {
  const none = blank ?? null
  if (kind === 'json') return (value) => (value === undefined ? none : JSON.stringify(value))
  if (kind === 'flag') return (value) => (value === undefined ? none : Number(value))
  return (value) => (value === undefined ? none : (value as Cell))
}

type Decode<Row> = (values: readonly unknown[]) => Row

/** Returns a decoder generated as code, which is as quick as code by hand. */
function decoderOf<Row>(properties: readonly string[], columns: readonly Columns[string][]): Decode<Row> {
  const read = columns.map(({ kind, blank, isList }, i) => {
    if (kind === 'json')
      return `v[${i}] === '[]' ? [] : ${isList === undefined ? 'JSON.parse' : 'list'}(v[${i}])`
    if (kind === 'flag') return blank === undefined ? `v[${i}] === 1` : `v[${i}] === 1 || undefined`
    return `v[${i}]`
  })
  const named = properties.map((property) => JSON.stringify(property))
  const always = columns.flatMap(({ isOptional }, i) => (isOptional ? [] : [`${named[i]}: ${read[i]}`]))
  const maybe = columns.flatMap(({ isOptional, blank = null }, i) =>
    isOptional ? [`if (v[${i}] !== ${JSON.stringify(blank)}) row[${named[i]}] = ${read[i]}`] : [],
  )
  const body = `return (v) => {\nconst row = { ${always.join(', ')} }\n${maybe.join('\n')}\nreturn row\n}`
  return new Function('list', body)(listIn) as Decode<Row>
}

/** Returns the list in a JSON text; throws for anything else, because a crafted file may have it. */
export function listIn(text: string): unknown[] {
  const list: unknown = JSON.parse(text)
  if (Array.isArray(list)) return list
  throw unreadable('A row of the memory has no list where one should be.')
}
