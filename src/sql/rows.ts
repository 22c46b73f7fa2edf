import type {
  Cells,
  Key,
  Queries,
  Range,
  RowChanged,
  Rows,
  State,
  Trimming,
  Where,
} from '../store/database.ts'
import {
  type Cell,
  type Codec,
  type Columns,
  codecOf,
  type RowOf,
  type Table,
  type View,
  viewOf,
} from '../store/description.ts'
import { blocks, edges } from '../store/tables.ts'
import type { Asked, SqlConnection, SqlLife } from './connection.ts'
import { derivedFrom, type RowChange } from './derived.ts'
import type { Dialect } from './dialect.ts'
import { queriesOf, readState } from './queries.ts'
import { ScopedConnection, unique } from './statement.ts'
import {
  append,
  type Counted,
  deleteByKey,
  deleteOldest,
  insertInto,
  type Plan,
  planOf,
  selectByKey,
  selectCount,
  selectRange,
  selectTouching,
  selectWithin,
  spelled,
  textOf,
  updateAt,
} from './table-statements.ts'

/** Returns each key once. */
function uniqueKeys(keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((each) => [each.join('\n'), each])).values()]
}

/** The key of a row. */
function key({ keyPlaces }: Plan, cells: Cells): Key {
  return keyPlaces.map((place) => cells[place] as string | number)
}

/** Returns the key of a row as one value, for maps. */
function keyOf(plan: Plan, cells: Cells): string | number {
  const { keyPlaces } = plan
  return keyPlaces.length === 1
    ? (cells[keyPlaces[0] as number] as string | number)
    : key(plan, cells).join('\n')
}

/** Places of the values that differ. */
function movedPlaces(was: Cells, is: Cells): number[] {
  const moved: number[] = []
  for (let place = 0; place < is.length; place++) if (!isSame(was[place], is[place])) moved.push(place)
  return moved
}

function isSame(one: Cell | undefined, other: Cell | undefined): boolean {
  if (one === other) return true
  return one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0
}

/**
 * Returns rows in the order of the key, each once: two ends may find the same one. If a view lacks the key, the
 * unique properties replace it.
 */
function inKeyOrder({ table, properties }: View, rows: readonly Cells[]): readonly Cells[] {
  if (rows.length < 2) return rows
  const hasKey = table.key.every((property) => properties.includes(property))
  const by = hasKey ? table.key : (table.unique ?? table.key)
  const places = by.map((property) => properties.indexOf(property))
  const byKey = new Map(rows.map((cells) => [places.map((place) => cells[place]).join('\n'), cells]))
  return [...byKey.values()].sort((one, other) => {
    const place = places.find((each) => one[each] !== other[each])
    if (place === undefined) return 0
    return isBefore(one[place] as Cell, other[place] as Cell) ? -1 : 1
  })
}

/** Texts in the order of their UTF-8 bytes, which is SQLite's. */
function isBefore(one: Cell, other: Cell): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) < Number(other)
  const shorter = Math.min(one.length, other.length)
  for (let at = 0; at < shorter; at++) {
    const [unit, another] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (unit !== another) return rankOf(unit) < rankOf(another)
  }
  return one.length < other.length
}

/** Halves of a pair stand for characters behind all others. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

const ID = viewOf(blocks, ['id'])
const ENDS = viewOf(edges, ['from', 'to'])

/** The rows of a database within a transaction: statements derived from the description of the tables. */
export class SqlRows implements Rows {
  readonly scope: string | undefined
  readonly queries: Queries
  readonly #life: SqlLife
  readonly #connection: SqlConnection
  readonly #sql: Dialect
  readonly #changed: RowChanged | undefined

  constructor(life: SqlLife, scope?: string, changed?: RowChanged) {
    this.#life = life
    this.#connection = life.connection
    this.#sql = life.connection.dialect
    this.scope = scope
    this.#changed = changed
    this.queries = queriesOf(life, new ScopedConnection(life.connection, scope, changed))
  }

  get whole(): Rows {
    return this.scope === undefined ? this : new SqlRows(this.#life, undefined, this.#changed)
  }

  get<R>(view: View<R>, keys: readonly Key[], by: 'key' | 'unique' = 'key'): Promise<R[]> {
    if (keys.length === 0) return Promise.resolve([])
    return this.#life.run(async () => (await this.#byKey(view, keys, by)).map(codecOf(view).decode))
  }

  #byKey(view: View, keys: readonly Key[], by: 'key' | 'unique'): Promise<readonly Cells[]> {
    const plan = planOf(view.table)
    const scoped = this.#isScoped(plan)
    const { length } = plan[by]
    const text = this.#text(view, `${by} ${scoped}`, (sql) => selectByKey(sql, view, plan[by], scoped))
    const wanted = length === 1 ? unique(keys.map(([only]) => only as string | number)) : uniqueKeys(keys)
    const values = length === 1 ? [wanted as Key] : this.#sql.keys(wanted as readonly Key[], length)
    return this.#connection.values(text, [...values, ...this.#scopeOf(scoped)])
  }

  touching<R>(
    view: View<R>,
    blockIds: readonly string[],
    { both = false, where = {} }: { readonly both?: boolean; readonly where?: Where } = {},
  ): Promise<R[]> {
    if (blockIds.length === 0) return Promise.resolve([])
    return this.#life.run(async () => {
      const plan = planOf(view.table)
      const scoped = this.#isScoped(plan)
      const shape = `touching ${both} ${spelled(where)} ${scoped}`
      const select = both ? selectWithin : selectTouching
      const text = this.#text(view, shape, (sql) => select(sql, view, where, scoped))
      const ids = unique(blockIds)
      const values = both
        ? [ids, ids, ...this.#scopeOf(scoped)]
        : plan.ends.flatMap(() => [ids, ...this.#scopeOf(scoped)])
      return inKeyOrder(view, await this.#connection.values(text, values)).map(codecOf(view).decode)
    })
  }

  scan<R>(view: View<R>, range: Range): Promise<R[]> {
    return this.#life.run(async () => {
      const { table } = view
      const scoped = this.#isScoped(planOf(table))
      const { where = {}, has, equals = {}, from, until, after, order, limit } = range
      const shape = `range ${JSON.stringify([spelled(where), has, Object.keys(equals), from?.[0], until?.[0], after?.length, order])} ${limit} ${scoped}`
      const text = this.#text(view, shape.replace(/ \d+ /, ' n '), (sql) =>
        selectRange(sql, view, range, scoped),
      )
      const bound = [...Object.values(equals), ...(from ? [from[1]] : []), ...(until ? [until[1]] : [])]
      const values = [...bound, ...(after ?? []), ...this.#scopeOf(scoped)]
      const limits = limit === undefined ? [] : [Math.max(0, limit)]
      return (await this.#connection.values(text, [...values, ...limits])).map(codecOf(view).decode)
    })
  }

  count(table: Table, where: Where = {}): Promise<number> {
    return this.#life.run(async () => {
      const scoped = this.#isScoped(planOf(table))
      const shape = `count ${spelled(where)} ${scoped}`
      const text = this.#text(table, shape, (sql) => selectCount(sql, table, where, scoped))
      const [[total] = []] = await this.#connection.values(text, this.#scopeOf(scoped))
      return Number(total)
    })
  }

  insert<C extends Columns>(
    table: Table<C>,
    rows: readonly Partial<RowOf<Table<C>>>[],
  ): Promise<(RowOf<Table<C>> | undefined)[]> {
    if (rows.length === 0) return Promise.resolve([])
    return this.#life.run(() => {
      const { counted } = planOf(table)
      return counted === undefined ? this.#insertAll(table, rows) : this.#append(table, rows, counted)
    })
  }

  /** Rows whose one key column is missing are numbered. */
  async #insertAll<C extends Columns>(
    table: Table<C>,
    rows: readonly Partial<RowOf<Table<C>>>[],
  ): Promise<RowOf<Table<C>>[]> {
    const [keyProperty = ''] = table.key
    const isGiven = (rows[0] as Record<string, unknown>)[keyProperty] !== undefined
    const listed = rows.map(codecOf<Partial<RowOf<Table<C>>>>(table).encode)
    const given = isGiven ? listed : listed.map((cells) => cells.slice(1))
    const changes = listed.map((is) => ({ was: undefined, is }))
    const insertions = this.#insertions(table, isGiven, given)
    const made = await this.#connection.each([...insertions, ...derivedFrom(this.#sql, table, changes)])
    const numbers = isGiven ? [] : made.slice(0, insertions.length).flat()
    for (const [i, [number]] of numbers.entries()) (listed[i] as Cell[])[0] = number as number
    this.#tell(table, changes)
    return rows.map(
      (row, i) => (isGiven ? row : { ...row, [keyProperty]: numbers[i]?.[0] }) as RowOf<Table<C>>,
    )
  }

  #insertions(table: Table, isGiven: boolean, rows: readonly Cells[]): Asked[] {
    const shape = isGiven ? 'insert' : 'insert numbered'
    const text = this.#text(table, shape, (sql) => insertInto(sql, table, isGiven))
    return this.#sql.rows(rows).map((values) => [text, values])
  }

  async #append<C extends Columns>(
    table: Table<C>,
    rows: readonly Partial<RowOf<Table<C>>>[],
    counted: Counted,
  ): Promise<(RowOf<Table<C>> | undefined)[]> {
    const { property, place, bound } = counted
    const text = this.#text(table, 'append', () => append(table, counted))
    const listed = rows.map(codecOf<Partial<RowOf<Table<C>>>>(table).encode)
    const asked = listed.map((cells): Asked => [text, bound.map((at) => cells[at] as Cell)])
    const made = (await this.#connection.each(asked)).map(([numbers]) => numbers)
    const inserted = listed.flatMap((is, i) => {
      const [number = null, position = null] = made[i] ?? []
      is[0] = number
      is[place] = position
      return made[i] === undefined ? [] : [{ was: undefined, is }]
    })
    await this.#wrote(table, inserted)
    return made.map((numbers, i) => {
      if (numbers === undefined) return undefined
      const [number, position] = numbers
      return { ...rows[i], [table.properties[0] as string]: number, [property]: position } as RowOf<Table<C>>
    })
  }

  put<C extends Columns>(
    table: Table<C>,
    rows: readonly RowOf<Table<C>>[],
    before?: readonly RowOf<Table<C>>[],
  ): Promise<RowOf<Table<C>>[]> {
    if (rows.length === 0) return Promise.resolve([])
    return this.#life.run(async () => {
      const plan = planOf(table)
      const codec: Codec<RowOf<Table<C>>> = codecOf<RowOf<Table<C>>>(table)
      const last = new Map(
        rows.map((row) => {
          const is = codec.encode(row)
          return [keyOf(plan, is), { row, is }]
        }),
      )
      const keys = () => [...last.values()].map(({ is }) => key(plan, is))
      const known = before?.map(codec.encode) ?? (await this.#byKey(table, keys(), 'key'))
      const were = new Map(known.map((cells) => [keyOf(plan, cells), cells]))
      const written = [...last].flatMap(([name, { row, is }]) => {
        const was = were.get(name)
        const moved = was === undefined ? [] : movedPlaces(was, is)
        return was !== undefined && moved.length === 0 ? [] : [{ row, was, is, moved }]
      })
      await this.#write(table, written)
      return written.map(({ row }) => row)
    })
  }

  /** Writes the columns that moved, then the rows that are new. */
  async #write(
    table: Table,
    written: readonly (RowChange & { readonly is: Cells; readonly moved: readonly number[] })[],
  ): Promise<void> {
    if (written.length === 0) return
    const plan = planOf(table)
    const { changed = [], fresh = [] } = Object.groupBy(written, ({ was }) => (was ? 'changed' : 'fresh'))
    const updates = changed.map(({ is, moved }): Asked => {
      const text = this.#text(table, `update ${moved.join()}`, () => updateAt(plan, moved))
      return [text, [...moved.map((place) => is[place] as Cell), ...key(plan, is)]]
    })
    const rows = fresh.map(({ is }) => is)
    const insertions = rows.length === 0 ? [] : this.#insertions(table, true, rows)
    await this.#connection.each([...updates, ...insertions, ...derivedFrom(this.#sql, table, written)])
    this.#tell(table, written)
  }

  remove<C extends Columns>(table: Table<C>, keys: readonly Key[]): Promise<RowOf<Table<C>>[]> {
    if (keys.length === 0) return Promise.resolve([])
    return this.#life.run(async () => {
      if (table.name === blocks.name) await this.#removeEdges(keys)
      const scoped = this.#isScoped(planOf(table))
      const text = this.#text(table, `delete ${scoped}`, (sql) => deleteByKey(sql, table, scoped))
      const asked = keys.map((each): Asked => [text, [...each, ...this.#scopeOf(scoped)]])
      const gone = (await this.#connection.each(asked)).flat()
      await this.#removed(table, gone)
      return gone.map(codecOf<RowOf<Table<C>>>(table).decode)
    })
  }

  /** Removes the edges of blocks that go, whose sums they leave. Nobody is told of rows that go with another. */
  async #removeEdges(arrivals: readonly Key[]): Promise<void> {
    const ids = (await this.get(ID, arrivals)).map(({ id }) => id)
    const whole = new SqlRows(this.#life)
    const joining = await whole.touching(ENDS, ids)
    await whole.remove(
      edges,
      joining.map(({ from, to }) => [from, to]),
    )
  }

  trim(table: Table, trimming: Trimming): Promise<number> {
    return this.#life.run(async () => {
      const scoped = this.#isScoped(planOf(table))
      const returning = this.#changed !== undefined && table.undo !== undefined
      const { per, but, keep, most = Number.MAX_SAFE_INTEGER } = trimming
      const shape = `trim ${per?.[0]} ${but === undefined} ${scoped} ${returning}`
      const text = this.#text(table, shape, (sql) =>
        deleteOldest(sql, table, trimming, { scoped, returning }),
      )
      const scope = this.#scopeOf(scoped)
      const values = per
        ? [unique(per[1]), Math.max(0, keep), ...scope]
        : [...scope, Math.max(0, keep), ...(but ?? []), ...scope, Math.max(0, most)]
      if (!returning) return this.#connection.change(text, values)
      const gone = await this.#connection.values(text, values)
      await this.#removed(table, gone)
      return gone.length
    })
  }

  state(): Promise<State> {
    return this.#life.run(async () => (await readState(new ScopedConnection(this.#connection))).state)
  }

  #text(view: View, shape: string, make: (sql: Dialect) => string): string {
    return textOf(this.#sql, view, shape, () => make(this.#sql))
  }

  #isScoped({ belonging }: Plan): boolean {
    return this.scope !== undefined && belonging !== 'none'
  }

  #scopeOf(scoped: boolean): string[] {
    return scoped ? [this.scope as string] : []
  }

  #removed(table: Table, gone: readonly Cells[]): Promise<void> {
    const changes = gone.map((was) => ({ was, is: undefined }))
    return this.#wrote(table, changes)
  }

  /** Follows rows that nobody knew before the database wrote them. */
  async #wrote(table: Table, changes: readonly RowChange[]): Promise<void> {
    const derived = derivedFrom(this.#sql, table, changes)
    if (derived.length > 0) await this.#connection.each(derived)
    this.#tell(table, changes)
  }

  /** Tells of each row that a call wrote, in the order of the call, for an undo. */
  #tell(table: Table, changes: readonly RowChange[]): void {
    if (table.undo === undefined || this.#changed === undefined) return
    for (const { was, is } of changes) this.#changed(table, was, is)
  }
}
