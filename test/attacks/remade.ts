import { renameSync, rmSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

interface Entry {
  readonly type: string
  readonly name: string
  readonly sql: string
}

/** Makes a database anew with the same schema, rows and marks, as somebody could who chooses how it is written. */
export function remade(path: string, ...pragmas: readonly string[]): void {
  const from = new DatabaseSync(path)
  const to = new DatabaseSync(`${path}.remade`)
  for (const each of [...pragmas, 'PRAGMA foreign_keys = OFF']) to.exec(each)
  const entries = from
    .prepare('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid')
    .all() as unknown as Entry[]
  to.exec('BEGIN')
  for (const { sql } of entries.filter(({ type }) => type === 'table')) to.exec(sql)
  for (const { name } of entries.filter(({ type }) => type === 'table')) {
    const select = from.prepare(`SELECT * FROM "${name}"`)
    select.setReadBigInts(true)
    for (const row of select.all()) {
      const values = Object.values(row) as SQLInputValue[]
      to.prepare(`INSERT INTO "${name}" VALUES (${values.map(() => '?').join()})`).run(...values)
    }
  }
  for (const { sql } of entries.filter(({ type }) => type !== 'table')) to.exec(sql)
  to.exec('COMMIT')
  for (const mark of ['application_id', 'user_version'])
    to.exec(`PRAGMA ${mark} = ${Object.values(from.prepare(`PRAGMA ${mark}`).get() ?? {})[0]}`)
  from.close()
  to.close()
  rmSync(path)
  renameSync(`${path}.remade`, path)
}
