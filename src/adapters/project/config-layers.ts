import { basename, dirname, join, resolve } from 'node:path'
import { FRAME_NAMES } from '../../engine/frames.ts'
import { settingsSchema } from '../../engine/settings.ts'
import { ElfmemError } from '../../errors.ts'
import { nearest } from '../../operations/wording.ts'
import { fileVariable } from './environment.ts'
import type { ProjectFiles, ReadRules } from './files.ts'
import { type ConfigInForce, expand, missingFile, type Project, type World } from './project.ts'
import {
  isRecord,
  mergeSettings,
  type RawSettings,
  setAt,
  settingLeaves,
  settingsFileSchema,
  valueAt,
} from './settings-schema.ts'
import { camelCase, type JsonSchema, respell, snakeCase } from './spelling.ts'
import { PROJECT_DATABASE, type Standing, standingOf } from './trust/standing.ts'

/** The settings of one source. */
export interface SettingsLayer {
  /** The name of the source for people: `the environment`, or a path. */
  readonly name: string
  /** camelCase */
  readonly values: RawSettings
}

/** A layer of settings from a file. */
export interface FileLayer extends SettingsLayer {
  readonly inForce: readonly ConfigInForce[]
  readonly warnings: readonly string[]
}

/** The settings of a file that is the user's own, or that the user named. */
export interface OwnConfig extends FileLayer {
  /** True if a flag or a variable names it. */
  readonly isNamed: boolean
}

/** Reads the file that a flag or a variable names, else the user's `~/.elfmem/config.yaml`; undefined if there is none. */
export async function ownConfig({
  cwd,
  home,
  env,
  files,
  flags,
  uid,
}: World): Promise<OwnConfig | undefined> {
  const named = flags.config ?? fileVariable(env, 'ELFMEM_CONFIG')
  if (named === undefined) {
    const path = join(home, '.elfmem', 'config.yaml')
    const file = await readConfigFile(path, files, { owner: uid })
    return file && { name: path, ...file, inForce: [{ path, rule: 'home directory' }], isNamed: false }
  }
  const path = resolve(cwd, expand(named, home))
  const rule = flags.config === undefined ? 'ELFMEM_CONFIG' : '--config'
  const file = await readConfigFile(path, files)
  if (file === undefined)
    throw missingFile(path, rule, `Create it with \`elfmem init\`, or leave ${rule} out.`)
  return { name: path, ...file, inForce: [{ path, rule }], isNamed: true }
}

/** Returns the project whose own memory a database is, by whatever way it was named: its settings act on that alone. */
export function projectOf({ path, rule }: Project['database'], world: World, standing: Standing | undefined) {
  const elfmem = dirname(path)
  if (basename(path) !== PROJECT_DATABASE || basename(elfmem) !== '.elfmem') return undefined
  return { elfmem, standing: (rule === 'project directory' && standing) || standingOf(elfmem, world) }
}

/**
 * The settings of a project's own file that it may set. A file that cannot be read, or that has an impossible value, is ignored
 * and stops nobody.
 */
export async function projectConfig(
  { elfmem, standing }: NonNullable<ReturnType<typeof projectOf>>,
  { files, uid }: World,
): Promise<FileLayer | undefined> {
  const path = join(elfmem, 'config.yaml')
  const told: string[] = []
  const ignored = (why: string): FileLayer => ({
    ...{ name: path, values: {}, inForce: [] },
    warnings: [...told, `${path} is ignored: ${why}.`],
  })
  if (standing.state !== 'trusted') return files.exists(path) ? ignored(standing.reason) : undefined
  try {
    const file = await readConfigFile(path, files, { noLink: true, owner: uid })
    if (file === undefined) return undefined
    const { values, refused } = allowedOf(file.values)
    told.push(...file.warnings)
    if (refused.length > 0) told.push(`${path}: a project may not set ${refused.join(', ')}; ignored.`)
    const wrong = settingsSchema.safeParse(values).error?.issues ?? []
    if (wrong.length > 0)
      return ignored(`${wrong.map((issue) => nameOf(issue.path)).join(', ')} cannot be what it says`)
    return { name: path, values, warnings: told, inForce: [{ path, rule: 'project directory' }] }
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return ignored(error.message.replace(/\.$/, ''))
  }
}

/** Returns the settings that a project may set, which have the mark `project` in their schema, and the names of the others. */
function allowedOf(given: RawSettings) {
  const values: Record<string, unknown> = {}
  const refused: string[] = []
  for (const { path, schema } of settingLeaves()) {
    const value = valueAt(given, path)
    if (value === undefined) continue
    if (schema.project === true) setAt(values, path, value)
    else refused.push(nameOf(path))
  }
  return { values, refused }
}

/** The name of a setting as files spell it. */
const nameOf = (path: readonly PropertyKey[]) => path.map((key) => snakeCase(String(key))).join('.')

/** Merges the settings of the layers; the first layer counts before the others. */
export function merged(layers: readonly SettingsLayer[]): RawSettings {
  const given = layers.filter(({ values }) => Object.keys(values).length > 0)
  return given.map(({ values }) => values).reduceRight((base, over) => mergeSettings(base, over), {})
}

/** The source of a value, or of the group it stands in. */
export function sourceOf(path: readonly PropertyKey[], layers: readonly SettingsLayer[]): string | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const at = path.slice(0, length).map(String)
    const source = layers.find(({ values }) => valueAt(values, at) !== undefined)
    if (source !== undefined) return source.name
  }
  return undefined
}

/** The contents of a config file, its keys in camelCase. */
interface ConfigFile {
  readonly values: RawSettings
  /** Warnings, one sentence for each key that means nothing. */
  readonly warnings: readonly string[]
}

/** Matches a text with 33 levels within each other. No setting lies deeper, and the parser calls itself for each level. */
const DEEP = /(?:[[{][^[\]{}]*){33}|(?:[-?] ){33}/

/** Reads a config file in YAML, which JSON is, too; undefined when there is none. */
async function readConfigFile(
  path: string,
  files: Pick<ProjectFiles, 'read'>,
  rules: ReadRules = {},
): Promise<ConfigFile | undefined> {
  const text = files.read(path, rules)
  if (text === undefined) return undefined
  if (DEEP.test(text)) throw invalid(path, 'it nests deeper than 32 levels')
  const document = await parse(path, text)
  if (document === undefined || document === null) return { values: {}, warnings: [] }
  if (!isRecord(document))
    throw invalid(path, 'the file must hold sections of settings, not a single value or a list')
  const schema = settingsFileSchema()
  const warnings: string[] = []
  const known = withoutUnknown(document, schema, (key, hint) =>
    warnings.push(`${path}: ${key} is no setting and is ignored${hint}`),
  )
  return { values: respell(known, schema, inCode) as RawSettings, warnings }
}

/** A frame's name has the same spelling everywhere. */
function inCode(name: string): string {
  return (FRAME_NAMES as readonly string[]).includes(name) ? name : camelCase(name)
}

async function parse(path: string, text: string): Promise<unknown> {
  try {
    const { parseDocument } = await import('yaml')
    // Left to itself it writes its warnings, and with them lines of the file, to the terminal as they are.
    const yaml = parseDocument(text, { prettyErrors: true, logLevel: 'error' })
    if (yaml.errors[0] !== undefined) throw yaml.errors[0]
    // An alias may stand within itself and never end.
    return yaml.toJS({ maxAliasCount: 0 })
  } catch (cause) {
    const [line = ''] = (cause as Error).message.split('\n')
    throw invalid(path, line.replace(/:$/, '') || 'it cannot be parsed', cause)
  }
}

function invalid(path: string, reason: string, cause?: unknown): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${path}: ${reason}`, {
    recovery: 'Correct the file, or move it away and run `elfmem init` for a fresh one.',
    details: { file: path },
    ...(cause === undefined ? {} : { cause }),
  })
}

/**
 * Returns the values without unknown keys, and reports each unknown key, so that none comes in under another spelling. A key without a
 * value counts as absent.
 */
function withoutUnknown(
  record: Record<string, unknown>,
  { properties }: JsonSchema,
  told: (key: string, hint: string) => void,
  at = '',
): Record<string, unknown> {
  const kept = Object.entries(record).flatMap(([key, value]): [string, unknown][] => {
    if (value === null) return []
    if (!properties) return [[key, value]]
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (known) return [[key, isRecord(value) ? withoutUnknown(value, known, told, `${at}${key}.`) : value]]
    const similar = nearest(key, Object.keys(properties))
    told(`${at}${key}`, similar === undefined ? '.' : `; did you mean ${at}${similar}?`)
    return []
  })
  return Object.fromEntries(kept)
}
