import { Finder } from '../../domain/erasure/finder.ts'
import {
  type Erased,
  type Fields,
  LostChanges,
  type References,
  withoutErased,
} from '../../domain/erasure/records.ts'
import { UNFINISHED_ERASING } from '../../ports/store/erasing.ts'
import { REPORTS_MARK } from '../../ports/store/evidence.ts'
import type { Connection } from '../connection/driver.ts'
import { NEW_GENERATION } from '../queries/changes.ts'
import { cellOf, columnsThere, fieldsOf, hasTable, isHolder, notEmpty, whoseIn } from './held-words.ts'

/** The blocks to erase, and the forms of their words. */
export interface Going {
  readonly ids: readonly string[]
  readonly forms: readonly string[]
}

const SELECT_REFERENCES = `SELECT * FROM blocks WHERE id IN (SELECT value FROM json_each(?1))`
const DELETE_BLOCKS = 'DELETE FROM blocks WHERE id IN (SELECT value FROM json_each(?1))'
const DELETE_NAMED = 'DELETE FROM operation_blocks WHERE block_id IN (SELECT value FROM json_each(?1))'

/** Items that went with the words leave nothing that names them. */
const DELETE_LOOSE = 'DELETE FROM item_blocks WHERE item NOT IN (SELECT id FROM items)'

/** Deletes the last error of a model's server, which may quote a text, and the ids of removed blocks. */
const DELETE_TOLD = `DELETE FROM meta WHERE key IN ('llm_trouble', 'removed_blocks')`
/** A packed index tells of a state that is gone. */
const DELETE_MARKS = `DELETE FROM meta WHERE key = 'index_mark' OR key LIKE 'index_mark %'`
/** Who has the file open is to forget the words of questions as well. */
const NEW_REPORTS_MARK = `UPDATE meta SET value = lower(hex(randomblob(8))) WHERE key = '${REPORTS_MARK}'`

const NOTE = `INSERT INTO meta (key, value) VALUES ('${UNFINISHED_ERASING}', ?1)
ON CONFLICT (key) DO UPDATE SET value = excluded.value`

/** Makes what is deleted on a connection overwritten with zeroes at once. */
export function eraseDeleted(connection: Connection): void {
  connection.control('PRAGMA foreign_keys = ON')
  connection.control('PRAGMA secure_delete = ON')
}

/**
 * Removes blocks and all that holds their words from a database, in one transaction; a copy may be of an older format.
 *
 * @param note is kept in `meta` until all files are done; absent for a copy
 */
export function eraseRows(connection: Connection, going: Going, note?: string): void {
  eraseDeleted(connection)
  connection.control('BEGIN IMMEDIATE')
  try {
    const erased = cleanRows(connection, note === undefined ? withHolders(connection, going) : going)
    const list = JSON.stringify([...erased.ids])
    connection.run(DELETE_NAMED, list)
    connection.run(DELETE_BLOCKS, list)
    if (hasTable(connection, 'items')) connection.run(DELETE_LOOSE)
    connection.run(DELETE_TOLD)
    if (note !== undefined) {
      connection.run(DELETE_MARKS)
      connection.run(NEW_GENERATION)
      connection.run(NEW_REPORTS_MARK)
      connection.run(NOTE, note)
    }
    connection.control('COMMIT')
  } catch (error) {
    connection.rollback()
    throw error
  }
}

/**
 * With all other blocks of a copy that hold the words: they are older versions, or blocks that the memory has no more, since
 * what the memory keeps is not looked for.
 */
function withHolders(connection: Connection, { ids, forms }: Going): Going {
  const finder = new Finder(forms)
  const all = new Set(ids)
  for (const row of connection.each('SELECT * FROM blocks'))
    if (isHolder(row, finder)) all.add(String(row.id))
  return { ids: [...all], forms }
}

/** Takes the words out of rows that stay. */
function cleanRows(connection: Connection, { ids, forms }: Going): Erased {
  const finder = new Finder([...forms, ...ids])
  const whose = whoseIn(connection, ids)
  const rows = connection.all<References & { id: string }>(SELECT_REFERENCES, JSON.stringify(ids))
  const erased: Erased = {
    ...whose,
    references: new Map(rows.map((row) => [row.id, row])),
    holds: (text) => finder.isIn(text),
    lost: new LostChanges(),
  }
  dropChanges(connection, erased)
  clean(connection, erased, 'operations')
  for (const table of ['archived_edges', 'tombstones']) clean(connection, erased, table)
  const list = '(SELECT value FROM json_each(?1))'
  const refers = ['superseded_by', ...(has(connection, 'blocks', 'supersedes') ? ['supersedes'] : [])]
  const where = refers.map((column) => `${column} IN ${list}`).join(' OR ')
  clean(connection, erased, 'blocks', { where, parameter: JSON.stringify(ids) })
  for (const [table, { notes, goesWithWords }] of erased.tables) {
    if (goesWithWords) clean(connection, erased, table)
    const noted = columnsThere(connection, table, Object.keys(notes))
    if (noted.length > 0) clean(connection, erased, table, { where: notEmpty(noted) })
  }
  return erased
}

/** Drops the undo data of a transaction as a whole, so that it never takes back half of one. */
function dropChanges(connection: Connection, erased: Erased): void {
  if (!hasTable(connection, 'operation_changes')) return
  const ids: number[] = []
  for (const row of connection.each('SELECT * FROM operation_changes')) {
    if (withoutErased('operation_changes', fieldsOf('operation_changes', row), erased) !== undefined) continue
    ids.push(Number(row.operation_id))
    erased.lost.add(row)
  }
  connection.run(
    'DELETE FROM operation_changes WHERE operation_id IN (SELECT value FROM json_each(?1))',
    JSON.stringify(ids),
  )
}

/** Writes the rows of a table that come out different. Those that go are left where they go with their block. */
function clean(
  connection: Connection,
  erased: Erased,
  table: string,
  { where = 'true', parameter }: { readonly where?: string; readonly parameter?: string } = {},
): void {
  if (!hasTable(connection, table)) return
  const { key } = connection.layout(table)
  const parameters = parameter === undefined ? [] : [parameter]
  for (const row of connection.all(
    `SELECT * FROM ${table} WHERE ${where} ORDER BY ${key.join(', ')}`,
    ...parameters,
  )) {
    const fields = fieldsOf(table, row)
    const kept = withoutErased(table, fields, erased)
    if (kept === undefined) remove(connection, erased, table, { key, fields })
    else if (kept !== fields) save(connection, table, key, { fields, kept })
  }
}

function remove(
  connection: Connection,
  { tables }: Erased,
  table: string,
  { key, fields }: { readonly key: readonly string[]; readonly fields: Fields },
): void {
  if (tables.get(table)?.goesWithWords !== true) return
  const by = key.map((column, i) => `${column} = ?${i + 1}`).join(' AND ')
  connection.run(`DELETE FROM ${table} WHERE ${by}`, ...key.map((column) => cellOf(fields[column])))
}

function save(
  connection: Connection,
  table: string,
  key: readonly string[],
  { fields, kept }: { readonly fields: Fields; readonly kept: Fields },
): void {
  const changed = Object.keys(kept).filter((column) => kept[column] !== fields[column])
  const sets = changed.map((column, i) => `${column} = ?${i + 1}`).join(', ')
  const by = key.map((column, i) => `${column} = ?${changed.length + i + 1}`).join(' AND ')
  const values = [...changed.map((column) => kept[column]), ...key.map((column) => fields[column])]
  connection.run(`UPDATE ${table} SET ${sets} WHERE ${by}`, ...values.map(cellOf))
}

function has(connection: Connection, table: string, column: string): boolean {
  return connection.layout(table).columns.includes(column)
}
