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
} from '../../store/database.ts'
import {
  type Cell,
  type Codec,
  type Column,
  type Columns,
  codecOf,
  columnName,
  type RowOf,
  type Table,
  type View,
} from '../../store/description.ts'
import { operations } from '../../store/tables.ts'
import { columnsOf, type Life, ScopedConnection } from '../connection/connection.ts'
import { BoundQueries, readState, unlist, unlistChanged } from '../queries/queries.ts'

/** Sign that separates a scope's rows from others: a column, the block that they are about, or none. */
type Belonging = 'column' | 'id' | 'arrival' | 'none'

/** The facts that statements need of a table; made once. */
interface Plan {
  readonly table: Table
  readonly name: string
  /** Names and places of the columns of the key, and of those that must differ too. */
  readonly key: readonly string[]
  readonly unique: readonly string[]
  readonly keyPlaces: readonly number[]
  /** The names of all columns. */
  readonly names: readonly string[]
  /** Columns that name blocks by their ids. */
  readonly ends: readonly string[]
  readonly belonging: Belonging
  readonly counted: Counted | undefined
}

/** Plan of the numbers that a table gives its rows. */
interface Counted {
  /** The property of the number, and those that the rows of one series have in common. */
  readonly property: string
  readonly nextIn: readonly string[]
  readonly place: number
  /** Places of the columns that are given: all but the key and the number. */
  readonly given: readonly number[]
  /** Places of the values of the statement. */
  readonly bound: readonly number[]
}

const plans = new WeakMap<Table, Plan>()

/** Returns the plan of a table. */
function planOf(table: Table): Plan {
  const known = plans.get(table)
  if (known !== undefined) return known
  const { key, unique = key, properties } = table
  const plan: Plan = {
    table,
    name: table.name,
    key: key.map((each) => columnName(table, each)),
    unique: unique.map((each) => columnName(table, each)),
    keyPlaces: key.map((each) => properties.indexOf(each)),
    names: properties.map((each) => columnName(table, each)),
    ends: properties
      .filter((each) => table.columns[each]?.block === 'id')
      .map((each) => columnName(table, each)),
    belonging: belongingOf(table),
    counted: countedIn(table),
  }
  plans.set(table, plan)
  return plan
}

function belongingOf({ columns }: Table): Belonging {
  if (columns.scope !== undefined) return 'column'
  const blocks = Object.values(columns).map(({ block }) => block)
  return blocks.includes('id') ? 'id' : blocks.includes('arrival') ? 'arrival' : 'none'
}

const texts = new WeakMap<View, Map<string, string>>()

/** Returns the text of a statement by what it does; one that is made each time would be hashed each time. */
function textOf(view: View, shape: string, make: () => string): string {
  const known = texts.get(view)
  const text = known?.get(shape) ?? make()
  if (known === undefined) texts.set(view, new Map([[shape, text]]))
  else if (!known.has(shape)) known.set(shape, text)
  return text
}

/** `AND` the row, found by another key, is the scope's. */
function isOwn({ name, ends, belonging }: Plan, alias = name): string {
  if (belonging === 'none') return ''
  if (belonging === 'column') return ` AND +${alias}.scope = ?`
  const block = belonging === 'arrival' ? `arrival = ${alias}.arrival` : `id = ${alias}.${ends[0]}`
  return ` AND EXISTS (SELECT 1 FROM blocks AS owned WHERE owned.${block} AND owned.scope = ?)`
}

/** `AND` the rows are the scope's, which they are found by: its indexes leave out rows without a scope. */
function own(plan: Plan): string {
  return plan.belonging === 'column' ? ` AND scope = ? AND scope <> ''` : isOwn(plan)
}

/** The rows of a list of keys, in its order. */
function selectByKey(view: View, by: readonly string[], scoped: boolean): string {
  const plan = planOf(view.table)
  const on = by.map((column, i) => `t.${column} = wanted.value${by.length === 1 ? '' : ` ->> ${i}`}`)
  return `SELECT ${columnsOf(view, 't')}
FROM json_each(?) AS wanted CROSS JOIN ${plan.name} AS t ON ${on.join(' AND ')}${scoped ? isOwn(plan, 't') : ''}`
}

/** Rows that name one of the blocks of a list; what has both ends among them comes twice. */
function selectTouching(view: View, where: Where, scoped: boolean): string {
  const plan = planOf(view.table)
  const conditions = `${literals(view.table, where)}${scoped ? isOwn(plan, 't') : ''}`
  const from = (end: string) => `SELECT ${columnsOf(view, 't')}
FROM json_each(?) AS wanted CROSS JOIN ${plan.name} AS t ON t.${end} = wanted.value WHERE true${conditions}`
  return plan.ends.map(from).join('\nUNION ALL\n')
}

/** Rows that name two blocks of a list. CASE hides the other end from the planner, which would try each pair of ids. */
function selectWithin(view: View, where: Where, scoped: boolean): string {
  const plan = planOf(view.table)
  const [one, other] = plan.ends
  return `SELECT ${columnsOf(view, 't')}
FROM json_each(?) AS wanted CROSS JOIN ${plan.name} AS t ON t.${one} = wanted.value
WHERE CASE WHEN t.${other} IN (SELECT value FROM json_each(?)) THEN 1 ELSE 0 END = 1
${literals(view.table, where)}${scoped ? isOwn(plan, 't') : ''}`
}

/**
 * A range of rows. SQLite would prepare a statement anew for each `LIMIT ?`, since it plans by that value; not for `LIMIT +?`.
 */
function selectRange(view: View, range: Range, scoped: boolean): string {
  const { table } = view
  const plan = planOf(table)
  const named = (property: string) => columnName(table, property)
  const order = range.order.map((each) =>
    each.startsWith('-') ? `${named(each.slice(1))} DESC` : named(each),
  )
  const conditions = [
    ...(range.has === undefined ? [] : [`${named(range.has)} IS NOT NULL`]),
    ...Object.keys(range.equals ?? {}).map((property) => `${named(property)} = ?`),
    ...(range.from === undefined ? [] : [`${named(range.from[0])} >= ?`]),
    ...(range.until === undefined ? [] : [`${named(range.until[0])} <= ?`]),
    ...(range.after === undefined ? [] : [`(${order.join(', ')}) > (${placesFor(order)})`]),
  ]
  const belongs = scoped ? (range.equals === undefined ? own(plan) : isOwn(plan)) : ''
  return `SELECT ${columnsOf(view, plan.name)} FROM ${plan.name}
WHERE ${['true', ...conditions].join(' AND ')}${literals(table, range.where ?? {})}${belongs}
ORDER BY ${order.join(', ')}${range.limit === undefined ? '' : ' LIMIT +?'}`
}

/** Number of rows. */
function selectCount(table: Table, where: Where, scoped: boolean): string {
  const plan = planOf(table)
  return `SELECT count(*) AS total FROM ${plan.name} WHERE true${literals(table, where)}${scoped ? own(plan) : ''}`
}

/**
 * Inserts a row of the given columns. Where rows are counted in a series, the row is the next of its own, and nothing happens
 * when its unique columns are taken; then its number and place come back.
 */
function insertInto(table: Table, properties: readonly string[]): string {
  const { name, key, counted } = planOf(table)
  const named = (property: string) => columnName(table, property)
  const columns = properties.map(named).join(', ')
  if (counted === undefined) return `INSERT INTO ${name} (${columns}) VALUES (${placesFor(properties)})`
  const series = counted.nextIn.map((each) => `${named(each)} = ?`).join(' AND ')
  const next = `(SELECT coalesce(max(${named(counted.property)}) + 1, 0) FROM ${name} WHERE ${series})`
  return `INSERT INTO ${name} (${columns}, ${named(counted.property)}) VALUES (${placesFor(properties)}, ${next})
ON CONFLICT DO NOTHING RETURNING ${key.join(', ')}, ${named(counted.property)}`
}

function countedIn({ columns, properties }: Table): Counted | undefined {
  for (const [property, { nextIn }] of Object.entries(columns)) {
    if (nextIn === undefined) continue
    const place = properties.indexOf(property)
    const given = [...properties.keys()].filter((at) => at !== 0 && at !== place)
    const bound = [...given, ...nextIn.map((each) => properties.indexOf(each))]
    return { property, nextIn, place, given, bound }
  }
  return undefined
}

/** Changes the columns at some places of the row with a key. */
function updateAt({ name, names, key }: Plan, places: readonly number[]): string {
  const sets = places.map((place) => `${names[place]} = ?`).join(', ')
  return `UPDATE ${name} SET ${sets} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`
}

/** Removes the row with a key and returns it. */
function deleteByKey(table: Table, scoped: boolean): string {
  const plan = planOf(table)
  const by = plan.key.map((column) => `${plan.name}.${column} = ?`).join(' AND ')
  return `DELETE FROM ${plan.name} WHERE ${by}${scoped ? isOwn(plan) : ''} RETURNING ${plan.names.join(', ')}`
}

/** Removes the oldest rows. The innermost query finds the newest to remove: the one right behind the kept ones. */
function deleteOldest(
  table: Table,
  { order, per, but }: Trimming,
  { scoped, returning }: { readonly scoped: boolean; readonly returning: boolean },
): string {
  const plan = planOf(table)
  const by = order.map((each) => columnName(table, each))
  const [least = ''] = by
  const returned = returning ? ` RETURNING ${plan.names.join(', ')}` : ''
  const newestFirst = by.map((column) => `${column} DESC`).join(', ')
  if (per !== undefined) {
    const column = columnName(table, per[0])
    return `DELETE FROM ${plan.name} WHERE ${least} IN (
  SELECT old.${least} FROM json_each(?) AS about CROSS JOIN ${plan.name} AS old
  ON old.${column} = about.value AND old.${least} <= (
    SELECT ${least} FROM ${plan.name} WHERE ${column} = about.value ORDER BY ${least} DESC LIMIT 1 OFFSET ?
  )${scoped ? isOwn(plan, 'old') : ''}
)${returned}`
  }
  const [key] = plan.key
  const belongs = scoped ? own(plan) : ''
  const begins = table.columns[order[0] as string]?.kind === 'text' ? `${least} > ''` : `${least} > 0`
  return `DELETE FROM ${plan.name} WHERE ${key} IN (
  SELECT ${key} FROM ${plan.name}
  WHERE (${by.join(', ')}) <= (
    SELECT ${by.join(', ')} FROM ${plan.name} WHERE ${begins}${belongs} ORDER BY ${newestFirst} LIMIT 1 OFFSET ?
  )${but === undefined ? '' : ` AND ${key} <> ?`}${belongs}
  ORDER BY ${by.join(', ')} LIMIT +?
)${returned}`
}

function placesFor(list: readonly unknown[]): string {
  return list.map(() => '?').join(', ')
}

/** Conditions spelled out, because an index on some rows serves no bound parameter. */
function literals(table: Table, where: Where): string {
  return Object.entries(where)
    .map(([property, value]) => {
      const column = table.columns[property] as Column
      return ` AND ${columnName(table, property)} ${condition(value, column)}`
    })
    .join('')
}

function condition(value: Where[string], column: Column): string {
  if (value === undefined) return absent(column)
  if (typeof value === 'object') return `IN (${value.map((each) => literal(each, column)).join(', ')})`
  return `= ${literal(value, column)}`
}

function absent({ blank }: Column): string {
  return blank === undefined ? 'IS NULL' : `= ${typeof blank === 'number' ? blank : `'${blank}'`}`
}

function literal(value: string | number | boolean, { words = [] }: Column): string {
  if (typeof value !== 'string') return String(Number(value))
  if (words.includes(value)) return `'${value}'`
  throw new TypeError('Only a word of the program can be spelled out in a statement.')
}

/** Returns each value once. */
function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

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

/** The rows of a SQLite file within a transaction: statements derived from the description of the tables. */
export class SqliteRows implements Rows {
  readonly scope: string | undefined
  readonly queries: Queries
  readonly #life: Life
  readonly #changed: RowChanged | undefined

  constructor(life: Life, scope?: string, changed?: RowChanged) {
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
    const text = textOf(view, `${by} ${scoped}`, () => selectByKey(view, plan[by], scoped))
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
      const select = both ? selectWithin : selectTouching
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
      const text = textOf(view, shape.replace(/ \d+ /, ' n '), () => selectRange(view, range, scoped))
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
      const text = textOf(table, shape, () => selectCount(table, where, scoped))
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
      insertInto(table, isGiven ? table.properties : table.properties.slice(1)),
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
      insertInto(
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
      const text = textOf(table, 'insert', () => insertInto(table, table.properties))
      connection.runEach(text, [is])
    } else {
      const moved = movedPlaces(was, is)
      if (moved.length === 0) return false
      const text = textOf(table, `update ${moved.join()}`, () => updateAt(plan, moved))
      connection.change(text, [...moved.map((place) => is[place] as Cell), ...key(plan, is)])
      if (table.name === operations.name) unlistChanged(connection, was, is)
    }
    this.#note(table, was, is)
    return true
  }

  remove<C extends Columns>(table: Table<C>, keys: readonly Key[]): Promise<RowOf<Table<C>>[]> {
    if (keys.length === 0) return Promise.resolve([])
    return this.#life.run(() => {
      const scoped = this.#isScoped(planOf(table))
      const text = textOf(table, `delete ${scoped}`, () => deleteByKey(table, scoped))
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
      const text = textOf(table, shape, () => deleteOldest(table, trimming, { scoped, returning }))
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
