import { type SettingLeaf, settingLeaves } from '../../src/adapters/project/settings-schema.ts'
import { snakeCase } from '../../src/adapters/project/spelling.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { valueAt } from '../../src/surfaces/cli/commands/config.ts'
import { markdownTable, meaningOf, rangeOf, typeOf } from './schema.ts'

const INTRODUCTION = `# Configuration

Nothing needs to be configured. What can be lies in one file, each key of which can also be an environment variable.
\`elfmem config\` shows what is in force and which rule chose it; \`elfmem init\` writes a file in which every setting
stands as a comment with its default.

**Which file:** \`--config\`, else \`ELFMEM_CONFIG\`, else \`.elfmem/config.yaml\` of the project, else
\`~/.elfmem/config.yaml\`, else none. JSON when its name ends in \`.json\`, otherwise YAML. A key that means nothing is
reported, a value that cannot be is refused.

**Which database:** \`--db\`, else \`ELFMEM_DB\`, else \`project.db\` of the config, else \`.elfmem/memory.db\` of the
project, else \`~/.elfmem/agent.db\`. The path alone tells memories apart, never a name.

**Which scope:** the option \`scope\` of \`openMemory\` or \`elfmem serve --scope\`, else \`ELFMEM_SCOPE\`, else
\`project.scope\` of the config, else none: the memory sees the whole database. In a memory bound to a scope no argument
reaches another one.

**Which project:** the nearest directory upwards with an \`.elfmem\`, else the nearest with \`.git\`, \`package.json\`,
\`pyproject.toml\`, \`Cargo.toml\` or \`go.mod\`; never the home directory. Its \`.env\` fills in what the environment
leaves out.

**Which value:** the environment variable, else the file, else the default. Lists are separated by commas in a
variable; an object is JSON.

This page is generated from \`src/config/\`; change a setting there and run \`npm run docs\`.`

/** docs/configuration.md for the settings. */
export function renderConfiguration(): string {
  const groups = new Map<string, SettingLeaf[]>()
  for (const leaf of settingLeaves()) {
    const group = leaf.path.slice(0, -1).map(snakeCase).join('.')
    groups.set(group, [...(groups.get(group) ?? []), leaf])
  }
  const sections = [...groups].map(([group, leaves]) => `## ${group}\n\n${tableOf(leaves)}`)
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}

function tableOf(leaves: readonly SettingLeaf[]): string {
  const defaults = settingsSchema.parse({})
  const rows = leaves.map(({ path, env, schema }) => {
    const fallback = valueAt(defaults, path)
    return [
      `\`${snakeCase(path.at(-1) ?? '')}\``,
      fallback === 'unset' ? '–' : `\`${fallback}\``,
      schema.unit ?? typeOf(schema),
      schema.enum ? typeOf(schema) : rangeOf(schema),
      meaningOf(schema.formerly ? { ...schema, formerly: snakeCase(schema.formerly) } : schema),
      `\`${env}\``,
    ]
  })
  return markdownTable(['key', 'default', 'unit', 'range', 'why, or what for', 'variable'], rows).join('\n')
}
