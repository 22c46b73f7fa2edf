import {
  DERIVED,
  DERIVED_FROM,
  type DerivedChange,
  DerivedChanges,
  LISTED_AT_ONCE,
  type RowChange,
  shapeOf,
} from '../store/derived.ts'
import { codecOf, columnName, type Table } from '../store/description.ts'
import type { SqlConnection } from './connection.ts'
import { type Dialect, type Named, numbered } from './dialect.ts'

/** Recalls up to a full number that were not listed with the entries before. */
const SELECT_RECALLS = `SELECT id, block_ids FROM operations
WHERE operation = 'recall' AND id <= ?2 AND id > (SELECT coalesce(max(id), 0) / ${LISTED_AT_ONCE} * ${LISTED_AT_ONCE} FROM operations WHERE id < ?1)
ORDER BY id`

const NUMBER_INDEX = 'UPDATE block_index SET sequence = ? WHERE arrival = ?'

/** Brings the derived tables up to date with rows that one call wrote: a few statements, whatever the number of rows. */
export async function writeDerived(
  connection: SqlConnection,
  table: Table,
  rows: readonly RowChange[],
): Promise<void> {
  if (!DERIVED_FROM.includes(table)) return
  const { dialect } = connection
  const changes = new DerivedChanges(table, rows)
  if (changes.activated.length > 0) await connection.each(numbered(NUMBER_INDEX, dialect), changes.activated)
  if (changes.listed !== undefined)
    changes.list(await connection.values(numbered(SELECT_RECALLS, dialect), changes.listed))
  for (const [of, byKey] of changes.byTable) await writeTable(connection, of, [...byKey.values()])
}

/** Writes one derived table. A row of sums goes with its last part. */
async function writeTable(
  connection: SqlConnection,
  of: Table,
  changed: readonly DerivedChange[],
): Promise<void> {
  const { dialect } = connection
  const { keyPlaces, sums } = shapeOf(of)
  const { insert, remove } = textsOf(dialect, of)
  const isMore = ({ cells, parts }: DerivedChange) =>
    sums.length > 0 ? sums.some((place) => cells[place] !== 0) : parts > 0
  const more = changed.filter(isMore).map(({ cells }) => cells)
  const fewer = changed.filter(({ parts }) => parts < 0)
  const keys = fewer.map(({ cells }) => keyPlaces.map((place) => cells[place] ?? null))
  if (more.length > 0) await connection.each(insert, dialect.rows(more))
  if (keys.length > 0) await connection.each(remove, keys)
}

/** The statements that write a derived table. */
interface Texts {
  /** Inserts rows, or adds their sums to those of the rows with the same keys. */
  readonly insert: string
  /** Deletes the row with a key; one of sums only if the last of them, which counts parts, is 0. */
  readonly remove: string
}

const texts = new WeakMap<Dialect, ReadonlyMap<Table, Texts>>()

function textsOf(dialect: Dialect, of: Table): Texts {
  const known = texts.get(dialect) ?? new Map(DERIVED.map((each) => [each, makeTexts(dialect, each)]))
  texts.set(dialect, known)
  return known.get(of) as Texts
}

function makeTexts(dialect: Dialect, of: Table): Texts {
  const columns = of.properties.map((each): Named => [columnName(of, each), of.columns[each]?.kind ?? 'text'])
  const sums = shapeOf(of).sums.map((place) => columnName(of, of.properties[place] as string))
  const key = of.key.map((each) => columnName(of, each))
  const adds = sums.map((sum) => `${sum} = ${of.name}.${sum} + excluded.${sum}`)
  const otherwise = adds.length === 0 ? 'NOTHING' : `UPDATE SET ${adds.join(', ')}`
  const gone = [...key.map((column) => `${column} = ?`), ...sums.slice(-1).map((sum) => `${sum} = 0`)]
  return {
    insert: numbered(
      `${dialect.insert(of.name, columns)} ON CONFLICT (${dialect.conflict(key)}) DO ${otherwise}`,
      dialect,
    ),
    remove: numbered(`DELETE FROM ${of.name} WHERE ${gone.join(' AND ')}`, dialect),
  }
}

const BATCH = 1_000

/** Makes the rows of all derived tables anew. */
export async function remakeDerived(connection: SqlConnection): Promise<void> {
  for (const { name } of DERIVED) await connection.change(`DELETE FROM ${name}`, [])
  for (const source of DERIVED_FROM) {
    const select = `SELECT ${codecOf(source).names.join(', ')} FROM ${source.name} ORDER BY ${source.key.map((each) => columnName(source, each)).join(', ')}`
    for await (const batch of connection.batches(select, BATCH, [])) {
      const rows = batch.map((is) => ({ was: undefined, is }))
      await writeDerived(connection, source, rows)
    }
  }
}
