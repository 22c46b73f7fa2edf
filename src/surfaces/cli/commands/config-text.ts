import { type SettingLeaf, settingLeaves } from '../../../adapters/project/settings-schema.ts'
import { snakeCase } from '../../../adapters/project/spelling.ts'
import { settingsSchema } from '../../../engine/settings.ts'
import { valueAt } from './config.ts'

interface GivenNames {
  readonly name: string
  readonly agentName: string | undefined
  /** True: of a project, with the settings that a project may set. */
  readonly ofProject: boolean
}

/** Returns a config file with every setting as a comment with its default; only what was asked for is set. */
export async function configText({ name, agentName, ofProject }: GivenNames): Promise<string> {
  const { stringify } = await import('yaml')
  const given: Readonly<Record<string, string | undefined>> = {
    'project.name': ofProject ? name : undefined,
    'project.agentName': agentName || undefined,
  }
  const defaults = settingsSchema.parse({})
  const lines = [
    '# Settings of this memory. Remove a # to change one; elfmem config shows what is in force.',
    ...(ofProject
      ? ['# A project can set these alone; all others are in your own ~/.elfmem/config.yaml.']
      : []),
  ]
  let groups: readonly string[] = []
  for (const leaf of settingLeaves().filter(({ schema }) => !ofProject || schema.project !== undefined)) {
    const path = leaf.path.slice(0, -1)
    lines.push(...headings(groups, path))
    groups = path
    const value = given[leaf.path.join('.')]
    const indent = '  '.repeat(path.length)
    const key = snakeCase(leaf.path.at(-1) ?? '')
    if (value !== undefined)
      lines.push(
        stringify({ [key]: value })
          .trimEnd()
          .replace(/^/gm, indent),
      )
    else lines.push(`${indent}# ${key}: ${fallbackOf(leaf, valueAt(defaults, leaf.path))}`)
  }
  return `${lines.join('\n')}\n`
}

function headings(before: readonly string[], path: readonly string[]): string[] {
  const shared = path.findIndex((key, at) => before[at] !== key)
  if (shared < 0) return []
  return path.slice(shared).map((key, at) => {
    const depth = shared + at
    return `${depth === 0 ? '\n' : ''}${'  '.repeat(depth)}${snakeCase(key)}:`
  })
}

function fallbackOf({ schema }: SettingLeaf, value: string): string {
  const facts = [schema.unit, schema.description].filter(Boolean).join(': ')
  return `${value === 'unset' ? '' : value}  ${facts && `# ${facts}`}`.trimEnd()
}
