import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Environment } from '../../../adapters/project/environment.ts'
import { attempt } from '../../../errors.ts'
import type { CliIo } from '../io.ts'
import type { Client, Launch, Place } from './client.ts'

/** Where npx keeps what it fetched for one run. */
const FETCHED = /[\\/]_npx[\\/]/

/** Starts the very program that runs now, unless npx fetched it: then it fetches it again. */
export function programNow(
  program: CliIo['program'],
): readonly [command: string, ...args: readonly string[]] {
  return program === undefined || FETCHED.test(program[1]) ? ['npx', '-y', 'elfmem'] : program
}

/** The memory that a client is to be served. */
export interface Served {
  readonly program: CliIo['program']
  readonly env: Environment
  /** The database of the project; absent if it has none of its own, or one that is not trusted. */
  readonly database: string | undefined
  /** The scope of the project. */
  readonly projectScope: string
  /** The scope that the owner named. */
  readonly scope: string | undefined
  /** True: the owner wants all scopes. */
  readonly isWhole: boolean
}

/**
 * The command that a client starts, which serves one project's memories and no other's unless the owner said so. A client that
 * starts it in the project's folder leaves it to the server to know the project. For any other the project is named.
 */
export function launchFor(client: Client, place: Place, served: Served): Launch {
  const [command, ...args] = programFor(place, served)
  return { command, args: [...args, 'serve', ...memoryOf(client, place, served)] }
}

function memoryOf(
  client: Client,
  place: Place,
  { database, projectScope, scope, isWhole }: Served,
): readonly string[] {
  if (isWhole) return []
  if (scope !== undefined) return ['--scope', scope]
  if (client.startsInProject) return ['--project-scope']
  // One file for all projects, and nothing tells them apart.
  if (place === 'user') return ['--scope', client.name]
  return database === undefined ? ['--scope', projectScope] : ['--db', database]
}

/** In a project's file, which others may get, the command by its name, if a shell finds this program by it. */
function programFor(
  place: Place,
  { program, env }: Served,
): readonly [command: string, ...args: readonly string[]] {
  const isNamed =
    place === 'project' &&
    program !== undefined &&
    foundBy('elfmem', env) === attempt(() => realpathSync(program[1]))
  return isNamed ? ['elfmem'] : programNow(program)
}

/** The file that a shell would run for a name, without links; undefined if there is none. */
function foundBy(name: string, { PATH = '' }: Environment): string | undefined {
  const isProgram = (path: string) =>
    statSync(path).isFile() && accessSync(path, constants.X_OK) === undefined ? realpathSync(path) : undefined
  for (const folder of PATH.split(delimiter)) {
    const found = folder === '' ? undefined : attempt(() => isProgram(join(folder, name)))
    if (found !== undefined) return found
  }
  return undefined
}
