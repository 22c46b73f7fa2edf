import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { defined } from '../../src/block/text.ts'
import type { Embedder } from '../../src/engine/ports.ts'

/** An embedder that computes each text once; it holds all vectors for as long as it lives, and nobody needs to close it. */
export interface SharedEmbedder extends Embedder {
  /** Returns one vector a text, as `embed` does, for pipelines that are not the library's. */
  vectorsOf(texts: readonly string[]): Promise<Float32Array[]>
}

const BATCH = 32

/** Keeps every vector by its text, so that all pipelines of a run use the same vectors and each is computed once. */
export function shareEmbedder(inner: Embedder): SharedEmbedder {
  const known = new Map<string, Float32Array>()
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const missing = [...new Set(texts.filter((text) => !known.has(text)))]
    for (let at = 0; at < missing.length; at += BATCH) {
      const batch = missing.slice(at, at + BATCH)
      const vectors = await inner.embed(batch)
      for (const [i, text] of batch.entries()) known.set(text, vectors[i] as Float32Array)
    }
    return texts.map((text) => (known.get(text) as Float32Array).slice())
  }
  const { model, dimensions, scripts } = inner
  return { model, dimensions, ...defined({ scripts }), embed, vectorsOf: embed, close: async () => {} }
}

/** Returns the built-in model, shared; a folder keeps its vectors between runs. */
export function sharedMiniLm(cache?: string | boolean): SharedEmbedder {
  const model = createMiniLmEmbedder()
  return shareEmbedder(typeof cache === 'string' ? keepVectors(model, cache) : model)
}

/** Keeps each vector in a file of the folder by the hash of its model and text. */
function keepVectors(inner: Embedder, folder: string): Embedder {
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
      for (const [i, text] of missing.entries())
        insert.run(hashOf(text), new Uint8Array((vectors[i] as Float32Array).slice().buffer))
      return texts.map((text) => read(text) as Float32Array)
    },
  }
}

/**
 * Returns cheap vectors under the name of the built-in model, so that the memory made here can be served with that model: its
 * questions then cost what they cost, though what they find means nothing.
 */
export function cheapEmbedder(): Embedder {
  return { ...createHashingEmbedder(), model: 'all-MiniLM-L6-v2-int8' }
}
