import type { RowFindings } from '../store/database.ts'
import { type Column, columnName, columnsWhere } from '../store/description.ts'
import { TABLES } from '../store/tables.ts'
import { remakeDerived } from './derived.ts'
import type { Dialect } from './dialect.ts'
import { type ScopedConnection, statement } from './statement.ts'

/** A connection to a file of SQLite outside of transactions. */
interface Gets {
  get(sql: string): object | undefined
}

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

/** Counts the rows of a file that are not as they should be. */
export function rowFindingsIn(connection: Gets, sql: Dialect): RowFindings {
  const wrong = wrongIn(sql)
  const totals = (conditions: readonly Condition[]) =>
    conditions.map((each) => Number(Object.values(connection.get(counting(each)) ?? {})[0]))
  return { orphans: byTable(LOOSE, totals(LOOSE)), wrongValues: byTable(wrong, totals(wrong)) }
}

function counting([table, condition]: Condition): string {
  return `SELECT count(*) AS total FROM ${table} WHERE ${condition}`
}

function byTable(conditions: readonly Condition[], totals: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [i, [table]] of conditions.entries())
    if (totals[i]) counts[table] = (counts[table] ?? 0) + totals[i]
  return counts
}

async function totalsOf(whole: ScopedConnection, conditions: readonly Condition[]): Promise<number[]> {
  const totals: number[] = []
  for (const each of conditions) {
    const [[total] = []] = await whole.values(statement(() => counting(each)))
    totals.push(Number(total))
  }
  return totals
}

/** Counts the rows that are not as they should be. */
async function readFindings({ whole }: ScopedConnection): Promise<RowFindings> {
  const orphans = byTable(LOOSE, await totalsOf(whole, LOOSE))
  const wrong = wrongIn(whole.connection.dialect)
  return { orphans, wrongValues: byTable(wrong, await totalsOf(whole, wrong)) }
}

/** Removes the rows whose owner is missing, and makes the tables anew that follow from rows; returns the number of the former. */
async function removeOrphans({ whole }: ScopedConnection): Promise<number> {
  let removed = 0
  for (const [table, condition] of LOOSE)
    removed += await whole.change(statement(() => `DELETE FROM ${table} WHERE ${condition}`))
  await remakeDerived(whole.connection)
  return removed
}

/** The checks of rows as queries, which look at the whole store in a view, too. */
export const ROW_CHECKS = { rowFindings: readFindings, removeOrphans }
