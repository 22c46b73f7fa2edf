import { dirname, join } from 'node:path'
import type { ProjectFiles } from './files.ts'

const MARKERS = ['.git', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod']

/**
 * The directory a memory belongs to: the nearest one upwards that has an `.elfmem`, else the nearest that looks like
 * a project. The home directory is never one, and nothing above it is looked at.
 */
export function discoverRoot(
  cwd: string,
  home: string,
  files: Pick<ProjectFiles, 'exists'>,
): string | undefined {
  let marked: string | undefined
  for (const directory of upwards(cwd, home)) {
    if (files.exists(join(directory, '.elfmem'))) return directory
    if (marked === undefined && MARKERS.some((marker) => files.exists(join(directory, marker))))
      marked = directory
  }
  return marked
}

function* upwards(from: string, home: string): Generator<string> {
  for (let directory = from; directory !== home; directory = dirname(directory)) {
    yield directory
    if (dirname(directory) === directory) return
  }
}
