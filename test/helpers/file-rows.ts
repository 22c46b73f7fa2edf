import { DatabaseSync } from 'node:sqlite'

/** Every row of every table of a file. */
export function fileRows(path: string): Record<string, unknown[]> {
  const raw = new DatabaseSync(path, { readOnly: true })
  const names = raw.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all()
  const rows = names.map(({ name }) => [String(name), raw.prepare(`SELECT * FROM "${name}"`).all()])
  raw.close()
  return Object.fromEntries(rows)
}
