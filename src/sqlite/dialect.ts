import type { Dialect } from '../sql/dialect.ts'

/** The words of SQLite. Lists are JSON; a plus and CROSS JOIN tell the planner what to leave alone. */
export const SQLITE: Dialect = {
  sign: '?',
  plus: '+',
  join: (table, alias, on) => `CROSS JOIN ${table} AS ${alias} ON ${on}`,
  greatest: 'max',
  like: 'LIKE',
  indexOf: 'instr',
  gather: 'json_group_array',
  list: (alias, _, place = '?') => `json_each(${place}) AS ${alias}`,
  at: (alias, part, { length }) => (length === 1 ? `${alias}.value` : `${alias}.value ->> ${part}`),
  inOrderOf: () => '',
  keys: (keys, width) => [width === 1 ? keys.map(([only]) => only as string | number) : keys],
  in: (column, place, _, source) =>
    `${column} IN (SELECT value FROM ${source === undefined ? '' : `${source}, `}json_each(${place}))`,
  inQuery: (column, query) => `${column} IN (${query})`,
  touching: (table, alias, column, place) =>
    `json_each(${place}) AS wanted CROSS JOIN ${table} AS ${alias} ON ${alias}.${column} = wanted.value WHERE true`,
  texts: (column, alias) => `json_each(${column}) AS ${alias}`,
  isNoList: (column, of) =>
    `json_type(${column}) <> 'array' OR EXISTS (SELECT 1 FROM json_each(${column}) AS part WHERE part.type <> '${of}')`,
  // SQLite cannot read years of six digits.
  isInstant: (column) =>
    `${column} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*' AND julianday(${column}) IS NOT NULL OR ${column} GLOB '[+-][0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*'`,
  // The queue of the walk is first in, first out, so that the nearest are kept where the limit ends it.
  walk: (name, table, steps) => {
    const arms = steps.map(([to, on]) => `UNION\n  SELECT ${to} FROM ${name} CROSS JOIN ${table} ON ${on}`)
    return `${name} (id) AS (\n  SELECT value FROM json_each(?1)\n  ${arms.join('\n  ')}\n  LIMIT +?2\n)`
  },
  // SQLite numbers a row whose key of one number is left out.
  insert: (table, columns, number) =>
    `INSERT INTO ${table} (${columns.map(([name]) => name).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})${number === undefined ? '' : ` RETURNING ${number}`}`,
  conflict: (key) => key.join(', '),
  rows: (rows) => rows,
}
