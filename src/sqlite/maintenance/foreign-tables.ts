import { closeSync, fstatSync } from 'node:fs'
import type { ForeignTables, ForeignValue } from '../../ports/importers.ts'
import { APPLICATION_ID, headerOf } from '../file/bytes/header.ts'
import { recordsOf } from '../file/bytes/records.ts'
import { type SchemaEntry, schemaIn } from '../file/bytes/stored-schema.ts'
import { closeFile } from '../file/descriptors.ts'
import { columnsOf, openForeign } from './read-foreign.ts'

/**
 * Opens a database of another program as bytes, with the log beside it if it is the file's own. Nothing of it runs and
 * nothing is written, not even an index of the log. Costs the schema; rows are read as they are asked for.
 *
 * @throws `NOT_FOUND`, `STORE_FOREIGN` or `STORE_CORRUPT`
 */
export function openForeignTables(path: string): ForeignTables {
  const { file, log, pages } = openForeign(path)
  let lost = 0
  const lose = () => {
    lost += 1
  }
  const before = stampOf(file, log)
  const tables = new Map(
    schemaIn(pages, lose)
      .filter(isTable)
      .map((entry) => [entry.name, entry]),
  )
  const columns = new Map([...tables].map(([name, { sql }]) => [name, columnsOf(sql)]))
  return {
    columns,
    // What a new memory is stands in its log alone.
    isOurs: headerOf(pages.read(1) ?? Buffer.alloc(0))?.applicationId === APPLICATION_ID,
    *rows(table) {
      const entry = tables.get(table)
      if (entry === undefined) return
      const names = columns.get(table) ?? []
      for (const { row, values } of recordsOf(pages, entry.root, lose)) {
        const fields = names.map((name, at): [string, ForeignValue] => [name, values[at]])
        yield { rowid: row, ...Object.fromEntries(fields) }
      }
    },
    lost: () => lost,
    hasChanged: () => stampOf(file, log) !== before,
    close() {
      if (log !== undefined) closeSync(log)
      closeFile(file)
    },
  }
}

function isTable({ type, root, sql }: SchemaEntry): boolean {
  return type === 'table' && root > 0 && /^CREATE TABLE\b/i.test(sql)
}

function stampOf(...files: readonly (number | undefined)[]): string {
  return files
    .flatMap((file) => (file === undefined ? [] : fstatSync(file)))
    .map(({ size, mtimeMs }) => `${size} ${mtimeMs}`)
    .join(' ')
}
