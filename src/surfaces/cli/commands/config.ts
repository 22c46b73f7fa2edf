import type { Project } from '../../../adapters/project/project.ts'
import {
  type SettingInForce,
  settingsInForce,
  withoutCredentials,
} from '../../../adapters/project/settings/settings-in-force.ts'
import { settingsJsonSchema } from '../../../adapters/project/settings-schema.ts'
import { respell, snakeCase } from '../../../adapters/project/spelling.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { jsonText } from '../screen/output.ts'
import { type Style, styleFor } from '../screen/style.ts'
import { serviceOf } from '../service.ts'

/** A shown project has the address of the service that operations use in its place. */
type Shown = Project & { readonly url?: unknown }

/** Prints the settings in force and what set each. */
export async function runConfig({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const url = withoutCredentials(serviceOf(global, io)?.url)
  const project = { ...(await resolveCliProject({ ...global, quiet: global.quiet || global.json }, io)), url }
  const all = settingsInForce(project.settings, project.sourceOf)
  if (global.json) {
    const listed = values.all === true ? { list: all.map(snakeKeys) } : {}
    io.stdout.write(`${jsonText({ ...asData(project), url, ...listed })}\n`)
    return EXIT_OK
  }
  const rows = all.filter(({ value, isDefault }) => (values.all ? value !== undefined : !isDefault))
  io.stdout.write(`${pageOf(project, rows, styleFor(io.stdout, io))}\n`)
  return EXIT_OK
}

function asData({ database, configs, root, settings, warnings, notice }: Project) {
  const spelled = respell(settings, settingsJsonSchema(), snakeCase)
  return {
    database: { path: database.path, rule: database.rule },
    configs,
    ...(root === undefined ? {} : { root }),
    settings: JSON.parse(JSON.stringify(spelled, (_, value) => withoutCredentials(value))),
    warnings,
    ...(notice === undefined ? {} : { notice }),
  }
}

function pageOf({ database, configs, root, url }: Shown, rows: SettingInForce[], style: Style): string {
  const facts = [
    ...(url === undefined ? [] : [['service', String(url), 'ELFMEM_URL, for operations'] as const]),
    ['database', database.path, database.rule],
    ...(configs.length === 0 ? [['config', 'none', 'defaults'] as const] : []),
    ...configs.map(({ path, rule }) => ['config', path, rule] as const),
    [
      'project',
      root ?? 'none',
      root === undefined ? 'no .elfmem or project file upwards of here' : 'nearest upwards',
    ],
  ] as const
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
    ...rows.map(({ name, value, unit, isDefault, source }) => {
      const said = harmlessLine(textOf(value))
      const from = source === undefined ? '' : `  (${harmlessLine(source)})`
      return `${style.name(name.padEnd(width))}  ${isDefault ? said : style.bold(said)}  ${style.dim(`${unit}${from}`)}`
    }),
  ].join('\n')
}

function snakeKeys(setting: SettingInForce): object {
  return Object.fromEntries(Object.entries(setting).map(([key, value]) => [snakeCase(key), value]))
}

/** Returns a setting as text; `unset` when it has no value. */
function textOf(value: unknown): string {
  if (value === undefined) return 'unset'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
