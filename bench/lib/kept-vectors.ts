import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Embedder } from '../../src/engine/ports.ts'

/** Returns the same embedder, which keeps each vector in a file of the folder by the hash of its model and text. */
export function keepVectors(inner: Embedder, folder: string): Embedder {
  mkdirSync(folder, { recursive: true })
  const database = new DatabaseSync(join(folder, 'vectors.db'), { timeout: 60_000 })
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('CREATE TABLE IF NOT EXISTS vectors (hash TEXT PRIMARY KEY, vector BLOB NOT NULL) STRICT')
  const select = database.prepare('SELECT vector FROM vectors WHERE hash = ?')
  const insert = database.prepare('INSERT OR IGNORE INTO vectors VALUES (?, ?)')
  const hashOf = (text: string) => createHash('sha256').update(`${inner.model}\n${text}`).digest('hex')
  const read = (text: string) => {
    const row = select.get(hashOf(text)) as { readonly vector: Uint8Array } | undefined
    return row && new Float32Array(row.vector.slice().buffer)
  }
  return {
    ...inner,
    embed: async (texts, options) => {
      const missing = texts.filter((text) => read(text) === undefined)
      const vectors = await inner.embed(missing, options)
      missing.forEach((text, i) => {
        insert.run(hashOf(text), new Uint8Array((vectors[i] as Float32Array).slice().buffer))
      })
      return texts.map((text) => read(text) as Float32Array)
    },
    close: async () => {
      database.close()
      await inner.close()
    },
  }
}
