import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { type Settings, settingsSchema } from '../../engine/settings.ts'
import { ElfmemError, factOf } from '../../errors.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { fileVariable } from './environment.ts'
import { type ConfigInForce, expand, missingFile, type Project, type World } from './project.ts'
import { mergeSettings, type RawSettings } from './settings-schema.ts'
import { allowedOf, partsOf, rightOf, valueAt } from './trust/allowed-settings.ts'
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

/**
 * The user's own file: `~/.elfmem/config.yaml`, else the one in the platform's folder of configurations; never both.
 * Links are followed if what they lead to belongs to the user or to root.
 */
async function usersConfig(world: World): Promise<OwnConfig | undefined> {
  const { files, uid } = world
  const places = [join(world.home, '.elfmem', 'config.yaml'), platformPlace(world)]
  const [path, second] = places.filter((each) => each !== undefined).filter((each) => files.exists(each))
  if (path === undefined) return undefined
  const file = await readConfigFile(path, files, uid === undefined ? {} : { owners: [uid, 0] })
  if (file === undefined) return undefined
  const twice = second === undefined ? [] : [`${second} is not read, because ${path} is there.`]
  const inForce = [{ path, rule: 'home directory' as const }]
  return { name: path, values: file.values, warnings: [...twice, ...file.warnings], inForce, isNamed: false }
}

function platformPlace({ home, env, platform = process.platform }: World): string | undefined {
  switch (platform) {
    case 'win32':
      return env.APPDATA ? join(env.APPDATA, 'elfmem', 'config.yaml') : undefined
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'elfmem', 'config.yaml')
    default: {
      const { XDG_CONFIG_HOME: given } = env
      const folder = given && isAbsolute(given) ? given : join(home, '.config')
      return join(folder, 'elfmem', 'config.yaml')
    }
  }
}

/** Returns the project whose own memory a database is, by whatever way it was named: its settings act on that alone. */
export function projectOf({ path, rule }: Project['database'], world: World, standing: Standing | undefined) {
  const elfmem = dirname(path)
  if (basename(path) !== PROJECT_DATABASE || basename(elfmem) !== '.elfmem') return undefined
  return { elfmem, standing: (rule === 'project directory' && standing) || standingOf(elfmem, world) }
}

/** The settings of a project's own file that it may set. */
export async function projectConfig(
  { elfmem, standing }: NonNullable<ReturnType<typeof projectOf>>,
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
    const reason = ElfmemError.is(error) ? factOf(error, 'reason') : undefined
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
  const sources = partsOf(path).map((at) => layers.find(({ values }) => valueAt(values, at) !== undefined))
  return sources.find((source) => source !== undefined)?.name
}
