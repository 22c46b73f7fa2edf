import { type Erased, type Fields, Finder, UNFINISHED_ERASING, withoutErased } from '../../history/erase.ts'
import { REPORTS_MARK } from '../../store/log.ts'
import type { Connection, Row } from '../connection/connection.ts'
import { NEW_GENERATION } from '../schema.ts'
import { wordsOf } from './look.ts'
import { ERASABLE_TABLES, JSON_COLUMNS } from './tables.ts'

/** The blocks to erase, their texts, and the words that only they have. */
export interface Going {
  readonly ids: readonly string[]
  readonly texts: readonly string[]
  readonly words: readonly string[]
}

const SELECT_ARRIVALS = `SELECT arrival FROM blocks WHERE id IN (SELECT value FROM json_each(?1))
UNION SELECT gone.value -> 'key' ->> 0 FROM operation_changes, json_each(changes, '$.blocks') AS gone
WHERE gone.value -> 'was' ->> 'id' IN (SELECT value FROM json_each(?1))`
const DELETE_BLOCKS = 'DELETE FROM blocks WHERE id IN (SELECT value FROM json_each(?1))'
const DELETE_NAMED = 'DELETE FROM operation_blocks WHERE block_id IN (SELECT value FROM json_each(?1))'

/** Items that went with the words leave nothing that names them. */
const DELETE_LOOSE = 'DELETE FROM item_blocks WHERE item NOT IN (SELECT id FROM items)'

/** Deletes the last error of a model's server, which may quote a text, and the ids of removed blocks. */
const DELETE_TOLD = `DELETE FROM meta WHERE key IN ('llm_trouble', 'removed_blocks')`
/** A packed index tells of a state that is gone. */
const DELETE_MARKS = `DELETE FROM meta WHERE key = 'index_mark' OR key LIKE 'index_mark %'`
/** Tells processes that have the file open to forget the words of questions, too. */
const NEW_REPORTS_MARK = `UPDATE meta SET value = lower(hex(randomblob(8))) WHERE key = '${REPORTS_MARK}'`

/** Reads the ids of an erasing that did not end. */
const SELECT_NOTE = `SELECT value FROM meta WHERE key = '${UNFINISHED_ERASING}'`
const NOTE = `INSERT INTO meta (key, value) VALUES ('${UNFINISHED_ERASING}', ?1)
ON CONFLICT (key) DO UPDATE SET value = excluded.value`

/** Makes what is deleted on a connection overwritten with zeroes at once. */
export function eraseDeleted(connection: Connection): void {
  connection.control('PRAGMA foreign_keys = ON')
  connection.control('PRAGMA secure_delete = ON')
}

/** Removes blocks and all that holds their texts in one transaction, which also notes that an erasing is under way. */
export function eraseRows(connection: Connection, going: Going): void {
  eraseDeleted(connection)
  connection.control('BEGIN IMMEDIATE')
  try {
    cleanRows(connection, going)
    const list = JSON.stringify(going.ids)
    const left = connection.get<{ value: string }>(SELECT_NOTE)?.value ?? '[]'
    connection.run(DELETE_NAMED, list)
    connection.run(DELETE_BLOCKS, list)
    for (const sql of [DELETE_LOOSE, DELETE_TOLD, DELETE_MARKS, NEW_GENERATION, NEW_REPORTS_MARK])
      connection.run(sql)
    connection.run(NOTE, JSON.stringify([...(JSON.parse(left) as string[]), ...going.ids]))
    connection.control('COMMIT')
  } catch (error) {
    connection.rollback()
    throw error
  }
}

/** Characters of a text by which a note or an entry of the log is known to hold it. */
const BEGINNING = 256

/** Takes the words out of rows that stay. */
function cleanRows(connection: Connection, { ids, texts, words }: Going): void {
  const list = JSON.stringify(ids)
  const finder = new Finder([...texts.map((text) => text.slice(0, BEGINNING).toLowerCase()), ...ids])
  const [whole, own, lost] = [new Set(texts), new Set(words), new Set<unknown>()]
  const arrivals = connection.all<{ arrival: number }>(SELECT_ARRIVALS, list).map((row) => row.arrival)
  const erased: Erased = {
    ids: new Set(ids),
    arrivals: new Set(arrivals),
    tables: ERASABLE_TABLES,
    // A short text is found only where it stands alone.
    holds: (text) => whole.has(text) || finder.standingIn(text.toLowerCase()).size > 0,
    mentions: (text) => wordsOf(text).some((word) => own.has(word)),
    isLost: ({ id, run, operation }) => {
      // The end of a run stands for all of it.
      if (lost.has(id) && run !== null) lost.add(run)
      return lost.has(id) || (RUNS.includes(operation) && lost.has(run))
    },
  }
  dropChanges(connection, erased, lost)
  const refers = ['superseded_by', 'supersedes'].map((each) => `${each} IN (SELECT value FROM json_each(?1))`)
  clean(connection, erased, 'operations')
  clean(connection, erased, 'archived_edges')
  clean(connection, erased, 'blocks', { where: refers.join(' OR '), parameter: list })
  for (const [table, { notes, goesWithWords }] of ERASABLE_TABLES) {
    const noted = Object.keys(notes).map((column) => `${column} IS NOT NULL`)
    if (goesWithWords) clean(connection, erased, table)
    else if (noted.length > 0) clean(connection, erased, table, { where: noted.join(' OR ') })
  }
}

/** Ends of a dream or curation, which stand for all of its transactions. */
const RUNS: readonly unknown[] = ['dream', 'curate']

/** Drops the undo data of a transaction as a whole, so that it never takes back half of one, and notes its entries. */
function dropChanges(connection: Connection, erased: Erased, lost: Set<unknown>): void {
  const ids: number[] = []
  for (const row of connection.each('SELECT * FROM operation_changes')) {
    if (withoutErased('operation_changes', fieldsOf('operation_changes', row), erased) !== undefined) continue
    ids.push(Number(row.operation_id))
    for (let id = Number(row.first_id); id <= Number(row.operation_id); id += 1) lost.add(id)
  }
  connection.run(
    'DELETE FROM operation_changes WHERE operation_id IN (SELECT value FROM json_each(?1))',
    JSON.stringify(ids),
  )
}

/** Writes the rows of a table that an erasing changes. It skips rows of an erased block, because they go with it. */
function clean(
  connection: Connection,
  erased: Erased,
  table: string,
  { where = 'true', parameter }: { readonly where?: string; readonly parameter?: string } = {},
): void {
  const { key } = connection.layout(table)
  const parameters = parameter === undefined ? [] : [parameter]
  for (const row of connection.all(
    `SELECT * FROM ${table} WHERE ${where} ORDER BY ${key.join(', ')}`,
    ...parameters,
  )) {
    const fields = fieldsOf(table, row)
    const kept = withoutErased(table, fields, erased)
    if (kept === fields) continue
    if (kept !== undefined) save(connection, table, key, { fields, kept })
    else if (ERASABLE_TABLES.get(table)?.goesWithWords === true) remove(connection, table, key, fields)
  }
}

function remove(connection: Connection, table: string, key: readonly string[], fields: Fields): void {
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

/** Returns a row with its JSON as data. */
function fieldsOf(table: string, row: Row): Fields {
  const columns = JSON_COLUMNS.get(table) ?? []
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      columns.includes(column) && typeof value === 'string' ? (JSON.parse(value) as unknown) : value,
    ]),
  )
}

/** Returns the value of a column as the file keeps it. */
function cellOf(value: unknown): string | number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'object') return JSON.stringify(value)
  return typeof value === 'number' ? value : String(value)
}
