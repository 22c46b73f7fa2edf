import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes of all files under a folder. A link counts as itself and is not followed, so that no file counts twice. */
export function sizeOf(folder: string): number {
  // Step by step, since a recursive listing of Node follows links to folders.
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .reduce((sum, path) => {
      const entry = lstatSync(path)
      return sum + (entry.isDirectory() ? sizeOf(path) : entry.size)
    }, 0)
}
