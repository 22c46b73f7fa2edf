import type { Dialect, Named } from '../sql/dialect.ts'
import type { Kind } from '../store/description.ts'

const TYPES: Readonly<Record<Kind, string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'float8',
  flag: 'int2',
  json: 'text',
  bytes: 'bytea',
}

/** Matches an instant, without a question mark, which stands for a value in a statement. */
const INSTANT = (() => {
  const part = (pattern: string) => `(${pattern}){0,1}`
  const second = part(`:[0-5]\\d${part('\\.\\d+')}`)
  const time = part(`T([01]\\d|2[0-4]):[0-5]\\d${second}${part('Z|[+-]\\d\\d:\\d\\d')}`)
  return `^(\\d{4}|[+-]\\d{6})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])${time}$`
})()

/** Returns the type of a column with values of a kind. */
function typeOf(kind: Kind): string {
  return TYPES[kind]
}

const arrays = (kinds: readonly Kind[], place: string) =>
  kinds.map((kind) => `${place}::${typeOf(kind)}[]`).join(', ')
const names = (columns: readonly Named[]) => columns.map(([name]) => name).join(', ')

/**
 * The words of PostgreSQL. Lists are arrays with a type. Rows are found by `= ANY (array)`, because the planner turns a subquery into
 * a join that may read a whole memory.
 */
export const POSTGRES: Dialect = {
  sign: '$',
  plus: '',
  // The offset keeps the planner from reading a whole memory to join it with a list, as it does where it has counted no rows yet.
  join: (table, alias, on) =>
    `CROSS JOIN LATERAL (SELECT * FROM ${table} AS ${alias} WHERE ${on} OFFSET 0) AS ${alias}`,
  greatest: 'greatest',
  like: 'ILIKE',
  indexOf: 'strpos',
  gather: 'array_agg',
  list: (alias, kinds, place = '?') =>
    `unnest(${arrays(kinds, place)}) WITH ORDINALITY AS ${alias} (${kinds.map((_, i) => `part${i}`).join(', ')}, key)`,
  at: (alias, part) => `${alias}.part${part}`,
  inOrderOf: (alias) => ` ORDER BY ${alias}.key`,
  keys: (keys, width) =>
    Array.from({ length: width }, (_, part) => keys.map((key) => key[part] as string | number)),
  in: (column, place, kind = 'text') => `${column} = ANY (${place}::${typeOf(kind)}[])`,
  inQuery: (column, query) => `${column} = ANY (ARRAY(${query}))`,
  touching: (table, alias, column, place) =>
    `${table} AS ${alias} WHERE ${alias}.${column} = ANY (${place}::text[])`,
  texts: (column, alias) => `jsonb_array_elements_text(${column}::jsonb) AS ${alias} (value)`,
  isNoList: (column, of) =>
    `jsonb_typeof(${column}::jsonb) <> 'array' OR EXISTS (SELECT 1 FROM jsonb_path_query(${column}::jsonb, '$[*]') AS part WHERE jsonb_typeof(part) <> '${of === 'text' ? 'string' : of}')`,
  // A month or a day of no calendar is refused, the 31st of a shorter month is not.
  isInstant: (column) => `${column} ~ '${INSTANT}'`,
  // A walk has one recursive part and no limit of its own; it goes no further than the rows that are taken from it.
  walk: (name, table, steps) => {
    const near = steps.map(([to, on]) => `SELECT ${to} AS id FROM ${table} WHERE ${on}`)
    return `walked (id) AS (
  SELECT first.id COLLATE "C" FROM unnest(?1::text[]) AS first (id)
  UNION
  SELECT near.id FROM walked AS ${name} CROSS JOIN LATERAL (${near.join('\n  UNION ALL\n  ')}) AS near
), ${name} (id) AS MATERIALIZED (SELECT id FROM walked LIMIT ?2)`
  },
  insert: (table, columns, number) => {
    const lists = arrays(
      columns.map(([, kind]) => kind),
      '?',
    )
    if (number === undefined) return `INSERT INTO ${table} (${names(columns)}) SELECT * FROM unnest(${lists})`
    return `INSERT INTO ${table} (${number}, ${names(columns)})
SELECT nth + (SELECT coalesce(max(${number}), 0) FROM ${table}), ${names(columns)}
FROM unnest(${lists}) WITH ORDINALITY AS given (${names(columns)}, nth) ORDER BY nth RETURNING ${number}`
  },
  conflict: (key) => `memory, ${key.join(', ')}`,
  rows: (rows) => {
    const [first] = rows
    return first === undefined ? [] : [first.map((_, place) => rows.map((cells) => cells[place] ?? null))]
  },
}
