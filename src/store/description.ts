import { unreadable } from '../errors.ts'

/** A value of a row as a database gives and takes it. */
export type Cell = string | number | null | Uint8Array

/** The content of a column: in a database `flag` is 0 or 1, `json` a text, `bytes` a blob. */
export type Kind = 'text' | 'integer' | 'real' | 'flag' | 'json' | 'bytes'

/** A column: its type in a row, and what the rest of the store does with it. */
export interface Column<T = unknown, Optional extends boolean = boolean> {
  readonly kind: Kind
  /** Absent in a row that has none: NULL, or `blank`, in the database. */
  readonly isOptional: Optional
  /** Carries the type; never there. */
  readonly type?: T
  /** Its name in the database, if that is not the property in snake case. */
  readonly column?: string
  /** In the database instead of NULL, because an index must not meet NULL. */
  readonly blank?: string | number
  /**
   * Names a block, whose row it does not outlive, by its `id` or by its `arrival`, the number of that row. `mention`: by its
   * id, and the block may be gone.
   */
  readonly block?: 'id' | 'arrival' | 'mention'
  /** Numbers an entry of the log, which the row does not outlive. */
  readonly isEntry?: true
  /** A point on the memory's own clock, in active hours. */
  readonly isHours?: true
  /** ISO-8601. */
  readonly isTime?: true
  /** A list in JSON: what SQLite calls the type of its parts. */
  readonly isList?: 'text' | 'object'
  /** Use changes it: `count` counts uses, `clock` is the last one, `sequence` numbers changes for readers. */
  readonly ofUse?: 'count' | 'clock' | 'sequence'
  /** All that a text may be. An index may hold only rows with one of them, so a statement may have to spell it out. */
  readonly words?: readonly string[]
  /** The least and the greatest value of a number. */
  readonly least?: number
  readonly most?: number
  /** Counted from 0 among the rows that have these properties in common, as rows are inserted. */
  readonly nextIn?: readonly string[]
  /** Number of a set of rows, of which one is in use: an undo and an export are about that one. */
  readonly isSet?: true
  /** Made again from other columns wherever rows come in; no export has it. */
  readonly isDerived?: true
  /** Holds words of the block, which erasing looks for. */
  readonly holdsWords?: true
  /** The word of the domain for it, in a list of what an operation changed; absent: none of that. */
  readonly called?: string
  /** The property that holds the value from before, in a row that tells of a change. */
  readonly former?: string
  /** Free words that stay with a row whose blocks stay: what erasing makes of them. */
  readonly erasedTo?: string | null
}

/** The columns of a table by the properties of its rows. */
export type Columns = Readonly<Record<string, Column>>

/**
 * The treatment of a row that an undo finds other than it was left. `refuse`: nothing is taken back. `follow`: it is set back anyway,
 * because it belongs to a block that is checked. `leave`: it stays, because use keeps changing it.
 */
export type UndoRule = 'refuse' | 'follow' | 'leave'

/** Some properties of a table's rows, in which rows can be read. */
export interface View<Row = unknown> {
  readonly table: Table
  readonly properties: readonly string[]
  /** Carries the type; never there. */
  readonly row?: Row
}

/** A stored table; read through itself a row has all of its properties. */
export interface Table<C extends Columns = Columns>
  extends TableTraits,
    View<RowOf<{ readonly columns: C }>> {
  readonly name: string
  readonly columns: C
}

/** The traits of a table besides its columns, which are named by their properties. */
export interface TableTraits<Property extends string = string> {
  readonly key: readonly Property[]
  /** The key numbers rows as they come, and nothing refers to it: when it is taken, another will do. */
  readonly isNumbered?: true
  /** Properties that must differ from every other row's, beside the key. */
  readonly unique?: readonly Property[]
  /** Its two ends have no direction and stand in the order of their ids. */
  readonly isUndirected?: true
  /** Indexes beside the key: columns and condition in SQL. */
  readonly indexes?: readonly string[]
  /** Indexes of the rows of each scope, which begin with it. */
  readonly within?: readonly string[]
  /** Absent: no undo touches it. */
  readonly undo?: UndoRule
  /** An undo takes back only rows whose key begins with one of these words. */
  readonly undoneKeys?: readonly string[]
  /** How a list of what an operation changed tells of its rows; absent: not at all. */
  readonly told?: Told<Property>
  /** A row that holds words of an erased block, anywhere, goes with them as a whole. */
  readonly goesWithWords?: true
  /** About this memory as a whole, or about work in progress: an import into a memory that is not empty leaves it out. */
  readonly staysHome?: true
}

/** The rows of a table among changes: `of` what they are, by which names, and which values tell of one that came or went. */
export interface Told<Property extends string = string> {
  readonly of: 'block' | 'edge' | 'pair' | 'item'
  readonly names: readonly Property[]
  readonly whole: readonly Property[]
}

type Required<C extends Columns> = { [P in keyof C as C[P] extends Column<unknown, false> ? P : never]: C[P] }
type Optional<C extends Columns> = { [P in keyof C as C[P] extends Column<unknown, false> ? never : P]: C[P] }
type ValueOf<C> = C extends Column<infer T, boolean> ? T : never

/** A row of a table, as data. */
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

/** A column of texts; the type may narrow them. */
export const text = <T extends string = string>() => columnOf<T>('text')

/** A text that is one of a few words. */
export const word = <T extends string>(...words: readonly T[]) => columnOf<T>('text', { words })

/** A column of whole numbers. */
export const integer = columnOf<number>('integer')
/** A column of numbers with fractions. */
export const real = columnOf<number>('real')
/** A column of booleans, 0 or 1 in the database. */
export const flag = <T extends boolean = boolean>() => columnOf<T>('flag')
/** A column of data, kept as the text of its JSON. */
export const json = <T>() => columnOf<T>('json')
/** A column of bytes, a blob in the database. */
export const bytes = columnOf<Uint8Array>('bytes')

/** Describes a table; the order of its columns is that in the database. */
export function table<const C extends Columns>(
  name: string,
  columns: C,
  traits: TableTraits<keyof C & string>,
): Table<C> {
  const described = { name, columns, ...traits, properties: Object.keys(columns) }
  // Through itself a table is read with all its properties.
  return Object.assign(described, { table: described as unknown as Table }) as Table<C>
}

/** Returns a view of some properties. */
export function viewOf<C extends Columns, P extends keyof C & keyof RowOf<{ readonly columns: C }> & string>(
  of: Table<C>,
  properties: readonly P[],
): View<Pick<RowOf<{ readonly columns: C }>, P>> {
  return { table: of, properties }
}

/** Returns a view of all properties but some. */
export function viewWithout<C extends Columns, P extends keyof C & string>(
  of: Table<C>,
  properties: readonly P[],
): View<Omit<RowOf<{ readonly columns: C }>, P>> {
  return { table: of, properties: of.properties.filter((each) => !properties.includes(each as P)) }
}

/** The name of a property's column. */
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

/** Between rows and the values of some columns, by place: rows with names cost several times more. */
export interface Codec<Row> {
  /** Names of the columns, in the order of the values. */
  readonly names: readonly string[]
  /** The row whose values come first. */
  readonly decode: (values: readonly unknown[]) => Row
  readonly encode: (row: Row) => Cell[]
}

const made = new WeakMap<View, Codec<never>>()

/** The codec of a view, made once. */
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

/** Returns a decoder that is made as code, which is as quick as code by hand. */
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

/** A crafted file may have anything where a list should be. */
function listIn(text: string): unknown[] {
  const list: unknown = JSON.parse(text)
  if (Array.isArray(list)) return list
  throw unreadable('A row of the memory has no list where one should be.')
}

/** Returns the value of a column from its cell. */
export function readCell({ kind, isList }: Columns[string], value: unknown): unknown {
  if (kind === 'flag') return value === 1
  if (kind !== 'json') return value
  return isList === undefined ? JSON.parse(value as string) : listIn(value as string)
}
