import { basename, dirname, join, resolve } from 'node:path'
import { type Settings, settingsSchema } from '../../config/settings.ts'
import { ElfmemError } from '../../errors.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { fileVariable } from './environment.ts'
import { type ConfigInForce, expand, missingFile, type Project, type World } from './project.ts'
import { mergeSettings, type RawSettings } from './settings-schema.ts'
import { allowedOf, valueAt } from './trust/allowed-settings.ts'
import type { SettingsLayer } from './trust/key-sources.ts'
import { rightOf } from './trust/right-settings.ts'
import { PROJECT_DATABASE, type Standing, standingOf } from './trust/standing.ts'
import { readUserConfig } from './user-config.ts'

/** A layer of settings from a file. */
export interface FileLayer extends SettingsLayer {
  readonly inForce: readonly ConfigInForce[]
  readonly warnings: readonly string[]
}

export interface OwnConfig extends FileLayer {
  /** True if a flag or a variable names it. */
  readonly isNamed: boolean
}

/** The file a flag or a variable names, else the user's own; undefined when there is none. */
export async function ownConfig(world: World): Promise<OwnConfig | undefined> {
  const { cwd, home, env, files, flags } = world
  const named = flags.config ?? fileVariable(env, 'ELFMEM_CONFIG')
  if (named === undefined) {
    const user = await readUserConfig(world)
    if (user === undefined) return undefined
    const { path, file, warnings } = user
    const inForce = [{ path, rule: 'home directory' as const }]
    return {
      name: path,
      values: file.values,
      warnings: [...warnings, ...file.warnings],
      inForce,
      isNamed: false,
    }
  }
  const path = resolve(cwd, expand(named, home))
  const rule = flags.config === undefined ? 'ELFMEM_CONFIG' : '--config'
  const file = await readConfigFile(path, files)
  if (file === undefined)
    throw missingFile(path, rule, `Create it with \`elfmem init\`, or leave ${rule} out.`)
  return {
    name: path,
    values: file.values,
    warnings: file.warnings,
    inForce: [{ path, rule }],
    isNamed: true,
  }
}

/** The trusted project a database belongs to, or why the config beside it does not count. */
export interface OwnProject {
  readonly elfmem: string
  readonly standing: Standing
}

/** The project a database is the own memory of, whoever named it: its settings act on that alone. */
export function projectOf({ path, rule }: Project['database'], world: World, standing: Standing | undefined) {
  const elfmem = dirname(path)
  if (basename(path) !== PROJECT_DATABASE || basename(elfmem) !== '.elfmem') return undefined
  return { elfmem, standing: (rule === 'project directory' && standing) || standingOf(elfmem, world) }
}

/** What a project's own file sets of what it may set. */
export async function projectConfig(
  { elfmem, standing }: OwnProject,
  { files, uid }: World,
  others: readonly SettingsLayer[],
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
    const reason = ElfmemError.is(error) ? error.details.reason : undefined
    if (typeof reason !== 'string') throw error
    return ignored(`it ${reason}`)
  }
  if (file === undefined) return undefined
  let without: Settings | undefined
  const otherwise = (at: readonly string[]) => {
    without ??= settingsSchema.safeParse(merged(others)).data
    return valueAt(without, at)
  }
  const { refused, raised, ...allowed } = allowedOf(file.values, otherwise)
  const { values, wrong } = isEmpty(allowed.values)
    ? { ...allowed, wrong: [] }
    : rightOf(allowed.values, (given) => merged([{ name: path, values: given }, ...others]))
  const warnings = [
    ...file.warnings,
    ...(refused.length > 0 ? [`${path}: a project may not set ${refused.join(', ')}; ignored.`] : []),
    ...(raised.length > 0 ? [`${path}: a project may only lower ${raised.join(', ')}; ignored.`] : []),
    ...(wrong.length > 0
      ? [`${path}: ${wrong.join(', ')} cannot be what it says (docs/configuration.md); ignored.`]
      : []),
  ]
  return { name: path, values, warnings, inForce: [{ path, rule: 'project directory' }] }
}

/** All settings that the layers give; the first layer counts before the others. */
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
    if (source) return source.name
  }
  return undefined
}
