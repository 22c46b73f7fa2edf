import type { Columns, RowOf, Table, View } from '../../ports/store/description.ts'
import type {
  Cell,
  Cells,
  Key,
  Queries,
  Range,
  RowChanged,
  Rows,
  State,
  Trimming,
  Where,
} from '../../ports/store/rows.ts'
import { type Codec, codecOf } from '../../store/codec.ts'
import { operations } from '../../store/log-tables.ts'
import { ScopedConnection } from '../connection/scoped-connection.ts'
import type { TransactionLife } from '../connection/transaction.ts'
import { readState } from '../queries/changes.ts'
import { unlist } from '../queries/operations.ts'
import { BoundQueries } from '../queries/queries.ts'
import { inKeyOrder, key, keyOf, movedPlaces, unique, uniqueKeys } from './cells.ts'
import * as statements from './statements.ts'
import { type Counted, type Plan, planOf, textOf } from './statements.ts'

/** The rows of a SQLite file within a transaction: statements derived from the description of the tables. */
export class SqliteRows implements Rows {
  readonly scope: string | undefined
  readonly queries: Queries
  readonly #life: TransactionLife
  readonly #changed: RowChanged | undefined

  constructor(life: TransactionLife, scope?: string, changed?: RowChanged) {
    this.#life = life
    this.scope = scope
    this.#changed = changed
    this.queries = new BoundQueries({
      life,
      connection: new ScopedConnection(life.connection, scope, changed),
    })
  }

  get whole(): Rows {
    return this.scope === undefined ? this : new SqliteRows(this.#life, undefined, this.#changed)
  }

  get<R>(view: View<R>, keys: readonly Key[], by: 'key' | 'unique' = 'key'): Promise<R[]> {
    if (keys.length === 0) return Promise.resolve([])
    return this.#life.run(() => this.#byKey(view, keys, by).map(codecOf(view).decode))
  }

  #byKey(view: View, keys: readonly Key[], by: 'key' | 'unique'): readonly Cells[] {
    const plan = planOf(view.table)
    const scoped = this.#isScoped(plan)
    const text = textOf(view, `${by} ${scoped}`, () => statements.selectByKey(view, plan[by], scoped))
    const wanted = plan[by].length === 1 ? unique(keys.map(([only]) => only)) : uniqueKeys(keys)
    return this.#select(text, [JSON.stringify(wanted), ...this.#scopeOf(scoped)])
  }

  touching<R>(
    view: View<R>,
    blockIds: readonly string[],
    { both = false, where = {} }: { readonly both?: boolean; readonly where?: Where } = {},
  ): Promise<R[]> {
    if (blockIds.length === 0) return Promise.resolve([])
    return this.#life.run(() => {
      const plan = planOf(view.table)
      const scoped = this.#isScoped(plan)
      const shape = `touching ${both} ${spelled(where)} ${scoped}`
      const select = both ? statements.selectWithin : statements.selectTouching
      const text = textOf(view, shape, () => select(view, where, scoped))
      const ids = JSON.stringify(unique(blockIds))
      const values = both
        ? [ids, ids, ...this.#scopeOf(scoped)]
        : plan.ends.flatMap(() => [ids, ...this.#scopeOf(scoped)])
      return inKeyOrder(view, this.#select(text, values)).map(codecOf(view).decode)
    })
  }

  scan<R>(view: View<R>, range: Range): Promise<R[]> {
    return this.#life.run(() => {
      const { table } = view
      const scoped = this.#isScoped(planOf(table))
      const { where = {}, has, equals = {}, from, until, after, order, limit } = range
      const shape = `range ${JSON.stringify([spelled(where), has, Object.keys(equals), from?.[0], until?.[0], after?.length, order])} ${limit} ${scoped}`
      const text = textOf(view, shape.replace(/ \d+ /, ' n '), () =>
        statements.selectRange(view, range, scoped),
      )
      const bound = [...Object.values(equals), ...(from ? [from[1]] : []), ...(until ? [until[1]] : [])]
      const values = [...bound, ...(after ?? []), ...this.#scopeOf(scoped)] as Cell[]
      const rows = this.#select(text, limit === undefined ? values : [...values, Math.max(0, limit)])
      return rows.map(codecOf(view).decode)
    })
  }

  count(table: Table, where: Where = {}): Promise<number> {
    return this.#life.run(() => {
      const scoped = this.#isScoped(planOf(table))
      const shape = `count ${spelled(where)} ${scoped}`
      const text = textOf(table, shape, () => statements.selectCount(table, where, scoped))
      return Number(this.#select(text, this.#scopeOf(scoped))[0]?.[0])
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
  #insertAll<C extends Columns>(
    table: Table<C>,
    rows: readonly Partial<RowOf<Table<C>>>[],
  ): RowOf<Table<C>>[] {
    const [keyProperty = ''] = table.key
    const isGiven = (rows[0] as Record<string, unknown>)[keyProperty] !== undefined
    const codec = codecOf<Partial<RowOf<Table<C>>>>(table)
    const listed = rows.map(codec.encode)
    const text = textOf(table, isGiven ? 'insert' : 'insert numbered', () =>
      statements.insertInto(table, isGiven ? table.properties : table.properties.slice(1)),
    )
    const numbers = this.#life.connection.runEach(
      text,
      isGiven ? listed : listed.map((each) => each.slice(1)),
    )
    return rows.map((row, i) => {
      const cells = listed[i] as Cell[]
      if (!isGiven) cells[0] = numbers[i] as number
      this.#note(table, undefined, cells)
      return (isGiven ? row : { ...row, [keyProperty]: numbers[i] }) as RowOf<Table<C>>
    })
  }

  #append<C extends Columns>(
    table: Table<C>,
    rows: readonly Partial<RowOf<Table<C>>>[],
    { property, place, given, bound }: Counted,
  ): (RowOf<Table<C>> | undefined)[] {
    const { properties } = table
    const text = textOf(table, 'append', () =>
      statements.insertInto(
        table,
        given.map((at) => properties[at] as string),
      ),
    )
    const codec = codecOf<Partial<RowOf<Table<C>>>>(table)
    const listed = rows.map(codec.encode)
    const values = listed.map((cells) => bound.map((at) => cells[at] as Cell))
    return this.#life.connection.rowsOfEach(text, values).map(([made], i) => {
      if (made === undefined) return undefined
      const [number, position] = made as [number, number]
      const cells = listed[i] as Cell[]
      cells[0] = number
      cells[place] = position
      this.#note(table, undefined, cells)
      return { ...rows[i], [properties[0] as string]: number, [property]: position } as RowOf<Table<C>>
    })
  }

  put<C extends Columns>(
    table: Table<C>,
    rows: readonly RowOf<Table<C>>[],
    before?: readonly RowOf<Table<C>>[],
  ): Promise<RowOf<Table<C>>[]> {
    if (rows.length === 0) return Promise.resolve([])
    return this.#life.run(() => {
      const plan = planOf(table)
      const codec: Codec<RowOf<Table<C>>> = codecOf<RowOf<Table<C>>>(table)
      const last = new Map(
        rows.map((row) => {
          const cells = codec.encode(row)
          return [keyOf(plan, cells), { row, cells }]
        }),
      )
      const known =
        before?.map(codec.encode) ??
        this.#byKey(
          table,
          [...last.values()].map((each) => key(plan, each.cells)),
          'key',
        )
      const were = new Map(known.map((cells) => [keyOf(plan, cells), cells]))
      return this.#life.connection.asOne(() =>
        [...last].flatMap(([name, { row, cells }]) =>
          this.#write(table, were.get(name), cells) ? [row] : [],
        ),
      )
    })
  }

  /** Writes the columns that moved; false if none did. */
  #write(table: Table, was: Cells | undefined, is: Cells): boolean {
    const plan = planOf(table)
    const { connection } = this.#life
    if (was === undefined) {
      const text = textOf(table, 'insert', () => statements.insertInto(table, table.properties))
      connection.runEach(text, [is])
    } else {
      const moved = movedPlaces(was, is)
      if (moved.length === 0) return false
      const text = textOf(table, `update ${moved.join()}`, () => statements.updateAt(plan, moved))
      connection.change(text, [...moved.map((place) => is[place] as Cell), ...key(plan, is)])
    }
    this.#note(table, was, is)
    return true
  }

  remove<C extends Columns>(table: Table<C>, keys: readonly Key[]): Promise<RowOf<Table<C>>[]> {
    if (keys.length === 0) return Promise.resolve([])
    return this.#life.run(() => {
      const scoped = this.#isScoped(planOf(table))
      const text = textOf(table, `delete ${scoped}`, () => statements.deleteByKey(table, scoped))
      const lists = keys.map((each) => [...each, ...this.#scopeOf(scoped)])
      const gone = this.#life.connection.rowsOfEach(text, lists).flat() as Cells[]
      for (const cells of gone) this.#note(table, cells, undefined)
      if (table.name === operations.name) unlist(this.#life.connection, gone)
      return gone.map(codecOf<RowOf<Table<C>>>(table).decode)
    })
  }

  trim(table: Table, trimming: Trimming): Promise<number> {
    return this.#life.run(() => {
      const scoped = this.#isScoped(planOf(table))
      const returning = this.#changed !== undefined && table.undo !== undefined
      const { per, but, keep, most = Number.MAX_SAFE_INTEGER } = trimming
      const shape = `trim ${per?.[0]} ${but === undefined} ${scoped} ${returning}`
      const text = textOf(table, shape, () => statements.deleteOldest(table, trimming, { scoped, returning }))
      const scope = this.#scopeOf(scoped)
      const values = per
        ? [JSON.stringify(unique(per[1])), Math.max(0, keep), ...scope]
        : [...scope, Math.max(0, keep), ...(but ?? []), ...scope, Math.max(0, most)]
      if (!returning) return this.#life.connection.change(text, values)
      const gone = this.#select(text, values)
      for (const cells of gone) this.#note(table, cells, undefined)
      return gone.length
    })
  }

  state(): Promise<State> {
    return this.#life.run(() => readState(new ScopedConnection(this.#life.connection)).state)
  }

  #select(text: string, values: readonly Cell[]): readonly Cells[] {
    return this.#life.connection.rows(text, values) as readonly Cells[]
  }

  #isScoped({ belonging }: Plan): boolean {
    return this.scope !== undefined && belonging !== 'none'
  }

  #scopeOf(scoped: boolean): string[] {
    return scoped ? [this.scope as string] : []
  }

  #note(table: Table, was: Cells | undefined, is: Cells | undefined): void {
    if (table.undo !== undefined) this.#changed?.(table, was, is)
  }
}

/** Conditions as part of the name of a statement; one that nothing is there is one, too. */
function spelled(where: Where): string {
  return JSON.stringify(Object.entries(where))
}
