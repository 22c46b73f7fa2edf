import { isDeepStrictEqual } from 'node:util'
import {
  blockIndex,
  blocks,
  codecOf,
  type edges,
  meta,
  operations,
  type RowChanged,
  type RowOf,
  STATE_META,
  type State,
  TABLES,
  type Table,
  type View,
  type Where,
} from '../../src/testing/index.ts'

export type Row = Readonly<Record<string, unknown>>

/** The rows of each table. A change puts another list in the place of one, so a copy of the map is a copy of all. */
export type Tables = Map<string, readonly Row[]>

/** The tables as one scope, or nobody's, reads and changes them. */
export class Access {
  readonly tables: Tables
  readonly scope: string | undefined
  readonly #changed: RowChanged | undefined

  constructor(tables: Tables, scope?: string, changed?: RowChanged) {
    this.tables = tables
    this.scope = scope
    this.#changed = changed
  }

  all<R>({ table }: View<R>): R[] {
    return [...(this.tables.get(table.name) ?? [])] as R[]
  }

  /** The rows with the scope, or about a block that has it; everybody's are those of a table that is about no block. */
  own<R>(view: View<R>): R[] {
    const { columns } = view.table
    const about = Object.entries(columns).filter(([, { block }]) => block === 'id' || block === 'arrival')
    const blocksOfScope: Row[] = this.all(blocks).filter(({ scope }) => scope === this.scope)
    const isOwn = (row: Row) =>
      columns.scope === undefined
        ? about.every(([name, { block = '' }]) => blocksOfScope.some((each) => each[block] === row[name]))
        : row.scope === this.scope
    return this.all(view).filter((row) => this.scope === undefined || isOwn(row as Row))
  }

  /** Puts a row in the place of another, adds it, or takes one away; false if that changes nothing. */
  write(table: Table, was: Row | undefined, given: Row | undefined): boolean {
    const { encode, decode } = codecOf(table as View<Row>)
    // Bytes that were given may be written over.
    const is =
      given && decode(encode(given).map((cell) => (cell instanceof Uint8Array ? new Uint8Array(cell) : cell)))
    if (isDeepStrictEqual(was, is)) return false
    const rows = this.all(table as View<Row>)
    rows.splice(was === undefined ? rows.length : rows.indexOf(was), was ? 1 : 0, ...(is ? [is] : []))
    this.tables.set(table.name, rows)
    this.#changed?.(table, was && encode(was), is && encode(is))
    if (was && is === undefined) this.#leave(table, was)
    if (table.name === blocks.name && was && was.status !== 'active' && is?.status === 'active')
      this.change(blockIndex, { arrival: was.arrival as number }, { sequence: is.sequence })
    return true
  }

  /** Changes what no undo looks at. */
  change<R>({ table }: View<R>, where: Where, values: Row): void {
    const rows = this.all(table as View<Row>)
    this.tables.set(
      table.name,
      rows.map((row) => (has(row, where) ? { ...row, ...values } : row)),
    )
  }

  /** What is about a block goes with it, and what is about an entry of the log with that. */
  #leave({ name: from }: Table, gone: Row): void {
    for (const { name, columns } of TABLES)
      for (const [property, { block = 'mention', isEntry }] of Object.entries(columns)) {
        const goes = from === blocks.name ? block !== 'mention' : from === operations.name && isEntry
        const of = gone[from === blocks.name ? block : 'id']
        if (goes)
          this.tables.set(
            name,
            (this.tables.get(name) ?? []).filter((row) => row[property] !== of),
          )
      }
  }

  state(): State {
    const newest = this.all(operations).sort(by('-id'))[0]
    const values = new Map(this.all(meta).map(({ key, value }) => [key, value]))
    return {
      clock: newest ? { hours: newest.hours, wallMs: Date.parse(newest.at) } : { hours: 0 },
      sequence: Math.max(0, ...this.all(blocks).map(({ sequence = 0 }) => sequence)),
      generation: Number(values.get(STATE_META.generation) ?? 0),
      vectorSet: Number(values.get(STATE_META.vectorSet) ?? 0),
      hasShadow: values.has(STATE_META.shadow),
      hasScopes: this.all(blocks).some(({ scope }) => scope !== undefined),
    }
  }
}

/** As much of a row as a view has. */
export function seen<R>({ properties }: View<R>, row: object): R {
  return Object.fromEntries(Object.entries(row).filter(([property]) => properties.includes(property))) as R
}

/** True if the row has these values. */
export function has(row: Row, where: Where): boolean {
  return Object.entries(where).every(([property, value]) => row[property] === value)
}

/** For sorting by some properties; a minus before one descends. */
export function by(...order: readonly string[]): (one: Row, other: Row) => number {
  const sides = order.map((each) => [each.replace('-', ''), each.startsWith('-') ? -1 : 1] as const)
  return (one, other) =>
    sides.map(([name, sign]) => sign * compare(one[name], other[name])).find((each) => each !== 0) ?? 0
}

/** Absent values come first, texts are sorted by their UTF-8 bytes. */
export function compare(one: unknown, other: unknown): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined)
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
  return Number(one) - Number(other)
}

/** The first of some rows. */
export function first<T>(rows: readonly T[], limit: number): T[] {
  return rows.slice(0, Math.max(0, limit))
}

/** Blocks that have edges. Strengths are summed in whole billionths, so that sums are exact in any order. */
export function strengthsOf(own: readonly RowOf<typeof edges>[]) {
  const ids = new Set(own.flatMap(({ from, to }) => [from, to]))
  const strengthOf = ({ weight, reinforcementCount }: RowOf<typeof edges>) =>
    Math.round((weight + 0.1 * Math.log(1 + reinforcementCount)) * 1e9)
  return [...ids].map((id) => {
    const joining = own.filter(({ from, to }) => from === id || to === id)
    const billionths = joining.reduce((sum, edge) => sum + strengthOf(edge), 0)
    return { id, strength: billionths / 1e9, degree: joining.length }
  })
}
