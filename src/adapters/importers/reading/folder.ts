import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ElfmemError } from '../../../errors.ts'
import type { Imported } from '../../../ports/importers.ts'

/** Folders within each other, and files of all of them. */
const LEVELS_MOST = 32
const FILES_MOST = 200_000

/** Folders of programs, which hold no notes. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '__pycache__'])

/** How a folder is walked. */
interface Walk {
  /** True for the names of files that are wanted. */
  readonly wants: (name: string) => boolean
  /** Called for what is passed over. */
  readonly left: (loss: Imported) => void
}

/** The wanted files in a folder and the folders in it, by names; hidden folders are passed over, links are not followed. */
export function filesIn(root: string, { wants, left }: Walk): string[] {
  const found: string[] = []
  const enter = (path: string, name: string, level: number): void => {
    if (name.startsWith('.') || SKIPPED.has(name)) return
    if (level >= LEVELS_MOST) left(tooDeep(path))
    else walk(path, level + 1)
  }
  const take = (entry: Dirent, path: string): void => {
    const isWanted = wants(entry.name)
    // A name without an ending may be that of a folder.
    if (entry.isSymbolicLink() && (isWanted || !entry.name.includes('.'))) left(aLink(path))
    else if (isWanted && !entry.isFile()) left(noFile(path))
    if (entry.isFile() && isWanted) found.push(path)
    if (found.length > FILES_MOST) throw tooMany(root)
  }
  const walk = (relative: string, level: number): void => {
    for (const entry of entriesOf(join(root, relative))) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`
      if (entry.isDirectory()) enter(path, entry.name, level)
      else take(entry, path)
    }
  }
  walk('', 0)
  return found
}

/** The entries of a folder, by names; none of one that cannot be read. */
export function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    return []
  }
}

/** The loss of an entry that is wanted and not read: a link, pipe, socket or device; undefined for a regular file. */
export function passedOver(entry: Dirent, example: string): Imported | undefined {
  if (entry.isSymbolicLink()) return aLink(example)
  return entry.isFile() ? undefined : noFile(example)
}

function noFile(example: string): Imported {
  return { kind: 'left', what: 'pipes, sockets and devices', why: 'they are no regular files', example }
}

function aLink(example: string): Imported {
  return { kind: 'left', what: 'links to files', why: 'they may lead out of the folder', example }
}

function tooDeep(example: string): Imported {
  return { kind: 'left', what: 'folders', why: `they lie deeper than ${LEVELS_MOST} levels`, example }
}

function tooMany(path: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `${path} has more than ${FILES_MOST} files.`, {
    recovery: 'Name a folder in it.',
    details: { path },
  })
}
