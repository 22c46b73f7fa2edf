import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { OpenSystem } from './system.ts'

const STOP_WORDS = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have he her his how i if in is it its ' +
    'me my no not of on or our she so that the their them they this to was we were what when where which who why ' +
    'will with would you your'
  ).split(' '),
)

/** A table of FTS5 with its own bm25: Porter stems, stop words left out, any word may match. */
export const openPlainFts5: OpenSystem = async ({ folder }) => {
  const database = new DatabaseSync(join(folder, 'fts.db'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec("CREATE VIRTUAL TABLE notes USING fts5(text, tokenize = 'porter unicode61')")
  const insert = database.prepare('INSERT INTO notes(rowid, text) VALUES (?, ?)')
  const select = database.prepare('SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?')
  return {
    version: `SQLite ${process.versions.sqlite}`,
    add: async (text, at) => void insert.run(at + 1, text),
    addMany: async (texts, from) => {
      database.exec('BEGIN')
      texts.forEach((text, i) => {
        insert.run(from + i + 1, text)
      })
      database.exec('COMMIT')
    },
    search: async (query, { topK }) => {
      const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
      const telling = words.filter((word) => !STOP_WORDS.has(word))
      if (telling.length === 0) return []
      const rows = select.all(telling.map((word) => `"${word}"`).join(' OR '), topK)
      return rows.map(({ rowid }) => Number(rowid) - 1)
    },
    close: async () => database.close(),
  }
}
