import type { Stats } from 'node:fs'
import { shellWord } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { Pages } from './bytes/pages.ts'
import { schemaIn } from './bytes/stored-schema.ts'

/** The command that saves the recognisable rows of a file that is not opened. */
export function rescueSentence(location: string): string {
  return `elfmem rescue ${shellWord(location)} copies what can be recognised in it into a new memory.`
}

/** The refusal of a file that is no memory of elfmem, or not only one. */
export function foreign(location: string, found: string, recovery: string): ElfmemError {
  return new ElfmemError('STORE_FOREIGN', found, { recovery, details: { location } })
}

/** The same of what lies beside a memory; another process may just be writing it. */
export function foreignBeside(location: string, found: string, recovery: string): ElfmemError {
  return new ElfmemError('STORE_FOREIGN', found, { recovery, details: { location, mayPass: true } })
}

/** The type of a path that is no regular file; undefined if it is one. */
export function nameOfType(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}

/**
 * The command that takes what a database of the Python elfmem knows into a memory of its own. Both programs look for their
 * database at the same place, so it names another one.
 */
export function importSentence(location: string): string {
  const name = location.replace(/\.db$/, '')
  return `elfmem import-from ${shellWord(location)} --db ${shellWord(`${name}-imported.db`)} takes what it knows into a memory of its own.`
}

/** True of a database of the Python elfmem. */
export function isOfPython(pages: Pages): boolean {
  return nameOfDatabase(pages) === PYTHON
}

const PYTHON = 'the database of the Python elfmem'

/** Tables by which a database of another program is known. */
const KNOWN: readonly (readonly [tables: readonly string[], name: string])[] = [
  [['blocks', 'block_tags', 'system_config', 'edges'], PYTHON],
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
