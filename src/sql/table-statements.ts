import type { Range, Trimming, Where } from '../store/database.ts'
import { type Column, columnName, type Table, type View } from '../store/description.ts'
import { type Dialect, type Named, numbered } from './dialect.ts'
import { columnsOf } from './statement.ts'

/** Sign that separates a scope's rows from others: a column, the block that they are about, or none. */
type Belonging = 'column' | 'id' | 'arrival' | 'none'

/** The facts that statements need of a table; made once. */
export interface Plan {
  readonly table: Table
  readonly name: string
  /** The columns of the key, and those that must differ too; the places of the former. */
  readonly key: readonly Named[]
  readonly unique: readonly Named[]
  readonly keyPlaces: readonly number[]
  /** All columns, and their names. */
  readonly columns: readonly Named[]
  readonly names: readonly string[]
  /** Columns that name blocks by their ids. */
  readonly ends: readonly string[]
  readonly belonging: Belonging
  readonly counted: Counted | undefined
}

/** Plan of the numbers that a table gives its rows. */
export interface Counted {
  /** The property of the number, and those that the rows of one series have in common. */
  readonly property: string
  readonly nextIn: readonly string[]
  readonly place: number
  /** Places of the columns that are given: all but the key and the number. */
  readonly given: readonly number[]
  /** Places of the values of `append`. */
  readonly bound: readonly number[]
}

const plans = new WeakMap<Table, Plan>()

/** Returns the plan of a table. */
export function planOf(table: Table): Plan {
  const known = plans.get(table)
  if (known !== undefined) return known
  const { key, unique = key, properties } = table
  const named = (property: string): Named => {
    const { kind } = table.columns[property] as Column
    return [columnName(table, property), kind]
  }
  const plan: Plan = {
    table,
    name: table.name,
    key: key.map(named),
    unique: unique.map(named),
    keyPlaces: key.map((each) => properties.indexOf(each)),
    columns: properties.map(named),
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

type Texts = WeakMap<View, Map<string, string>>

const texts = new Map<Dialect, Texts>()

/** Returns the text of a statement by what it does; one that is made each time would be hashed each time. */
export function textOf(sql: Dialect, view: View, shape: string, make: () => string): string {
  const ofDialect: Texts = texts.get(sql) ?? new WeakMap()
  texts.set(sql, ofDialect)
  const ofView = ofDialect.get(view) ?? new Map<string, string>()
  ofDialect.set(view, ofView)
  const text = ofView.get(shape) ?? numbered(make(), sql)
  ofView.set(shape, text)
  return text
}

/** `AND` the row, found by another key, is the scope's. */
function isOwn(sql: Dialect, { name, ends, belonging }: Plan, alias = name): string {
  if (belonging === 'none') return ''
  if (belonging === 'column') return ` AND ${sql.plus}${alias}.scope = ?`
  const block = belonging === 'arrival' ? `arrival = ${alias}.arrival` : `id = ${alias}.${ends[0]}`
  return ` AND EXISTS (SELECT 1 FROM blocks AS owned WHERE owned.${block} AND owned.scope = ?)`
}

/** `AND` the rows are the scope's, which they are found by: its indexes leave out rows without a scope. */
function own(sql: Dialect, plan: Plan): string {
  return plan.belonging === 'column' ? ` AND scope = ? AND scope <> ''` : isOwn(sql, plan)
}

/** The rows of a list of keys, in its order. */
export function selectByKey(sql: Dialect, view: View, by: readonly Named[], scoped: boolean): string {
  const plan = planOf(view.table)
  const kinds = by.map(([, kind]) => kind)
  const on = by.map(([name], i) => `t.${name} = ${sql.at('wanted', i, kinds)}`)
  const joined = `${on.join(' AND ')}${scoped ? isOwn(sql, plan, 't') : ''}`
  return `SELECT ${columnsOf(view, 't')}
FROM ${sql.list('wanted', kinds)} ${sql.join(plan.name, 't', joined)}${sql.inOrderOf('wanted')}`
}

/** Rows that name one of the blocks of a list; what has both ends among them comes twice. */
export function selectTouching(sql: Dialect, view: View, where: Where, scoped: boolean): string {
  const plan = planOf(view.table)
  const conditions = `${literals(view.table, where)}${scoped ? isOwn(sql, plan, 't') : ''}`
  const from = (end: string) => `SELECT ${columnsOf(view, 't')}
FROM ${sql.touching(plan.name, 't', end, '?')}${conditions}`
  return plan.ends.map(from).join('\nUNION ALL\n')
}

/** Rows that name two blocks of a list. CASE hides the other end from the planner, which would try each pair of ids. */
export function selectWithin(sql: Dialect, view: View, where: Where, scoped: boolean): string {
  const plan = planOf(view.table)
  const [one = '', other = ''] = plan.ends
  return `SELECT ${columnsOf(view, 't')}
FROM ${sql.touching(plan.name, 't', one, '?')}
AND CASE WHEN ${sql.in(`t.${other}`, '?')} THEN 1 ELSE 0 END = 1
${literals(view.table, where)}${scoped ? isOwn(sql, plan, 't') : ''}`
}

/** A range of rows. SQLite would prepare a statement anew for each `LIMIT ?`, since it plans by that value; not for `LIMIT +?`. */
export function selectRange(sql: Dialect, view: View, range: Range, scoped: boolean): string {
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
  const belongs = scoped ? (range.equals === undefined ? own(sql, plan) : isOwn(sql, plan)) : ''
  return `SELECT ${columnsOf(view, plan.name)} FROM ${plan.name}
WHERE ${['true', ...conditions].join(' AND ')}${literals(table, range.where ?? {})}${belongs}
ORDER BY ${order.join(', ')}${range.limit === undefined ? '' : ` LIMIT ${sql.plus}?`}`
}

/** Number of rows. */
export function selectCount(sql: Dialect, table: Table, where: Where, scoped: boolean): string {
  const plan = planOf(table)
  return `SELECT count(*) AS total FROM ${plan.name} WHERE true${literals(table, where)}${scoped ? own(sql, plan) : ''}`
}

/** Inserts rows; the numbers of rows whose key is not given come back. */
export function insertInto(sql: Dialect, table: Table, isGiven: boolean): string {
  const { name, columns } = planOf(table)
  if (isGiven) return sql.insert(name, columns)
  const [[number] = [''], ...others] = columns
  return sql.insert(name, others, number)
}

/** Inserts a row as the next of its series; nothing happens when its unique columns are taken. Its numbers come back. */
export function append(table: Table, { property, nextIn, given }: Counted): string {
  const { name, names } = planOf(table)
  const [key] = names
  const columns = given.map((at) => names[at])
  const number = columnName(table, property)
  const series = nextIn.map((each) => `${columnName(table, each)} = ?`).join(' AND ')
  return `INSERT INTO ${name} (${key}, ${columns.join(', ')}, ${number})
VALUES ((SELECT coalesce(max(${key}), 0) + 1 FROM ${name}), ${placesFor(columns)},
  (SELECT coalesce(max(${number}) + 1, 0) FROM ${name} WHERE ${series}))
ON CONFLICT DO NOTHING RETURNING ${key}, ${number}`
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
export function updateAt({ name, names, key }: Plan, places: readonly number[]): string {
  const sets = places.map((place) => `${names[place]} = ?`).join(', ')
  return `UPDATE ${name} SET ${sets} WHERE ${key.map(([column]) => `${column} = ?`).join(' AND ')}`
}

/** Removes the row with a key and returns it. */
export function deleteByKey(sql: Dialect, table: Table, scoped: boolean): string {
  const plan = planOf(table)
  const by = plan.key.map(([column]) => `${plan.name}.${column} = ?`).join(' AND ')
  return `DELETE FROM ${plan.name} WHERE ${by}${scoped ? isOwn(sql, plan) : ''} RETURNING ${plan.names.join(', ')}`
}

/** Removes the oldest rows. The innermost query finds the newest to remove: the one right behind the kept ones. */
export function deleteOldest(
  sql: Dialect,
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
    const about = sql.at('about', 0, ['text'])
    const isOld = `old.${column} = ${about} AND old.${least} <= (
    SELECT ${least} FROM ${plan.name} WHERE ${column} = ${about} ORDER BY ${least} DESC LIMIT 1 OFFSET ?
  )${scoped ? isOwn(sql, plan, 'old') : ''}`
    const oldest = `SELECT old.${least} FROM ${sql.list('about', ['text'])} ${sql.join(plan.name, 'old', isOld)}`
    return `DELETE FROM ${plan.name} WHERE ${sql.inQuery(least, oldest)}${returned}`
  }
  const [[key] = ['']] = plan.key
  const belongs = scoped ? own(sql, plan) : ''
  const begins = table.columns[order[0] as string]?.kind === 'text' ? `${least} > ''` : `${least} > 0`
  const oldest = `SELECT ${key} FROM ${plan.name}
  WHERE (${by.join(', ')}) <= (
    SELECT ${by.join(', ')} FROM ${plan.name} WHERE ${begins}${belongs} ORDER BY ${newestFirst} LIMIT 1 OFFSET ?
  )${but === undefined ? '' : ` AND ${key} <> ?`}${belongs}
  ORDER BY ${by.join(', ')} LIMIT ${sql.plus}?`
  return `DELETE FROM ${plan.name} WHERE ${sql.inQuery(key, oldest)}${returned}`
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

/** Conditions as part of the name of a statement; one that nothing is there is one, too. */
export function spelled(where: Where): string {
  return JSON.stringify(Object.entries(where))
}
