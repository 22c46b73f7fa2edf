import type { Project } from '../../../adapters/project/project.ts'
import { settingLeaves, settingsJsonSchema } from '../../../adapters/project/settings-schema.ts'
import { respell, snakeCase } from '../../../adapters/project/spelling.ts'
import { type Settings, settingsSchema } from '../../../config/settings.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { jsonText } from '../screen/output.ts'
import { type Style, styleFor } from '../screen/style.ts'

/** Prints what is in force and why. */
export async function runConfig({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const project = await resolveCliProject({ ...global, quiet: global.quiet || global.json }, io)
  if (global.json) {
    io.stdout.write(`${jsonText(asData(project))}\n`)
    return EXIT_OK
  }
  io.stdout.write(`${pageOf(project, values.all === true, styleFor(io.stdout, io))}\n`)
  return EXIT_OK
}

function asData({ database, config, configs, root, settings, warnings, notice }: Project) {
  return {
    database,
    config,
    configs,
    ...(root === undefined ? {} : { root }),
    settings: respell(settings, settingsJsonSchema(), snakeCase),
    warnings,
    ...(notice === undefined ? {} : { notice }),
  }
}

function pageOf({ database, configs, root, settings }: Project, all: boolean, style: Style): string {
  const facts = [
    ['database', database.path, database.rule],
    ...(configs.length === 0 ? [['config', 'none', 'defaults'] as const] : []),
    ...configs.map(({ path, rule }) => ['config', path, rule] as const),
    [
      'project',
      root ?? 'none',
      root === undefined ? 'no .elfmem or project file upwards of here' : 'nearest upwards',
    ],
  ] as const
  const rows = settingRows(settings, all)
  const width = Math.max(...rows.map(({ name }) => name.length), 0)
  return [
    ...facts.map(
      ([what, value, why]) =>
        `${style.bold(what.padEnd(9))} ${harmlessLine(value)}  ${style.dim(`(${why})`)}`,
    ),
    '',
    ...(rows.length === 0
      ? [style.dim('Every setting has its default; elfmem config --all lists them.')]
      : []),
    ...rows.map(
      ({ name, value, unit, isDefault }) =>
        `${style.name(name.padEnd(width))}  ${isDefault ? harmlessLine(value) : style.bold(harmlessLine(value))}  ${style.dim(unit)}`,
    ),
  ].join('\n')
}

function settingRows(settings: Settings, all: boolean) {
  const defaults = settingsSchema.parse({})
  return settingLeaves()
    .map(({ path, schema }) => {
      const [value, fallback] = [valueAt(settings, path), valueAt(defaults, path)]
      return {
        name: path.map(snakeCase).join('.'),
        value: harmlessLine(value),
        unit: schema.unit ?? '',
        isDefault: value === fallback,
      }
    })
    .filter(({ value, isDefault }) => (all ? value !== 'unset' : !isDefault))
}

/** A setting as text; `unset` when it has no value. */
export function valueAt(settings: Settings, path: readonly string[]): string {
  const value = path.reduce<unknown>(
    (group, key) => (group as Record<string, unknown> | undefined)?.[key],
    settings,
  )
  if (value === undefined) return 'unset'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
