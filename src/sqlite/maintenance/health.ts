import { ElfmemError } from '../../errors.ts'
import type { FileFindings, Repairs } from '../../store/database.ts'
import { type Column, columnName, columnsWhere, type Table } from '../../store/description.ts'
import { TABLES } from '../../store/tables.ts'
import { Connection, type FileAccess } from '../connection/connection.ts'
import { differencesOf } from '../schema.ts'
import { backupFolder, bytesOf, exposedPaths, removeAbandoned, tighten } from './paths.ts'

/** Whole numbers beyond it are no numbers of JavaScript: `Number.MAX_SAFE_INTEGER`. */
const MOST = 2 ** 53 - 1
/** The most bytes of a text or list that elfmem writes; the largest document has 64 MB and becomes many blocks. */
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

/**
 * Returns the condition that a column is an instant as JavaScript writes it: those before the year 0 and after 9999 have a sign
 * and six digits, which SQLite cannot read.
 */
function isInstant(name: string): string {
  const fourDigits = `${name} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*' AND julianday(${name}) IS NOT NULL`
  return `${fourDigits} OR ${name} GLOB '[+-][0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*'`
}

/** Complaints of SQLite that are passed on. */
const MOST_COMPLAINTS = 5

/** The conditions, by table, of rows that name a block or an entry which is not there. */
const LOOSE: readonly (readonly [table: string, condition: string])[] = [
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

/** Looks at the whole file on a connection of its own. */
export function lookAt(location: string, full: boolean): FileFindings {
  const connection = new Connection(location, { readOnly: true })
  try {
    const broken = damageOf(connection, full)
    const damage = broken.length > 0 ? broken : differencesOf(connection)
    return {
      damage,
      // Counts of a damaged file would say nothing.
      ...(damage.length > 0 ? NOTHING : countsIn(connection)),
      logBytes: bytesOf(`${location}-wal`),
      exposed: exposedPaths(location),
    }
  } finally {
    connection.close()
  }
}

const NOTHING = { orphans: {}, wrongValues: {} }

function countsIn(connection: Connection) {
  return { orphans: orphansIn(connection), wrongValues: wrongValuesIn(connection) }
}

/** Removes orphans in one transaction if that is wanted, then empties the log and tightens modes. */
export async function mendFile(
  access: FileAccess,
  { rows: mayMend }: { readonly rows: boolean },
): Promise<Repairs> {
  const orphansRemoved = mayMend ? await access.write(async (writer) => removeOrphans(writer)) : 0
  await access.alone(async (writer) => writer.control('PRAGMA wal_checkpoint(TRUNCATE)'))
  removeAbandoned(backupFolder(access.location))
  const exposed = exposedPaths(access.location).filter(({ isFolder }) => !isFolder)
  for (const { path } of exposed) tighten(path)
  return { orphansRemoved, modesTightened: exposed.length }
}

/** A file may be so damaged that looking at it fails. */
function damageOf(connection: Connection, full: boolean): string[] {
  const check = full ? 'integrity_check' : 'quick_check'
  try {
    const rows = connection.all(`PRAGMA ${check}(${MOST_COMPLAINTS})`)
    return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok')
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'STORE_CORRUPT') throw error
    return [String(error.details.sqlite ?? error.message)]
  }
}

function orphansIn(connection: Connection): Record<string, number> {
  const orphans: Record<string, number> = {}
  for (const [table, condition] of LOOSE) {
    const total = totalOf(connection, `SELECT count(*) AS total FROM ${table} WHERE ${condition}`)
    if (total > 0) orphans[table] = (orphans[table] ?? 0) + total
  }
  return orphans
}

function removeOrphans(connection: Connection): number {
  return LOOSE.reduce(
    (removed, [table, condition]) => removed + connection.run(`DELETE FROM ${table} WHERE ${condition}`),
    0,
  )
}

function totalOf(connection: Connection, sql: string): number {
  return connection.get<{ total: number }>(sql)?.total ?? 0
}
