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
  const ownLayer = own ? [own] : []
  const theirs = project && (await projectConfig(project, world, [...outer, ...ownLayer]))
  const files = [...(theirs ? [theirs] : []), ...ownLayer]
  const layers = [...outer, ...files]
  const sourceIn = (path: readonly PropertyKey[]) =>
    environmentNameOf(path, variables.given) ?? sourceOf(path, layers)
  const origin = (path: readonly PropertyKey[]) => sourceIn(path) ?? 'settings'
  const configs = files.flatMap(({ inForce }) => inForce)
  const withheld = withheldKeys(layers)
  return {
    settings: parseSettings(merged(layers), origin),
    database,
    config: configs[0] ?? { rule: 'defaults' },
    configs,
    sourceOf: (path) =>
      layers.some(({ values }) => valueAt(values, path) !== undefined) ? sourceIn(path) : undefined,
    ...(root === undefined ? {} : { root }),
    env: world.env,
    warnings: [
      ...warningsOf(world, place),
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

function warningsOf({ env, files }: World, { found: { root, foreign }, warnings }: Place): string[] {
  return [
    ...warnings,
    ...foreign.map((folder) => `${folder} belongs to another user and is ignored.`),
    ...(root === undefined ? [] : unreadDotEnv(root, env, files)),
  ]
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

/** Variables that choose settings or the folder they are read from. */
const STEERING = /^(?:ELFMEM_\w*|XDG_CONFIG_HOME|APPDATA)$/

/** A line of a `.env` file that sets a variable. */
interface DotEnvLine {
  readonly name: string
  /** The value as it is written, without the white space around it and one pair of quotes. */
  readonly value: string
  /** True if every reader of such files takes the value as it stands: no quotes, escapes, comments or references. */
  readonly isPlain: boolean
}

/** The lines of a `.env` file that set one of our variables. No value is ever used; only names and sameness count. */
function parseDotEnv(text: string): readonly DotEnvLine[] {
  return text.split(/[\r\n]/).flatMap((line) => {
    const [, name = '', raw = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*[=:](.*)$/.exec(line) ?? []
    if (!STEERING.test(name)) return []
    const value = unquoted(raw.trim())
    return [{ name, value, isPlain: /^[\w./:@%+,~-]*$/.test(value) }]
  })
}

function unquoted(value: string): string {
  const [first, last] = [value[0], value.at(-1)]
  return value.length >= 2 && first === last && (first === '"' || first === "'") ? value.slice(1, -1) : value
}

/** Returns one sentence when a `.env` beside the project sets variables of ours that the environment does not have. */
function unreadDotEnv(root: string, env: Environment, files: ProjectFiles): string[] {
  const path = join(root, '.env')
  const lines = linesOf(path, files) ?? []
  const names = new Set(
    lines.map(({ name }) => name).filter((name) => name.startsWith('ELFMEM_') && !env[name]),
  )
  if (names.size === 0) return []
  return [
    `${path} sets ${[...names].slice(0, 5).join(', ')}${names.size > 5 ? ', …' : ''}: a .env file is no longer read; export the variables, or use --env-file if every line is yours: Node obeys all of that file.`,
  ]
}

/** The environment without what Bun put there from files that somebody else may have made. */
function withoutBunFiles(
  env: Environment,
  cwd: string,
  files: ProjectFiles,
): { readonly env: Environment; readonly warnings: readonly string[] } {
  const found = bunFiles(cwd).map((path) => ({ path, lines: linesOf(path, files) }))
  const kept: Record<string, string | undefined> = { ...env }
  const warnings = found.flatMap(({ path, lines }) => {
    // A reader of such files may have made anything of a value that is not plain, and of a file that cannot be read.
    const mayHaveSet = (name: string) =>
      lines?.some((line) => line.name === name && (!line.isPlain || line.value === kept[name])) ?? true
    const names = Object.keys(kept).filter(
      (name) => kept[name] !== undefined && STEERING.test(name) && mayHaveSet(name),
    )
    for (const name of names) delete kept[name]
    if (names.length === 0) return []
    return [
      `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ignored: Bun may have read it from ${path}.`,
    ]
  })
  return { env: kept, warnings }
}

function bunFiles(cwd: string): string[] {
  return [...upwards(cwd)].flatMap((directory) => BUN_FILES.map((ending) => join(directory, `.env${ending}`)))
}

/** Undefined for one that is no regular file of at most 1 MB; no lines where there is none. */
function linesOf(path: string, files: ProjectFiles): readonly DotEnvLine[] | undefined {
  // A folder of that name is a virtual environment of Python.
  if (files.facts(path, 'follow')?.kind === 'folder') return []
  return attempt(() => parseDotEnv(files.read(path) ?? ''))
}
