import type { Column, RowOf, Table } from '../ports/store/description.ts'
import type { Key, Rows } from '../ports/store/rows.ts'
import { blocks, TABLES } from '../store/tables.ts'

/** A row of any table. */
export type Row = Readonly<Record<string, unknown>>

/** The blocks that samples name. */
export const IDS = ['a', 'b', 'c', 'd'] as const
const SCOPES = { a: 'one', b: 'one', c: 'two', d: 'two' } as const

/** Pairs of the blocks in the order of their ids; two of them within a scope. */
export const ENDS = [
  ['a', 'b'],
  ['a', 'c'],
  ['b', 'd'],
  ['c', 'd'],
] as const

/** When everything in a sample was. */
export const TIME = '2026-03-01T12:00:00.000Z'

/** The row with a number, whose values are as the description says; blocks are those of `IDS`, by their places. */
export function sampleOf({ columns, unique = [], key }: Table, number: number, scope?: string): Row {
  const ends = ENDS[number % ENDS.length] as readonly string[]
  let end = 0
  const values = Object.entries(columns).map(([property, column]) => {
    if (column.block === 'id') return [property, key.join() === property ? IDS[number] : ends[end++]]
    if (column.block === 'arrival') return [property, number + 1]
    if (property === 'scope') return [property, scope]
    if (column.isSet === true) return [property, 0]
    const isOwn = key.includes(property) || unique.includes(property)
    return [property, sampleValue(column, isOwn ? number + 1 : 1)]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function sampleValue({ kind, isOptional, isTime, isList, words, block }: Column, number: number): unknown {
  if (isOptional && block !== undefined) return undefined
  if (words !== undefined) return words[0]
  if (isTime === true) return TIME
  switch (kind) {
    case 'text':
      return `text ${number}`
    case 'integer':
      return number
    case 'real':
      return 0.5
    case 'flag':
      return true
    case 'json':
      return isList === undefined ? { one: number } : []
    case 'bytes':
      return new Uint8Array(new Float32Array([number, 0.5]).buffer)
  }
}

/** The four blocks that others name, two of each scope. */
export async function insertBlocks(rows: Rows): Promise<void> {
  const given = IDS.map((id, at) => {
    const { arrival: _arrival, position: _position, ...sample } = sampleOf(blocks, at, SCOPES[id])
    return { ...sample, id, status: 'active' } as Partial<RowOf<typeof blocks>>
  })
  await rows.insert(blocks, given)
}

/** Four rows of a table; of what joins two blocks of one scope the scope. */
export function samplesOf(table: Table): Row[] {
  return ENDS.map(([one, other], at) => {
    const isWithin = SCOPES[one] === SCOPES[other]
    return sampleOf(table, at, isWithin ? SCOPES[one] : undefined)
  })
}

/** The key of a row. */
export const keyOf = ({ key }: Table, row: Row): Key =>
  key.map((property) => row[property] as string | number)
/** Properties that name blocks by their ids. */
export const idsOf = (table: Table) =>
  table.properties.filter((property) => table.columns[property]?.block === 'id')

/** Tables whose rows are put as they are: those of blocks are counted, and settings are there from the beginning. */
export const PLAIN = TABLES.filter(({ name }) => name !== 'blocks' && name !== 'meta')
/** Those that join two blocks. */
export const JOINING = PLAIN.filter((table) => idsOf(table).length === 2)
