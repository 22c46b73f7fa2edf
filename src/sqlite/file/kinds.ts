import type { Stats } from 'node:fs'
import type { Pages } from './bytes/pages.ts'
import { schemaIn } from './bytes/stored-schema.ts'

/** What a path leads to that is no regular file; undefined if it is one. */
export function nameOfType(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}

/** How a file that is no database begins (bytes as Latin-1), and what it is then. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['PK\u0003\u0004', 'a ZIP archive'],
  ['\u001f\u008b', 'a gzip archive'],
  ['7\u007f\u0006\u0082', 'the write-ahead log of a database, not the database'],
  ['7\u007f\u0006\u0083', 'the write-ahead log of a database, not the database'],
  ['elfmemix', 'the packed index of a memory, not the memory'],
]

/** The same for texts. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\{"format":"elfmem-export"/, 'an export of elfmem; elfmem import takes it in'],
  [/^\s*[[{]/, 'a JSON file'],
  [/^---\r?\n/, 'a Markdown file'],
  [/^#{1,6} /, 'a Markdown file'],
]

/** Names a file that is no database by how it begins; undefined if nothing is known. */
export function nameOfBeginning(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1')
  const signed = SIGNATURES.find(([signature]) => text.startsWith(signature))
  return signed?.[1] ?? BEGINNINGS.find(([pattern]) => pattern.test(text))?.[1]
}

/** Tables by which a database of another program is known. */
const KNOWN: readonly (readonly [tables: readonly string[], name: string])[] = [
  [['blocks', 'block_tags', 'system_config', 'edges'], 'the database of the Python elfmem'],
  [['memories', 'memory_embeddings'], 'the database of another memory program'],
  [['moz_places'], 'the database of a browser'],
]

/** Names a database of another program. */
export function nameOfDatabase(pages: Pages): string {
  const names = new Set(schemaIn(pages).map(({ name }) => name))
  return (
    KNOWN.find(([tables]) => tables.every((table) => names.has(table)))?.[1] ??
    'a database of another program'
  )
}
