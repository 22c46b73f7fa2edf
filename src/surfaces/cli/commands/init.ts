import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { discoverRoot } from '../../../adapters/project/discover.ts'
import { systemFiles } from '../../../adapters/project/files.ts'
import { type SettingLeaf, settingLeaves } from '../../../adapters/project/settings-schema.ts'
import { snakeCase } from '../../../adapters/project/spelling.ts'
import { settingsSchema } from '../../../config/settings.ts'
import { harmless } from '../../../operations/wording.ts'
import { parseFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { jsonText } from '../output.ts'
import { styleFor } from '../style.ts'
import { valueAt } from './config.ts'

const GITIGNORE = '*.db\n*.db-shm\n*.db-wal\n*.bak*\n'

/** Makes `.elfmem` with a commented config and prints how to connect an MCP client. */
export async function runInit(argv: readonly string[], io: CliIo): Promise<number> {
  const { global, values } = parseFlags(argv, {
    global: { type: 'boolean' },
    here: { type: 'boolean' },
    'agent-name': { type: 'string' },
  })
  const root = values.global
    ? io.home
    : ((values.here ? undefined : discoverRoot(io.cwd, io.home, systemFiles)) ?? io.cwd)
  // The home directory is never a project: what lies there is the memory of every directory that has none.
  const ofHome = root === io.home
  const directory = join(root, '.elfmem')
  const agentName = typeof values['agent-name'] === 'string' ? values['agent-name'] : undefined
  const config = await configText({
    ...(ofHome ? {} : { name: basename(root) }),
    ...(agentName ? { agentName } : {}),
  })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const files = [
    ['config.yaml', config],
    ['.gitignore', GITIGNORE],
  ].map(([name = '', text = '']) => ({
    path: join(directory, name),
    written: writeIfAbsent(join(directory, name), text),
  }))
  const database = join(directory, ofHome ? 'agent.db' : 'memory.db')
  const snippet = mcpSnippet(ofHome ? undefined : database)
  if (global.json) io.stdout.write(`${jsonText({ directory, database, files, mcp: snippet })}\n`)
  else io.stdout.write(`${report({ directory, database, files, snippet }, io)}\n`)
  return EXIT_OK
}

/** Whatever is there stays as it is. */
function writeIfAbsent(path: string, text: string): boolean {
  if (existsSync(path)) return false
  writeFileSync(path, text, { flag: 'wx' })
  return true
}

function mcpSnippet(database: string | undefined) {
  const args = ['-y', 'elfmem', 'serve', ...(database === undefined ? [] : ['--db', database])]
  return { mcpServers: { elfmem: { command: 'npx', args } } }
}

interface Initialised {
  readonly directory: string
  readonly database: string
  readonly files: readonly { readonly path: string; readonly written: boolean }[]
  readonly snippet: object
}

function report({ directory, database, files, snippet }: Initialised, io: CliIo): string {
  const style = styleFor(io.stdout, io)
  return [
    ...files.map(
      ({ path, written }) => `${written ? style.good('wrote') : style.dim('kept ')} ${harmless(path)}`,
    ),
    '',
    `The memory of ${harmless(directory)} will be ${style.bold(harmless(database))}.`,
    'For an MCP client:',
    jsonText(snippet),
    style.dim('A client that starts its servers in this directory needs no --db.'),
    '',
    `Next: ${style.name('elfmem setup --seed')}, then ${style.name("elfmem remember 'something worth keeping'")}.`,
  ].join('\n')
}

interface GivenNames {
  readonly name?: string
  readonly agentName?: string
}

/** Every setting as a comment with its default; only what was asked for is set. */
export async function configText({ name, agentName }: GivenNames): Promise<string> {
  const { stringify } = await import('yaml')
  const given: Readonly<Record<string, string | undefined>> = {
    'project.name': name,
    'project.agentName': agentName,
  }
  const defaults = settingsSchema.parse({})
  const lines = ['# Settings of this memory. Remove a # to change one; elfmem config shows what is in force.']
  let groups: readonly string[] = []
  for (const leaf of settingLeaves()) {
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
