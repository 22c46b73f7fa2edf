import { dirname, join } from 'node:path'
import type { ProjectFiles } from './files.ts'

const MARKERS = ['.git', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod']

/** The folders at which the search for a project begins and ends. */
export interface Surroundings {
  readonly cwd: string
  readonly home: string
  readonly files: ProjectFiles
  /** Numeric id of this user; undefined where files have no owner that could be asked for. */
  readonly uid?: number | undefined
}

/** The project around a working directory; without a `root` there is none. */
export interface Discovered {
  /** The directory of the project, when there is one. */
  readonly root?: string
  /** True if it has an `.elfmem`. */
  readonly hasMemory: boolean
  /** `.elfmem` folders of other users that were passed over. */
  readonly foreign: readonly string[]
}

/**
 * The directory a memory belongs to: the nearest one upwards that has an `.elfmem` of this user, else the nearest that
 * looks like a project. The home directory is never one, and nothing above it is looked at.
 */
export function discoverRoot({ cwd, home, files, uid }: Surroundings): Discovered {
  let marked: string | undefined
  const foreign: string[] = []
  const homes = [home, files.realPath(home)]
  for (const directory of upwards(cwd)) {
    if (homes.includes(directory)) break
    const folder = join(directory, '.elfmem')
    const owner = files.facts(folder)?.owner
    if (owner !== undefined && uid !== undefined && owner !== uid) foreign.push(folder)
    else if (files.exists(folder)) return { root: directory, hasMemory: true, foreign }
    if (marked === undefined && MARKERS.some((marker) => files.exists(join(directory, marker))))
      marked = directory
  }
  return { ...(marked === undefined ? {} : { root: marked }), hasMemory: false, foreign }
}

/** A path and all folders it lies in, the nearest first. */
export function* upwards(from: string): Generator<string> {
  for (let path = from; ; path = dirname(path)) {
    yield path
    if (dirname(path) === path) return
  }
}
