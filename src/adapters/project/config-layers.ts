import { basename, dirname, join, resolve } from 'node:path'
import { FRAME_NAMES } from '../../engine/frames.ts'
import { settingsSchema } from '../../engine/settings.ts'
import { ElfmemError, factOf } from '../../errors.ts'
import { nearest } from '../../operations/wording.ts'
import { fileVariable } from './environment.ts'
import type { ProjectFiles, ReadRules } from './files.ts'
import { isNestedDeeper, NESTING_MAX } from './nesting.ts'
import { type ConfigInForce, expand, missingFile, type Project, type World } from './project.ts'
import { isRecord, mergeSettings, type RawSettings, settingsFileSchema } from './settings-schema.ts'
import { camelCase, type JsonSchema, respell, snakeCase } from './spelling.ts'
import { allowedOf, valueAt } from './trust/allowed-settings.ts'
import type { SettingsLayer } from './trust/key-sources.ts'
import { PROJECT_DATABASE, type Standing, standingOf } from './trust/standing.ts'

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

/** The file a flag or a variable names, else the user's own; undefined when there is none. */
export async function ownConfig(world: World): Promise<OwnConfig | undefined> {
  const { cwd, home, env, files, flags } = world
  const named = flags.config ?? fileVariable(env, 'ELFMEM_CONFIG')
  if (named === undefined) return usersConfig(world)
  const path = resolve(cwd, expand(named, home))
  const rule = flags.config === undefined ? 'ELFMEM_CONFIG' : '--config'
  const file = await readConfigFile(path, files)
  if (file === undefined)
    throw missingFile(path, rule, `Create it with \`elfmem init\`, or leave ${rule} out.`)
  return { name: path, ...file, inForce: [{ path, rule }], isNamed: true }
}

/** The user's own file, `~/.elfmem/config.yaml`. Links are followed if what they lead to belongs to the user or to root. */
async function usersConfig({ files, home, uid }: World): Promise<OwnConfig | undefined> {
  const path = join(home, '.elfmem', 'config.yaml')
  const file = await readConfigFile(path, files, uid === undefined ? {} : { owners: [uid, 0] })
  return file && { name: path, ...file, inForce: [{ path, rule: 'home directory' }], isNamed: false }
}

/** Returns the project whose own memory a database is, by whatever way it was named: its settings act on that alone. */
export function projectOf({ path, rule }: Project['database'], world: World, standing: Standing | undefined) {
  const elfmem = dirname(path)
  if (basename(path) !== PROJECT_DATABASE || basename(elfmem) !== '.elfmem') return undefined
  return { elfmem, standing: (rule === 'project directory' && standing) || standingOf(elfmem, world) }
}

/** The settings of a project's own file that it may set. A file with an impossible value is ignored, and stops nobody. */
export async function projectConfig(
  { elfmem, standing }: NonNullable<ReturnType<typeof projectOf>>,
  { files, uid }: World,
): Promise<FileLayer | undefined> {
  const path = join(elfmem, 'config.yaml')
  const ignored = (why: string) => ({
    name: path,
    values: {},
    inForce: [],
    warnings: [`${path} is ignored: ${why}.`],
  })
  if (standing.state !== 'trusted') return files.exists(path) ? ignored(standing.reason) : undefined
  let file: ConfigFile | undefined
  try {
    file = await readConfigFile(path, files, {
      noLink: true,
      ...(uid === undefined ? {} : { owners: [uid] }),
    })
  } catch (error) {
    const reason = ElfmemError.is(error) ? factOf(error, 'reason') : undefined
    if (typeof reason !== 'string') throw error
    return ignored(`it ${reason}`)
  }
  if (file === undefined) return undefined
  const { values, refused } = allowedOf(file.values)
  const warnings = [
    ...file.warnings,
    ...(refused.length > 0 ? [`${path}: a project may not set ${refused.join(', ')}; ignored.`] : []),
  ]
  const wrong = (settingsSchema.safeParse(values).error?.issues ?? []).map(({ path: at }) =>
    at.map((key) => snakeCase(String(key))).join('.'),
  )
  if (wrong.length > 0) {
    const { warnings: told, ...layer } = ignored(`${wrong.join(', ')} cannot be what it says`)
    return { ...layer, warnings: [...warnings, ...told] }
  }
  return { name: path, values, warnings, inForce: [{ path, rule: 'project directory' }] }
}

/** Merges the settings of the layers; the first layer counts before the others. */
export function merged(layers: readonly SettingsLayer[]): RawSettings {
  return layers.reduceRight<RawSettings>(
    (base, { values }) => (isEmpty(values) ? base : isEmpty(base) ? values : mergeSettings(base, values)),
    {},
  )
}

const isEmpty = (values: RawSettings) => Object.keys(values).length === 0

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

/** Brackets or marks of lists that open so many levels in a row. */
const DEEP = /(?:[[{][^[\]{}]*){33}|(?:[-?] ){33}/

/** Reads a config file in YAML, which JSON is, too; undefined when there is none. */
async function readConfigFile(
  path: string,
  files: Pick<ProjectFiles, 'read'>,
  rules: ReadRules = {},
): Promise<ConfigFile | undefined> {
  const text = files.read(path, rules)
  if (text === undefined) return undefined
  // Before it is parsed: the parser of YAML calls itself for each level.
  if (DEEP.test(text)) throw invalid(path, `it nests deeper than ${NESTING_MAX} levels`)
  const { document, oddities } = await parse(path, text)
  if (document === undefined || document === null) return { values: {}, warnings: [] }
  if (!isRecord(document))
    throw invalid(path, 'the file must hold sections of settings, not a single value or a list')
  // An alias of YAML may stand within itself and never end.
  if (isNestedDeeper(document)) throw invalid(path, `it nests deeper than ${NESTING_MAX} levels`)
  const schema = settingsFileSchema()
  const warnings = oddities.map((oddity) => `${path}: ${oddity}.`)
  const known = withoutUnknown(withoutNulls(document), schema, (key, hint) =>
    warnings.push(`${path}: ${key} is no setting and is ignored${hint}`),
  )
  return { values: respell(known, schema, inCode) as RawSettings, warnings }
}

/** A frame's name has the same spelling everywhere. */
function inCode(name: string): string {
  return (FRAME_NAMES as readonly string[]).includes(name) ? name : camelCase(name)
}

/** The document, and YAML's warnings about what it found odd but understood. */
async function parse(path: string, text: string) {
  try {
    const { parseDocument } = await import('yaml')
    // Left to itself it writes its warnings, and with them lines of the file, to the terminal as they are.
    const yaml = parseDocument(text, { prettyErrors: true, logLevel: 'error' })
    if (yaml.errors[0] !== undefined) throw yaml.errors[0]
    const oddities = yaml.warnings.map(({ message }) => firstLine(message))
    return { document: yaml.toJS() as unknown, oddities }
  } catch (cause) {
    throw invalid(path, firstLine((cause as Error).message), cause)
  }
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/:$/, '') || 'it cannot be parsed'
}

function invalid(path: string, reason: string, cause?: unknown): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${path}: ${reason}`, {
    recovery: 'Correct the file, or move it away and run `elfmem init` for a fresh one.',
    details: { file: path },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** A section or key without a value counts as absent. */
function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(record).filter(([, value]) => value !== null)
  return Object.fromEntries(kept.map(([key, value]) => [key, isRecord(value) ? withoutNulls(value) : value]))
}

/** Returns the values without unknown keys, and reports each of these: none may come in under another spelling. */
function withoutUnknown(
  record: Record<string, unknown>,
  { properties }: JsonSchema,
  told: (key: string, hint: string) => void,
  at = '',
): Record<string, unknown> {
  if (!properties) return record
  const kept = Object.entries(record).flatMap(([key, value]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (known) return [[key, isRecord(value) ? withoutUnknown(value, known, told, `${at}${key}.`) : value]]
    told(`${at}${key}`, hintFor(key, properties, at))
    return []
  })
  return Object.fromEntries(kept)
}

function hintFor(key: string, properties: Readonly<Record<string, JsonSchema>>, at: string): string {
  const similar = nearest(key, Object.keys(properties))
  return similar === undefined ? '.' : `; did you mean ${at}${similar}?`
}
