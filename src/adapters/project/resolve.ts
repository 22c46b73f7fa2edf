import { basename, dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { isPostgresUrl, pathIn, serverPlace, withoutDatabase } from '../../engine/address.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { merged, type OwnConfig, ownConfig, projectConfig, projectOf, sourceOf } from './config-layers.ts'
import { type Discovered, discoverRoot, upwards } from './discover.ts'
import { type Environment, environmentNameOf, fileVariable, readEnvironment } from './environment.ts'
import { type ProjectFiles, systemFiles } from './files.ts'
import {
  type DatabaseRule,
  expand,
  missingFile,
  type Project,
  type ProjectRequest,
  type World,
} from './project.ts'
import { parseSettings, type RawSettings } from './settings-schema.ts'
import { valueAt } from './trust/allowed-settings.ts'
import { withheldKeys } from './trust/key-sources.ts'
import { noticeOf, PROJECT_DATABASE, type Standing, standingOf, trustCommand } from './trust/standing.ts'
import { openTrustStore } from './trust/trust-store.ts'
import { TOOLS_VARIABLE } from './variables.ts'

/** Chooses the database and the settings by the documented order; reads files, writes none, opens nothing. */
export async function resolveProject(request: ProjectRequest): Promise<Project> {
  const { world, warnings } = worldOf(request)
  const found = discoverRoot(world)
  const standing = found.hasMemory ? standingOf(join(found.root ?? '', '.elfmem'), world) : undefined
  return resolveIn(world, { found, standing, warnings })
}

/** The environment with the file that was named for it beneath it, and without what Bun put there. */
function worldOf(request: ProjectRequest): { readonly world: World; readonly warnings: readonly string[] } {
  const { cwd, home, files = systemFiles, flags = {}, bun = 'bun' in process.versions } = request
  const uid = 'uid' in request ? request.uid : process.getuid?.()
  const cleaned = bun ? withoutBunFiles(request.env, cwd, files) : { env: request.env, warnings: [] }
  const env =
    flags.envFile === undefined ? cleaned.env : withEnvFile(cleaned.env, flags.envFile, { cwd, home, files })
  const isLate = env[TOOLS_VARIABLE] !== undefined && cleaned.env[TOOLS_VARIABLE] === undefined
  const late = isLate
    ? [`${TOOLS_VARIABLE} in ${flags.envFile} does not count: a server lists its tools first. Say --tools.`]
    : []
  const trustStore = request.trustStore ?? openTrustStore(home, uid, files)
  return {
    world: { ...request, settings: request.settings ?? {}, files, flags, uid, trustStore, env },
    warnings: [...cleaned.warnings, ...late],
  }
}

function withEnvFile(
  env: Environment,
  named: string,
  { cwd, home, files }: Pick<World, 'cwd' | 'home' | 'files'>,
) {
  const path = resolve(cwd, expand(named, home))
  const text = files.read(path)
  if (text === undefined)
    throw missingFile(path, '--env-file', 'Name a file that exists, or leave --env-file out.')
  const set = Object.entries(env).filter(([, value]) => value !== undefined)
  return { ...parseEnv(text), ...Object.fromEntries(set) }
}

interface Place {
  readonly found: Discovered
  readonly standing: Standing | undefined
  readonly warnings: readonly string[]
}

async function resolveIn(world: World, place: Place): Promise<Project> {
  const { found, standing } = place
  const { root } = found
  const variables = readEnvironment(world.env)
  const outer = [
    { name: 'config', values: world.settings },
    { name: 'the environment', values: variables.values },
  ]
  const own = await ownConfig(world)
  const given = merged(outer)
  const { database, isNamed } = chooseDatabase(world, { root, own, standing, given })
  refuseForeign(database, world)
  const project = own?.isNamed ? undefined : projectOf(database, world, standing)
  const theirs = project && (await projectConfig(project, world))
  const files = [theirs, own].filter((each) => each !== undefined)
  const layers = [...outer, ...files]
  const sourceIn = (path: readonly PropertyKey[]) =>
    environmentNameOf(path, variables.given) ?? sourceOf(path, layers)
  const origin = (path: readonly PropertyKey[]) => sourceIn(path) ?? 'settings'
  const withheld = withheldKeys(layers)
  return {
    settings: parseSettings(merged(layers), origin),
    database,
    configs: files.flatMap(({ inForce }) => inForce),
    sourceOf: (path) =>
      layers.some(({ values }) => valueAt(values, path) !== undefined) ? sourceIn(path) : undefined,
    ...(root === undefined ? {} : { root }),
    env: world.env,
    warnings: [
      ...place.warnings,
      ...found.foreign.map((folder) => `${folder} belongs to another user and is ignored.`),
      ...files.flatMap(({ warnings }) => warnings),
      ...variables.warnings,
      ...Object.values(withheld),
    ],
    ...trustOf(world, place, { database, isNamed }),
    ...(Object.keys(withheld).length > 0 ? { withheld } : {}),
  }
}

interface DatabaseHints {
  readonly root: string | undefined
  readonly own: OwnConfig | undefined
  readonly standing: Standing | undefined
  /** Settings of the call and of the environment. */
  readonly given: RawSettings
}

interface ChosenDatabase {
  readonly database: Project['database']
  /** True if a flag, a variable or a file that they name says it. */
  readonly isNamed: boolean
}

/** Chooses the database, by the documented order. */
function chooseDatabase(
  { cwd, home, env, flags }: World,
  { root, own, standing, given }: DatabaseHints,
): ChosenDatabase {
  const memory = flags.memory ?? (env.ELFMEM_MEMORY || undefined)
  const chosen = (rule: DatabaseRule, base: string, path: string, isNamed = true): ChosenDatabase => {
    if (isPostgresUrl(path)) return { database: databaseOn(path, memory, rule), isNamed }
    if (flags.memory !== undefined) throw withoutDatabase(flags.memory)
    return { database: { path: located(base, expand(pathIn(path), home)), rule }, isNamed }
  }
  if (flags.db !== undefined) return chosen('--db', cwd, flags.db)
  const variable = fileVariable(env, 'ELFMEM_DB')
  if (variable !== undefined) return chosen('ELFMEM_DB', cwd, variable)
  const byHand = databaseIn(given)
  if (byHand !== undefined) return chosen('project.db', root ?? cwd, byHand)
  const byFile = own && databaseIn(own.values)
  const base = baseOf(own?.name ?? cwd)
  if (own?.isNamed && byFile !== undefined) return chosen('project.db', base, byFile)
  if (standing?.state === 'trusted' && root !== undefined)
    return chosen('project directory', root, join('.elfmem', PROJECT_DATABASE), false)
  if (byFile !== undefined) return chosen('project.db', base, byFile, false)
  return chosen('home directory', home, join('.elfmem', 'agent.db'), false)
}

function databaseOn(address: string, memory: string | undefined, rule: DatabaseRule): Project['database'] {
  if (rule === 'project.db' && /:[^/@]*@/.test(address.slice(address.indexOf('//'))))
    throw new ElfmemError('CONFIG_INVALID', 'The setting project.db has a password.', {
      recovery: 'Leave it out there, and put it into PGPASSWORD or ~/.pgpass.',
    })
  return { ...serverPlace(address, memory), rule }
}

function databaseIn(values: RawSettings): string | undefined {
  const path = valueAt(values, ['project', 'db'])
  return typeof path === 'string' && path !== '' ? path : undefined
}

/** A config inside `.elfmem` speaks for the directory around it. */
function baseOf(config: string): string {
  const directory = dirname(config)
  return basename(directory) === '.elfmem' ? dirname(directory) : directory
}

const located = (base: string, path: string) => (path === ':memory:' ? path : resolve(base, path))

/** The user's own memory, and the folder it lies in, are the user's; links to what is are followed. */
function refuseForeign({ path, rule }: Project['database'], { files, uid }: World): void {
  if (rule !== 'home directory' || uid === undefined) return
  for (const place of [dirname(path), path]) {
    const owner = files.facts(place, 'follow')?.owner
    if (owner === undefined || owner === uid) continue
    const is = files.facts(place)?.kind === 'link' ? 'is a link to what belongs' : 'belongs'
    throw new ElfmemError('CONFIG_INVALID', `${place} ${is} to another user.`, {
      recovery: 'Remove it or make it yours, or name another database, on the command line with --db.',
      details: { file: place },
    })
  }
}

/** Returns what to say, or to check at opening, about a project with a memory of its own. */
function trustOf(
  world: World,
  place: Place,
  { database, isNamed }: ChosenDatabase,
): Pick<Project, 'notice' | 'trust'> {
  const { found, standing } = place
  if (standing === undefined || isNamed) return {}
  if (standing.state !== 'trusted')
    return { notice: noticeOf(standing, join(found.root ?? '', '.elfmem'), database.path) }
  const { folder, entry } = standing
  const { memory } = entry
  return {
    trust: {
      ...(memory === undefined ? {} : { memory }),
      command: trustCommand(dirname(folder.path)),
      now: () => world.trustStore.find(folder.path)?.memory,
      keep: (made) => world.trustStore.save({ ...entry, memory: made }),
    },
  }
}

/** The names Bun loads by itself. */
const BUN_FILES = [
  '',
  '.local',
  ...['development', 'production', 'test'].flatMap((m) => [`.${m}`, `.${m}.local`]),
]

/** The environment without the variables of ours that Bun may have read from a `.env` file, which comes with any project. */
function withoutBunFiles(
  env: Environment,
  cwd: string,
  files: ProjectFiles,
): { readonly env: Environment; readonly warnings: readonly string[] } {
  const kept: Record<string, string | undefined> = { ...env }
  const warnings = bunFiles(cwd).flatMap((path) => {
    const names = namesIn(path, files)
    const dropped = Object.keys(kept).filter(
      (name) => name.startsWith('ELFMEM_') && kept[name] !== undefined && (names?.includes(name) ?? true),
    )
    for (const name of dropped) delete kept[name]
    if (dropped.length === 0) return []
    const is = dropped.length === 1 ? 'is' : 'are'
    return [`${dropped.join(', ')} ${is} ignored: Bun may have read it from ${path}.`]
  })
  return { env: kept, warnings }
}

function bunFiles(cwd: string): string[] {
  return [...upwards(cwd)].flatMap((directory) => BUN_FILES.map((ending) => join(directory, `.env${ending}`)))
}

/** The names in a `.env` file; undefined for a file that cannot be read, which may hold any. */
function namesIn(path: string, files: ProjectFiles): readonly string[] | undefined {
  // A folder of that name is a virtual environment of Python.
  if (files.facts(path, 'follow')?.kind === 'folder') return []
  return attempt(() => (files.read(path) ?? '').match(/\bELFMEM_\w+/g) ?? [])
}
