import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Settings } from '../../config/settings.ts'
import { ElfmemError } from '../../errors.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { discoverRoot } from './discover.ts'
import {
  type Environment,
  environmentNameOf,
  fileVariable,
  parseDotEnv,
  readEnvironment,
} from './environment.ts'
import { type ProjectFiles, systemFiles } from './files.ts'
import { mergeSettings, parseSettings } from './settings-schema.ts'

export interface ProjectRequest {
  readonly cwd: string
  readonly env: Environment
  readonly home: string
  /** `--db` and `--config`. */
  readonly flags?: { readonly db?: string; readonly config?: string }
  readonly files?: ProjectFiles
}

/** Which memory is meant, with which settings, and why. */
export interface Project {
  readonly settings: Settings
  readonly database: { readonly path: string; readonly rule: DatabaseRule }
  readonly config: { readonly path?: string; readonly rule: ConfigRule }
  /** The directory of the project, when there is one. */
  readonly root?: string
  /** The environment with the project's `.env` beneath it. */
  readonly env: Environment
  /** Keys and variables that mean nothing, one sentence each. */
  readonly warnings: readonly string[]
}

type DatabaseRule = '--db' | 'ELFMEM_DB' | 'project.db' | 'project directory' | 'home directory'
type ConfigRule = '--config' | 'ELFMEM_CONFIG' | 'project directory' | 'home directory' | 'defaults'

/** Chooses the database and the configuration by the documented order; reads files, writes none, opens nothing. */
export async function resolveProject(request: ProjectRequest): Promise<Project> {
  const { cwd, home, files = systemFiles } = request
  const root = discoverRoot(cwd, home, files)
  const env = withDotEnv(request.env, root, files)
  const { file, ...config } = await chooseConfig({ ...request, files, env }, root)
  const variables = readEnvironment(env)
  const origin = (path: readonly PropertyKey[]) =>
    environmentNameOf(path, variables.given) ?? config.path ?? 'settings'
  const settings = parseSettings(mergeSettings(file?.values ?? {}, variables.values), origin)
  const named = settings.project.db === undefined ? undefined : expand(settings.project.db, home)
  return {
    settings,
    database: chooseDatabase(
      { ...request, files, env },
      { root, named, base: baseOf(config.path, root, cwd) },
    ),
    config,
    ...(root === undefined ? {} : { root }),
    env,
    warnings: [...(file?.warnings ?? []), ...variables.warnings],
  }
}

/** The real environment wins over the file, and an empty variable counts as unset. */
function withDotEnv(env: Environment, root: string | undefined, files: ProjectFiles): Environment {
  const text = root === undefined ? undefined : files.read(join(root, '.env'))
  if (text === undefined) return env
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
  return { ...parseDotEnv(text), ...set }
}

type Sources = Required<Omit<ProjectRequest, 'flags'>> & Pick<ProjectRequest, 'flags'>

interface ChosenConfig {
  readonly path?: string
  readonly rule: ConfigRule
  readonly file?: ConfigFile
}

async function chooseConfig(
  { cwd, home, env, files, flags }: Sources,
  root: string | undefined,
): Promise<ChosenConfig> {
  const named = flags?.config ?? fileVariable(env, 'ELFMEM_CONFIG')
  if (named !== undefined) {
    const path = resolve(cwd, expand(named, home))
    const rule = flags?.config === undefined ? 'ELFMEM_CONFIG' : '--config'
    const file = await readConfigFile(path, files)
    if (file === undefined) throw missingConfig(path, rule)
    return { path, rule, file }
  }
  const places = [
    ...(root === undefined ? [] : [[join(root, '.elfmem', 'config.yaml'), 'project directory'] as const]),
    [join(home, '.elfmem', 'config.yaml'), 'home directory'] as const,
  ]
  for (const [path, rule] of places) {
    const file = await readConfigFile(path, files)
    if (file) return { path, rule, file }
  }
  return { rule: 'defaults' }
}

function missingConfig(path: string, rule: ConfigRule): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${path}, named by ${rule}, does not exist.`, {
    recovery: `Create it with \`elfmem init\`, or leave ${rule} out.`,
    details: { file: path },
  })
}

interface DatabaseHints {
  readonly root: string | undefined
  /** `project.db`, home already expanded. */
  readonly named: string | undefined
  /** Directory that a relative `project.db` is relative to. */
  readonly base: string
}

function chooseDatabase(
  { cwd, home, env, files, flags }: Sources,
  hints: DatabaseHints,
): Project['database'] {
  if (flags?.db !== undefined) return { path: located(cwd, expand(flags.db, home)), rule: '--db' }
  const variable = fileVariable(env, 'ELFMEM_DB')
  if (variable !== undefined) return { path: located(cwd, expand(variable, home)), rule: 'ELFMEM_DB' }
  if (hints.named !== undefined) return { path: located(hints.base, hints.named), rule: 'project.db' }
  const directory = hints.root === undefined ? undefined : join(hints.root, '.elfmem')
  if (directory !== undefined && files.exists(directory))
    return { path: join(directory, 'memory.db'), rule: 'project directory' }
  return { path: join(home, '.elfmem', 'agent.db'), rule: 'home directory' }
}

/** A config inside `.elfmem` speaks for the directory around it. */
function baseOf(config: string | undefined, root: string | undefined, cwd: string): string {
  if (config === undefined) return root ?? cwd
  const directory = dirname(config)
  return basename(directory) === '.elfmem' ? dirname(directory) : (root ?? directory)
}

const located = (base: string, path: string) =>
  path === ':memory:' || isAbsolute(path) ? path : resolve(base, path)

function expand(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}
