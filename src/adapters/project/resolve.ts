import { basename, dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { isPostgresUrl, pathIn, serverPlace, withoutDatabase } from '../../engine/address.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { merged, type OwnConfig, ownConfig, projectConfig, projectOf, sourceOf } from './config-layers.ts'
import { discoverRoot, upwards } from './discover.ts'
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
import { parseSettings, type RawSettings, valueAt } from './settings-schema.ts'
import { noticeOf, PROJECT_DATABASE, type Standing, standingOf, trustCommand } from './trust/standing.ts'
import { openTrustStore } from './trust/trust-store.ts'

/** Chooses the database and the settings by the documented order; reads files, writes none, opens nothing. */
export async function resolveProject(request: ProjectRequest): Promise<Project> {
  const { world, warnings } = worldOf(request)
  const found = discoverRoot(world)
  const { root } = found
  const elfmem = found.hasMemory && root !== undefined ? join(root, '.elfmem') : undefined
  const standing = elfmem === undefined ? undefined : standingOf(elfmem, world)
  const variables = readEnvironment(world.env)
  const outer = [
    { name: 'config', values: world.settings },
    { name: 'the environment', values: variables.values },
  ]
  const own = await ownConfig(world)
  const { database, isNamed } = chooseDatabase(world, { root, own, standing, given: merged(outer) })
  refuseForeign(database, world)
  const project = own?.isNamed ? undefined : projectOf(database, world, standing)
  const theirs = project && (await projectConfig(project, world))
  const files = [theirs, own].filter((each) => each !== undefined)
  const layers = [...outer, ...files]
  const sourceIn = (path: readonly PropertyKey[]) =>
    environmentNameOf(path, variables.given) ?? sourceOf(path, layers)
  return {
    settings: parseSettings(merged(layers), (path) => sourceIn(path) ?? 'settings'),
    database,
    configs: files.flatMap(({ inForce }) => inForce),
    sourceOf: (path) =>
      layers.some(({ values }) => valueAt(values, path) !== undefined) ? sourceIn(path) : undefined,
    ...(root === undefined ? {} : { root }),
    env: world.env,
    warnings: [
      ...warnings,
      ...found.foreign.map((folder) => `${folder} belongs to another user and is ignored.`),
      ...files.flatMap((each) => each.warnings),
      ...variables.warnings,
    ],
    ...(elfmem === undefined || standing === undefined || isNamed
      ? {}
      : trustOf(world, standing, elfmem, database)),
  }
}

/** Returns the environment without variables that Bun read from files, and with those of the named `--env-file`. */
function worldOf(request: ProjectRequest): { readonly world: World; readonly warnings: readonly string[] } {
  const { cwd, home, files = systemFiles, flags = {}, bun = 'bun' in process.versions } = request
  const uid = 'uid' in request ? request.uid : process.getuid?.()
  const { env: own, warnings } = bun
    ? withoutBunFiles(request.env, cwd, files)
    : { env: request.env, warnings: [] }
  const env = flags.envFile === undefined ? own : withEnvFile(own, flags.envFile, { cwd, home, files })
  const trustStore = request.trustStore ?? openTrustStore(home, uid, files)
  const world = { ...request, settings: request.settings ?? {}, files, flags, uid, trustStore, env }
  return { world, warnings }
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
    const expanded = expand(pathIn(path), home)
    return { database: { path: expanded === ':memory:' ? expanded : resolve(base, expanded), rule }, isNamed }
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

/** The user's own memory, and the folder it lies in, are the user's; links to what is are followed. */
function refuseForeign({ path, rule }: Project['database'], { files, uid }: World): void {
  if (rule !== 'home directory' || uid === undefined) return
  for (const place of [dirname(path), path]) {
    const owner = files.facts(place, 'follow')?.owner
    if (owner === undefined || owner === uid) continue
    throw new ElfmemError('CONFIG_INVALID', `${place} belongs to another user.`, {
      recovery: 'Remove it or make it yours, or name another database, on the command line with --db.',
      details: { file: place },
    })
  }
}

/** Returns what to say, or to check at opening, about a project with a memory of its own. */
function trustOf(
  { trustStore }: World,
  standing: Standing,
  elfmem: string,
  database: Project['database'],
): Pick<Project, 'notice' | 'trust'> {
  if (standing.state !== 'trusted') return { notice: noticeOf(standing, elfmem, database.path) }
  const { path, entry } = standing
  return {
    trust: {
      ...(entry.memory === undefined ? {} : { memory: entry.memory }),
      command: trustCommand(dirname(path)),
      now: () => trustStore.find(path)?.memory,
      keep: (memory) => trustStore.save({ ...entry, memory }),
    },
  }
}

/** The names of the files that Bun loads by itself. */
const BUN_FILES = ['', '.development', '.production', '.test'].flatMap((mode) => [
  `.env${mode}`,
  `.env${mode}.local`,
])

/** The environment without the variables of ours that Bun may have read from a `.env` file, which comes with any project. */
function withoutBunFiles(env: Environment, cwd: string, files: ProjectFiles) {
  const kept: Record<string, string | undefined> = { ...env }
  const warnings: string[] = []
  for (const path of [...upwards(cwd)].flatMap((folder) => BUN_FILES.map((name) => join(folder, name)))) {
    // A folder `.env` is a virtual environment of Python. A file that cannot be read may set any variable.
    if (files.facts(path, 'follow')?.kind === 'folder') continue
    const names = attempt((): readonly string[] => files.read(path)?.match(/\bELFMEM_\w+/g) ?? [])
    const dropped = Object.keys(kept).filter(
      (name) => name.startsWith('ELFMEM_') && kept[name] !== undefined && (names?.includes(name) ?? true),
    )
    for (const name of dropped) delete kept[name]
    if (dropped.length > 0)
      warnings.push(`Ignored, because Bun may have read it from ${path}: ${dropped.join(', ')}.`)
  }
  return { env: kept, warnings }
}
