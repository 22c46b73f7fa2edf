import { type Column, columnName, type Table } from '../../ports/store/description.ts'
import { TABLES } from '../../store/tables.ts'
import type { Connection } from '../connection/connection.ts'

/** Whole numbers beyond it are no numbers of JavaScript: `Number.MAX_SAFE_INTEGER`. */
const MOST = 2 ** 53 - 1
/** No text or list that elfmem writes is longer, in bytes; the largest document has 64 MB and becomes many blocks. */
const LONGEST = 16_000_000

/**
 * Rows with a value that no elfmem writes, by table: the types hold, and still it is no date, no list, no number to count with.
 */
export function wrongValuesIn(connection: Connection): Record<string, number> {
  const wrong: Record<string, number> = {}
  for (const [table, condition] of WRONG) {
    const row = connection.get<{ total: number }>(`SELECT count(*) AS total FROM ${table} WHERE ${condition}`)
    if (row !== undefined && row.total > 0) wrong[table] = row.total
  }
  return wrong
}

const WRONG: readonly (readonly [table: string, condition: string])[] = TABLES.flatMap((table) => {
  const conditions = Object.entries(table.columns).flatMap(([property, column]) =>
    wrongIn(columnName(table, property), column, table),
  )
  return conditions.length === 0 ? [] : [[table.name, conditions.join('\n  OR ')] as const]
})

/** Conditions for values of a column that are wrong; NULL is judged by the table. */
function wrongIn(name: string, { kind, isTime, isList }: Column, { name: table }: Table): string[] {
  switch (kind) {
    case 'integer':
      return [`${name} NOT BETWEEN ${-MOST} AND ${MOST}`]
    case 'real':
      return [`abs(${name}) > 1e300`]
    case 'json':
      if (isList === undefined) return []
      return [
        `json_type(${name}) <> 'array'`,
        `EXISTS (SELECT 1 FROM json_each(${table}.${name}) WHERE json_each.type <> '${isList}')`,
      ]
    case 'text':
      return [...(isTime ? [`NOT (${isInstant(name)})`] : []), `octet_length(${name}) > ${LONGEST}`]
    default:
      return []
  }
}

/** As JavaScript writes instants: those before the year 0 and after 9999 have a sign and six digits, which SQLite cannot read. */
function isInstant(name: string): string {
  const fourDigits = `${name} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*' AND julianday(${name}) IS NOT NULL`
  return `${fourDigits} OR ${name} GLOB '[+-][0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*'`
}
