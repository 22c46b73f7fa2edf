import { type Column, columnName, type Table, type View } from '../../ports/store/description.ts'
import type { Range, Trimming, Where } from '../../ports/store/rows.ts'
import { columnsOf } from '../connection/scoped-connection.ts'

/** How a scope's rows are separated from others: by a column, by the block that they are about, or not at all. */
type Belonging = 'column' | 'id' | 'arrival' | 'none'

/** The facts that statements need of a table; made once. */
export interface Plan {
  readonly table: Table
  readonly name: string
  /** Names and places of the columns of the key, and of those that must differ too. */
  readonly key: readonly string[]
  readonly unique: readonly string[]
  readonly keyPlaces: readonly number[]
  /** All columns. */
  readonly names: readonly string[]
  /** Columns that name blocks by their ids. */
  readonly ends: readonly string[]
  readonly belonging: Belonging
  readonly counted: Counted | undefined
}

/** How a table counts its rows. */
export interface Counted {
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
export function planOf(table: Table): Plan {
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
export function textOf(view: View, shape: string, make: () => string): string {
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
export function selectByKey(view: View, by: readonly string[], scoped: boolean): string {
  const plan = planOf(view.table)
  const on = by.map((column, i) => `t.${column} = wanted.value${by.length === 1 ? '' : ` ->> ${i}`}`)
  return `SELECT ${columnsOf(view, 't')}
FROM json_each(?) AS wanted CROSS JOIN ${plan.name} AS t ON ${on.join(' AND ')}${scoped ? isOwn(plan, 't') : ''}`
}

/** Rows that name one of the blocks of a list; what has both ends among them comes twice. */
export function selectTouching(view: View, where: Where, scoped: boolean): string {
  const plan = planOf(view.table)
  const conditions = `${literals(view.table, where)}${scoped ? isOwn(plan, 't') : ''}`
  const from = (end: string) => `SELECT ${columnsOf(view, 't')}
FROM json_each(?) AS wanted CROSS JOIN ${plan.name} AS t ON t.${end} = wanted.value WHERE true${conditions}`
  return plan.ends.map(from).join('\nUNION ALL\n')
}

/** The same for both of their blocks. CASE hides the other end from the planner, which would try each pair of ids. */
export function selectWithin(view: View, where: Where, scoped: boolean): string {
  const plan = planOf(view.table)
  const [one, other] = plan.ends
  return `SELECT ${columnsOf(view, 't')}
FROM json_each(?) AS wanted CROSS JOIN ${plan.name} AS t ON t.${one} = wanted.value
WHERE CASE WHEN t.${other} IN (SELECT value FROM json_each(?)) THEN 1 ELSE 0 END = 1
${literals(view.table, where)}${scoped ? isOwn(plan, 't') : ''}`
}

/** A range of rows. SQLite would prepare a statement anew for each `LIMIT ?`, since it plans by that value; not for `LIMIT +?`. */
export function selectRange(view: View, range: Range, scoped: boolean): string {
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

/** How many rows there are. */
export function selectCount(table: Table, where: Where, scoped: boolean): string {
  const plan = planOf(table)
  return `SELECT count(*) AS total FROM ${plan.name} WHERE true${literals(table, where)}${scoped ? own(plan) : ''}`
}

/**
 * Inserts a row of the given columns. Where rows are counted in a series, the row is the next of its own, and nothing happens
 * when its unique columns are taken; then its number and place come back.
 */
export function insertInto(table: Table, properties: readonly string[]): string {
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
export function updateAt({ name, names, key }: Plan, places: readonly number[]): string {
  const sets = places.map((place) => `${names[place]} = ?`).join(', ')
  return `UPDATE ${name} SET ${sets} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`
}

/** Removes the row with a key and returns it. */
export function deleteByKey(table: Table, scoped: boolean): string {
  const plan = planOf(table)
  const by = plan.key.map((column) => `${plan.name}.${column} = ?`).join(' AND ')
  return `DELETE FROM ${plan.name} WHERE ${by}${scoped ? isOwn(plan) : ''} RETURNING ${plan.names.join(', ')}`
}

/** Removes the oldest rows. The innermost query finds the newest to remove: the one right behind the kept ones. */
export function deleteOldest(
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
