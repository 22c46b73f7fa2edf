import { join } from 'node:path'
import { attempt } from '../../errors.ts'
import { upwards } from './discover.ts'
import type { Environment } from './environment.ts'
import type { ProjectFiles } from './files.ts'

/** The names Bun loads by itself. */
const BUN_FILES = [
  '',
  '.local',
  ...['development', 'production', 'test'].flatMap((m) => [`.${m}`, `.${m}.local`]),
]

/** Variables that choose settings or the folder they are read from. */
const STEERING = /^(?:ELFMEM_\w*|XDG_CONFIG_HOME|APPDATA)$/

/** A line of a `.env` file that sets a variable. */
interface DotEnvLine {
  readonly name: string
  /** The value as it is written, without the white space around it and one pair of quotes. */
  readonly value: string
  /** True if every reader of such files takes the value as it stands: no quotes, escapes, comments or references. */
  readonly isPlain: boolean
}

/** The lines of a `.env` file that set one of our variables. No value is ever used; only names and sameness count. */
function parseDotEnv(text: string): readonly DotEnvLine[] {
  return text.split(/[\r\n]/).flatMap((line) => {
    const [, name = '', raw = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*[=:](.*)$/.exec(line) ?? []
    if (!STEERING.test(name)) return []
    const value = unquoted(raw.trim())
    return [{ name, value, isPlain: /^[\w./:@%+,~-]*$/.test(value) }]
  })
}

function unquoted(value: string): string {
  const [first, last] = [value[0], value.at(-1)]
  return value.length >= 2 && first === last && (first === '"' || first === "'") ? value.slice(1, -1) : value
}

/** Returns one sentence when a `.env` beside the project sets variables of ours that the environment does not have. */
export function unreadDotEnv(root: string, env: Environment, files: ProjectFiles): string[] {
  const path = join(root, '.env')
  const lines = linesOf(path, files) ?? []
  const names = new Set(
    lines.map(({ name }) => name).filter((name) => name.startsWith('ELFMEM_') && !env[name]),
  )
  if (names.size === 0) return []
  return [
    `${path} sets ${[...names].slice(0, 5).join(', ')}${names.size > 5 ? ', …' : ''}: a .env file is no longer read; export the variables, or use --env-file if every line is yours: Node obeys all of that file.`,
  ]
}

/** The environment without what Bun put there from files that somebody else may have made. */
export function withoutBunFiles(
  env: Environment,
  cwd: string,
  files: ProjectFiles,
): { readonly env: Environment; readonly warnings: readonly string[] } {
  const found = bunFiles(cwd).map((path) => ({ path, lines: linesOf(path, files) }))
  const kept: Record<string, string | undefined> = { ...env }
  const warnings = found.flatMap(({ path, lines }) => {
    // A reader of such files may have made anything of a value that is not plain, and of a file that cannot be read.
    const mayHaveSet = (name: string) =>
      lines?.some((line) => line.name === name && (!line.isPlain || line.value === kept[name])) ?? true
    const names = Object.keys(kept).filter(
      (name) => kept[name] !== undefined && STEERING.test(name) && mayHaveSet(name),
    )
    for (const name of names) delete kept[name]
    if (names.length === 0) return []
    return [
      `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ignored: Bun may have read it from ${path}.`,
    ]
  })
  return { env: kept, warnings }
}

function bunFiles(cwd: string): string[] {
  return [...upwards(cwd)].flatMap((directory) => BUN_FILES.map((ending) => join(directory, `.env${ending}`)))
}

/** Undefined for one that is no regular file of at most 1 MB; no lines where there is none. */
function linesOf(path: string, files: ProjectFiles): readonly DotEnvLine[] | undefined {
  // A folder of that name is a virtual environment of Python.
  if (files.facts(path, 'follow')?.kind === 'folder') return []
  return attempt(() => parseDotEnv(files.read(path) ?? ''))
}
