import type { Stats } from 'node:fs'
import { shellWord } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'

/** The refusal of a file that is no memory of elfmem, or not only one. */
export function foreign(location: string, found: string, recovery: string): ElfmemError {
  return new ElfmemError('STORE_FOREIGN', found, { recovery, details: { location } })
}

/** The type of a path that is no regular file; undefined if it is one. */
export function nameOfType(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}

const PYTHON = 'the database of the Python elfmem'

/** Tables by which a database of another program is known. */
const KNOWN: readonly (readonly [tables: readonly string[], name: string])[] = [
  [['blocks', 'block_tags', 'system_config', 'edges'], PYTHON],
  [['memories', 'memory_embeddings'], 'the database of another memory program'],
  [['moz_places'], 'the database of a browser'],
]

/**
 * The refusal of a database of another program; of the Python elfmem's with the command that takes in what it knows. Both
 * programs look for their database at the same place, so the command names another one.
 *
 * @param tables the names of its tables
 */
export function foreignDatabase(location: string, tables: readonly string[]): ElfmemError {
  const known = KNOWN.find(([names]) => names.every((name) => tables.includes(name)))
  const name = known?.[1] ?? 'a database of another program'
  if (name !== PYTHON) return foreign(location, `The file is ${name}.`, 'Choose another path for the memory.')
  const target = shellWord(`${location.replace(/\.db$/, '')}-imported.db`)
  return foreign(
    location,
    `The file is ${name}, which this elfmem only reads.`,
    `elfmem import-from ${shellWord(location)} --db ${target} takes what it knows into a memory of its own. The file stays as it is. Or choose another path for the memory.`,
  )
}
