import { type SettingLeaf, settingLeaves } from '../../src/adapters/project/settings-schema.ts'
import { snakeCase } from '../../src/adapters/project/spelling.ts'
import { settingsSchema } from '../../src/engine/settings.ts'
import { markdownTable, rangeOf, typeOf } from './schema.ts'

const INTRODUCTION = `# Configuration

Nothing needs to be configured. Settings are in a file, and each key can also be an environment variable. \`elfmem config\`
shows what is in force and which rule chose it. \`elfmem config --all\` lists every setting.

**Which value:** each key is looked up by itself, and the first source that has it counts:

1. the argument of the call (a flag, \`config\` of \`openMemory\`)
2. the environment variable
3. the project's file
4. your own file
5. the default

In a variable, lists are separated by commas, and an object is JSON. elfmem reports an unknown key or variable, and refuses an
impossible value.

**Your own file:** \`~/.elfmem/config.yaml\`. A link is followed if its target is yours or root's.

**A project's file:** \`.elfmem/config.yaml\` of a project that you trust. It may set what the column *project* marks.
Everything else in it is ignored and reported, and so is a file with an impossible value. It acts on the project's own memory
alone. It must be a regular file of at most 128 kB, of your own, and no link.

**A named file:** \`--config\`, else \`ELFMEM_CONFIG\`. It takes the place of the project's and of your own file, and may
set everything. It is YAML or JSON.

**Which database:** \`--db\`, else \`ELFMEM_DB\`, else \`project.db\` of a variable or a named file, else
\`.elfmem/memory.db\` of a project that you trust, else \`project.db\` of your own file, else \`~/.elfmem/agent.db\`. The
path alone identifies a memory, never a name. A command that only reads makes no database. It answers as an empty memory does,
and says that there is none yet.

**Which project:** the nearest directory upwards with an \`.elfmem\` of yours, else the nearest with \`.git\`,
\`package.json\`, \`pyproject.toml\`, \`Cargo.toml\` or \`go.mod\`; never the home directory. An \`.elfmem\` of another user
is skipped and reported.

**Which projects are trusted:** those that \`elfmem init\` made and those you named with \`elfmem trust [path]\`;
\`--list\` shows them, \`--remove\` takes one back. They are kept in \`~/.elfmem/trusted\`, by the path of the
project's \`.elfmem\` folder, the hash of its \`config.yaml\` and the id of its memory. A changed config is not trusted until \`elfmem trust\` is run again, which says what the config sets; another database is refused. While a project is not trusted, your own memory is used, and \`status\`, the first answer and
standard error say so. What you name by hand (\`--db\`, \`--config\`, their variables, a path given to \`openMemory\`)
needs no trust.

**No \`.env\` is read.** Export its variables, or, if every line of the file is yours, name it:
\`elfmem --env-file .env recall …\`. Node itself obeys all of such a file, also lines that are not elfmem's, such as
\`NODE_OPTIONS\`. Bun reads such files by itself. Under Bun, a variable of elfmem that a \`.env\` file of the working
directory or above names is ignored and reported.

**Which scope:** the option \`scope\` of \`openMemory\` or \`elfmem serve --scope\`, else \`ELFMEM_SCOPE\`, else
\`project.scope\` of a config, else none: the memory sees the whole database. In a memory bound to a scope no argument
reaches another one.

**Which key goes where:** the environment variable that \`api_key_env\` names is sent to the address in \`base_url\`. A
project's file can name neither. \`openMemory\` with a path reads no settings but those of the call.

This page is generated from \`src/engine/settings.ts\`; change a setting there and run \`npm run docs\`.`

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
    const value = path.reduce<unknown>((group, key) => Object(group)[key], defaults)
    const fallback = typeof value === 'string' ? value : JSON.stringify(value)
    return [
      `\`${snakeCase(path.at(-1) ?? '')}\``,
      fallback === undefined ? '–' : `\`${fallback}\``,
      schema.unit ?? typeOf(schema),
      schema.enum ? typeOf(schema) : rangeOf(schema),
      schema.project ? 'yes' : '',
      schema.description ?? '',
      `\`${env}\``,
    ]
  })
  return markdownTable(
    ['key', 'default', 'unit', 'range', 'project', 'why, or what for', 'variable'],
    rows,
  ).join('\n')
}
