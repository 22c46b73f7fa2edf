import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Imported } from '../../../engine/ports.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { asRefusal } from './reader.ts'

/** Folders within each other, and files of all of them. */
const LEVELS_MOST = 32
const FILES_MOST = 200_000

/** Folders of programs, which hold no notes. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '__pycache__'])

/** The callbacks of a walk through a folder. */
interface Walk {
  /** True for the names of files that are wanted. */
  readonly wants: (name: string) => boolean
  /** Called for each file or folder that is passed over. */
  readonly left: (loss: Imported) => void
}

/** The wanted files in a folder and the folders in it, by names; hidden folders are passed over, links are not followed. */
export function* filesIn(root: string, walk: Walk): Generator<string> {
  let found = 0
  for (const path of inFolder(root, '', walk)) {
    found += 1
    if (found > FILES_MOST)
      throw new ElfmemError('INVALID_INPUT', `${root} has more than ${FILES_MOST} files.`, {
        recovery: 'Name a folder in it.',
        details: { path: root },
      })
    yield path
  }
}

function* inFolder(root: string, folder: string, walk: Walk): Generator<string> {
  const entries = attempt(() => entriesOf(join(root, folder)))
  if (entries === undefined) return walk.left(loss('folders', 'they cannot be read', folder))
  const level = folder === '' ? 0 : folder.split('/').length
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (!entry.isDirectory()) yield* taken(entry, path, walk)
    else if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue
    else if (level < LEVELS_MOST) yield* inFolder(root, path, walk)
    else walk.left(loss('folders', `they lie deeper than ${LEVELS_MOST} levels`, path))
  }
}

function taken(entry: Dirent, path: string, { wants, left }: Walk): string[] {
  const isWanted = wants(entry.name)
  if (isWanted && entry.isFile()) return [path]
  // A link without an ending may lead to a folder.
  const isMissed = isWanted || (entry.isSymbolicLink() && !entry.name.includes('.'))
  const passed = isMissed ? passedOver(entry, path) : undefined
  if (passed !== undefined) left(passed)
  return []
}

/**
 * The entries of a folder, by names.
 *
 * @throws `NOT_FOUND`, `STORE_FAILED` if it cannot be read
 */
export function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch (error) {
    throw asRefusal(error, path)
  }
}

/** The loss of an entry that is wanted and not read: a link, pipe, socket or device; undefined for a regular file. */
export function passedOver(entry: Dirent, example: string): Imported | undefined {
  if (entry.isSymbolicLink()) return loss('links to files', 'they may lead out of the folder', example)
  return entry.isFile() ? undefined : loss('pipes, sockets and devices', 'they are no regular files', example)
}

function loss(what: string, why: string, example: string): Imported {
  return { kind: 'left', what, why, example }
}
