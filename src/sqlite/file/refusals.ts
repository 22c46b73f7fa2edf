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
 */
export function foreignDatabase(location: string, pages: Pages): ElfmemError {
  const name = nameOfDatabase(pages)
  const target = shellWord(`${location.replace(/\.db$/, '')}-imported.db`)
  if (name === PYTHON)
    return foreign(
      location,
      `The file is ${name}, which this elfmem only reads.`,
      `elfmem import-from ${shellWord(location)} --db ${target} takes what it knows into a memory of its own. The file stays as it is. Or choose another path for the memory.`,
    )
  return foreign(
    location,
    `The file is ${name}.`,
    `Choose another path for the memory. If there are words of a memory in it: ${rescueSentence(location)}`,
  )
}

function nameOfDatabase(pages: Pages): string {
  const names = new Set(schemaIn(pages).map(({ name }) => name))
  return (
    KNOWN.find(([tables]) => tables.every((table) => names.has(table)))?.[1] ??
    'a database of another program'
  )
}
