import type { RowFindings } from '../store/database.ts'
import { type Column, columnName, columnsWhere } from '../store/description.ts'
import { TABLES } from '../store/tables.ts'
import type { SqlConnection } from './connection.ts'
import { remakeDerived } from './derived.ts'
import type { Dialect } from './dialect.ts'
import type { ScopedConnection } from './statement.ts'

/** A condition of the rows of a table that are not as they should be. */
type Condition = readonly [table: string, condition: string]

/** Whole numbers beyond it are no numbers of JavaScript: `Number.MAX_SAFE_INTEGER`. */
const MOST = 2 ** 53 - 1
/** The most bytes of a text or list that elfmem writes; the largest document has 64 MB and becomes many blocks. */
const LONGEST = 16_000_000

/** Returns the conditions of rows with values that no elfmem writes: the types hold, and still it is no date, no list, no number to count with. */
function wrongIn(sql: Dialect): readonly Condition[] {
  return TABLES.flatMap((table) => {
    const conditions = Object.entries(table.columns).flatMap(([property, column]) =>
      wrongValues(columnName(table, property), column, sql),
    )
    return conditions.length === 0 ? [] : [[table.name, conditions.join('\n  OR ')] as const]
  })
}

/** Conditions for values of a column that are wrong; NULL is judged by the table. */
function wrongValues(name: string, { kind, isTime, isList }: Column, sql: Dialect): string[] {
  switch (kind) {
    case 'integer':
      return [`${name} NOT BETWEEN ${-MOST} AND ${MOST}`]
    case 'real':
      return [`abs(${name}) > 1e300`]
    case 'json':
      return isList === undefined ? [] : [sql.isNoList(name, isList)]
    case 'text':
      return [...(isTime ? [`NOT (${sql.isInstant(name)})`] : []), `octet_length(${name}) > ${LONGEST}`]
    default:
      return []
  }
}

/** The conditions, by table, of rows that name a block or an entry which is not there. */
const LOOSE: readonly Condition[] = [
  ...TABLES.flatMap((table) =>
    (['id', 'arrival'] as const).flatMap((by) =>
      columnsWhere(table, ({ block }) => block === by).map(
        (column) =>
          [
            table.name,
            `NOT EXISTS (SELECT 1 FROM blocks AS known WHERE known.${by} = ${table.name}.${column})`,
          ] as const,
      ),
    ),
  ),
  ['block_tags', 'NOT EXISTS (SELECT 1 FROM blocks WHERE id = block_id)'],
  ['operation_blocks', 'NOT EXISTS (SELECT 1 FROM operations WHERE id = operation_id)'],
]

/** Counts the rows of the whole store that are not as they should be. */
export async function rowFindingsIn(connection: SqlConnection): Promise<RowFindings> {
  const totals = async (conditions: readonly Condition[]) => {
    const counts: Record<string, number> = {}
    for (const [table, condition] of conditions) {
      const [[total] = []] = await connection.values(`SELECT count(*) FROM ${table} WHERE ${condition}`, [])
      if (Number(total) > 0) counts[table] = (counts[table] ?? 0) + Number(total)
    }
    return counts
  }
  return { orphans: await totals(LOOSE), wrongValues: await totals(wrongIn(connection.dialect)) }
}

/** Removes the rows whose owner is missing, and makes the tables anew that follow from rows; returns the number of the former. */
async function removeOrphans({ connection }: ScopedConnection): Promise<number> {
  let removed = 0
  for (const [table, condition] of LOOSE)
    removed += await connection.change(`DELETE FROM ${table} WHERE ${condition}`, [])
  await remakeDerived(connection)
  return removed
}

/** The checks of rows as queries, which look at the whole store in a view, too. */
export const ROW_CHECKS = {
  rowFindings: ({ connection }: ScopedConnection) => rowFindingsIn(connection),
  removeOrphans,
}
