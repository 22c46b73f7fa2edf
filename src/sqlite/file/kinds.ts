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
