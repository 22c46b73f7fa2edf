import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { discoverRoot } from '../../../adapters/project/discover.ts'
import type { Environment } from '../../../adapters/project/environment.ts'
import { systemFiles } from '../../../adapters/project/files.ts'
import { projectIdentity } from '../../../adapters/project/identity.ts'
import { PROJECT_DATABASE, standingOf } from '../../../adapters/project/trust/standing.ts'
import { openTrustStore } from '../../../adapters/project/trust/trust-store.ts'
import { attempt } from '../../../errors.ts'
import { shellWord } from '../../../operations/wording.ts'
import type { CliIo } from '../io.ts'
import type { Client, Ground, Launch, Place } from './clients.ts'

/** Returns the machine and the project that a command stands in, and whose memory the project has. */
export function groundOf({ cwd, home, env }: CliIo): {
  readonly ground: Ground
  readonly projectScope: string
  readonly database: string | undefined
} {
  const { root, scope: projectScope } = projectIdentity({ cwd, home })
  const isHome = [home, systemFiles.realPath(home), '/'].includes(root)
  const project = isHome ? {} : { project: root }
  const ground = { home, env, platform: process.platform, ...project }
  return { ground, projectScope, database: ownDatabase({ cwd, home }) }
}

/** Returns the memory that a trusted project has of its own. */
function ownDatabase({ cwd, home }: Pick<CliIo, 'cwd' | 'home'>): string | undefined {
  const uid = process.getuid?.()
  const { root, hasMemory } = discoverRoot({ cwd, home, files: systemFiles, uid })
  if (root === undefined || !hasMemory) return undefined
  const folder = join(root, '.elfmem')
  const { state } = standingOf(folder, { files: systemFiles, uid, trustStore: openTrustStore(home, uid) })
  return state === 'trusted' ? join(folder, PROJECT_DATABASE) : undefined
}

/** Matches the folder in which npx keeps what it fetched for one run. */
const FETCHED = /[\\/]_npx[\\/]/

/** Starts the very program that runs now, unless npx fetched it: then it fetches it again. */
export function programNow(
  program: CliIo['program'],
): readonly [command: string, ...args: readonly string[]] {
  return program === undefined || FETCHED.test(program[1]) ? ['npx', '-y', 'elfmem'] : program
}

/** The memory that a client is to have. */
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
  /** The service that has the memory, by its address and the file of its token; undefined for a memory on this machine. */
  readonly service: { readonly url: string; readonly tokenFile: string } | undefined
}

/** Returns the command line of a hook without the name of its client: the small program beside this one, if npx did not fetch it. */
export function hookCommand(program: CliIo['program']): string {
  const beside = program && join(dirname(program[1]), 'hook.cjs')
  const isThere = program !== undefined && beside && !FETCHED.test(beside) && existsSync(beside)
  const words = isThere ? [program[0], beside] : [...programNow(program), 'hook']
  return words.map((word) => (word === '-y' ? word : shellWord(word))).join(' ')
}

/**
 * The command that a client starts, which serves one project's memories and no other's unless the owner said so. A client that
 * starts it in the project's folder leaves it to the server to know the project. For any other the project is named.
 */
export function launchFor(
  client: Client,
  place: Place,
  served: Served & {
    /** True if the client has hooks for the server to answer. */
    readonly isHooked: boolean
  },
): Launch {
  const [command, ...args] = programFor(place, served)
  const { isHooked, service } = served
  if (service !== undefined)
    return { command, args: [...args, 'serve', '--url', service.url, '--token-file', service.tokenFile] }
  const hooks = isHooked ? ['--hooks', ...(client.hooks?.needSocket === true ? [] : ['--no-socket'])] : []
  // With hooks a server keeps to its project by itself.
  const memory = memoryOf(client, place, served).filter((flag) => !isHooked || flag !== '--project-scope')
  return { command, args: [...args, 'serve', ...hooks, ...memory] }
}

function memoryOf(
  client: Client,
  place: Place,
  { database, projectScope, scope, isWhole }: Served,
): readonly string[] {
  if (isWhole) return []
  // A word that begins with a dash is taken for another flag.
  if (scope?.startsWith('-')) return [`--scope=${scope}`]
  if (scope !== undefined) return ['--scope', scope]
  if (client.startsInProject) return ['--project-scope']
  // One file for all projects, and nothing tells them apart.
  if (place === 'user') return ['--scope', client.name]
  return database === undefined ? ['--scope', projectScope] : ['--db', database]
}

/** Returns the command: in a project's file, which others may get, by its name, if a shell finds this program by it. */
function programFor(place: Place, { program, env }: Served): ReturnType<typeof programNow> {
  const ours = program && attempt(() => realpathSync(program[1]))
  const folders = place === 'project' && ours !== undefined ? pathOfShell(env).split(delimiter) : []
  const found = folders.map((folder) => attempt(() => realpathSync(join(folder, 'elfmem'))))
  return found.find((each) => each !== undefined) === ours && ours !== undefined
    ? ['elfmem']
    : programNow(program)
}

/** Returns the PATH that a shell of the user has, without the folders that npm and npx put before it for one run. */
export function pathOfShell(env: Environment): string {
  const isAdded = (folder: string) => /[\\/]node_modules[\\/]\.bin$|[\\/]node-gyp-bin$/.test(resolve(folder))
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !isAdded(folder))
    .join(delimiter)
}
