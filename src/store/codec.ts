import { unreadable } from '../errors.ts'
import { type Columns, columnName, type View } from './description.ts'
import type { Cell } from './rows.ts'

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
