import type { Columns, Key, Queries, RowOf, Rows, State, Table, View } from '../../src/testing/index.ts'
import { type Access, by, compare, has, type Row, seen } from './access.ts'
import { queriesOf } from './queries.ts'

/** Begins a call of a transaction for a scope: counts it, and throws when the transaction is over. */
export type Begin = (scope: string | undefined) => Access

/** The rows of a transaction, found by looking at every one. */
export class NaiveRows implements Rows {
  readonly scope: string | undefined
  readonly queries: Queries
  readonly #begin: Begin

  constructor(begin: Begin, scope: string | undefined) {
    this.#begin = begin
    this.scope = scope
    this.queries = queriesOf(() => begin(scope))
  }

  get whole(): Rows {
    return new NaiveRows(this.#begin, undefined)
  }

  async get<R>(view: View<R>, keys: readonly Key[], by: 'key' | 'unique' = 'key'): Promise<R[]> {
    const { key, unique = key } = view.table
    const found = rowsAt(this.#own(view), by === 'key' ? key : unique, keys)
    return found.map((row) => seen(view, row))
  }

  async touching<R>(
    view: View<R>,
    blockIds: readonly string[],
    { both = false, where = {} }: Parameters<Rows['touching']>[2] = {},
  ): Promise<R[]> {
    const { properties, columns, key, unique = key } = view.table
    const ends = properties.filter((property) => columns[property]?.block === 'id')
    const found = this.#own(view).filter((row) => {
      const named = ends.filter((end) => blockIds.includes(row[end] as string))
      return named.length >= (both ? ends.length : 1) && has(row, where)
    })
    const hasKey = key.every((property) => view.properties.includes(property))
    return found.sort(by(...(hasKey ? key : unique))).map((row) => seen(view, row))
  }

  async scan<R>(view: View<R>, range: Parameters<Rows['scan']>[1]): Promise<R[]> {
    const { where, has: property, equals, from, until, after, order, limit = Number.MAX_SAFE_INTEGER } = range
    const start = after && Object.fromEntries(order.map((property, i) => [property, after[i]]))
    const found = this.#own(view).filter(
      (row) =>
        has(row, { ...where, ...equals }) &&
        (property === undefined || row[property] !== undefined) &&
        (from === undefined || compare(row[from[0]], from[1]) >= 0) &&
        (until === undefined || compare(row[until[0]], until[1]) <= 0) &&
        (start === undefined || by(...order)(row, start) > 0),
    )
    const sorted = found.sort(by(...order)).slice(0, Math.max(0, limit))
    return sorted.map((row) => seen(view, row))
  }

  async count(table: Table, where = {}): Promise<number> {
    return this.#own(table).filter((row) => has(row, where)).length
  }

  async insert<C extends Columns>(table: Table<C>, rows: readonly Partial<RowOf<Table<C>>>[]) {
    const access = this.#begin(this.scope)
    return rows.map((row) => insert(access, table as never, row)) as (RowOf<Table<C>> | undefined)[]
  }

  async put<C extends Columns>(table: Table<C>, rows: readonly RowOf<Table<C>>[]) {
    const access = this.#begin(this.scope)
    const keyOf = (row: Row) => table.key.map((property) => row[property])
    const last = new Map(rows.map((row) => [JSON.stringify(keyOf(row)), row]))
    return [...last.values()].filter((row) => {
      const [was] = rowsAt(access.all<Row>(table as never), table.key, [keyOf(row)])
      return access.write(table as never, was, row)
    })
  }

  async remove<C extends Columns>(table: Table<C>, keys: readonly Key[]) {
    const access = this.#begin(this.scope)
    const found = rowsAt(access.own<Row>(table as never), table.key, keys)
    return found.filter((row) => access.write(table as never, row, undefined)) as RowOf<Table<C>>[]
  }

  async trim(table: Table, trimming: Parameters<Rows['trim']>[1]): Promise<number> {
    const { order, keep, per, most = Number.MAX_SAFE_INTEGER, but } = trimming
    const access = this.#begin(this.scope)
    const newestFirst = access.own(table as View<Row>).sort((one, other) => by(...order)(other, one))
    const series = per
      ? [...new Set(per[1])].map((value) => newestFirst.filter((row) => row[per[0]] === value))
      : [newestFirst]
    const old = series.flatMap((rows) => rows.slice(Math.max(0, keep)).reverse())
    const kept = but === undefined ? [] : rowsAt(old, table.key, [but])
    const gone = old.filter((row) => !kept.includes(row)).slice(0, Math.max(0, most))
    return gone.filter((row) => access.write(table, row, undefined)).length
  }

  async state(): Promise<State> {
    return this.#begin(undefined).state()
  }

  #own(view: View): Row[] {
    return this.#begin(this.scope).own(view as View<Row>)
  }
}

/** The rows in which some properties have values of a list, in its order and each once. */
function rowsAt(
  rows: readonly Row[],
  properties: readonly string[],
  listed: readonly (readonly unknown[])[],
): Row[] {
  const isAt = (row: Row, values: readonly unknown[]) =>
    properties.every((property, i) => row[property] === values[i])
  return [...new Set(listed.flatMap((values) => rows.filter((row) => isAt(row, values))))]
}

/** Numbers a row that lacks its key, and counts it in its series; nothing if it is counted and another has its id. */
function insert(access: Access, table: Table<Columns>, row: Row): Row | undefined {
  const {
    key: [number = ''],
    unique = [],
    columns,
  } = table
  const all = access.all(table as View<Row>)
  const next = (property: string, rows: readonly Row[], begin: number) =>
    Math.max(begin, ...rows.map((each) => (each[property] as number) + 1))
  const made: Record<string, unknown> = { ...row }
  made[number] ??= next(number, all, 1)
  for (const [property, { nextIn }] of Object.entries(columns)) {
    if (nextIn === undefined) continue
    if (rowsAt(all, unique, [unique.map((each) => row[each])]).length > 0) return undefined
    const series = all.filter((each) => nextIn.every((name) => each[name] === row[name]))
    made[property] = next(property, series, 0)
  }
  access.write(table, undefined, made)
  return made
}
