import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../../adapters/project/environment.ts'
import { ElfmemError, ownFile } from '../../../errors.ts'
import type { Entry } from './config-file.ts'

/** The machine a client is configured on. */
export interface Ground {
  readonly home: string
  readonly env: Environment
  /** `process.platform` */
  readonly platform: string
  /** The folder of the project; absent where there is none. */
  readonly project?: string
}

/** The reach of a configuration: one project, or everything that the user does. */
export type Place = 'project' | 'user'

/** Returns the folder of settings that some programs use on every system but Windows. */
const configFolder = ({ home, env }: Ground) => env.XDG_CONFIG_HOME || join(home, '.config')

/** Returns the folder in which programs keep their settings by the rules of the system. */
function settingsFolder(ground: Ground): string {
  const { home, env, platform } = ground
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  return configFolder(ground)
}

/** The folders that paths of clients begin with; undefined where there is none. */
const ROOTS = {
  home: ({ home }: Ground) => home,
  project: ({ project }: Ground) => project,
  settings: settingsFolder,
  config: configFolder,
  claude: ({ home, env }: Ground) => env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
  /** Returns the folder in which Claude Code has `.claude.json`. */
  besideClaude: ({ home, env }: Ground) => env.CLAUDE_CONFIG_DIR || home,
  codex: ({ home, env }: Ground) => env.CODEX_HOME || join(home, '.codex'),
  zed: (ground: Ground) =>
    ground.platform === 'win32' ? join(settingsFolder(ground), 'Zed') : join(configFolder(ground), 'zed'),
}

/** A path of a client, such as `{project}/.mcp.json`. */
export type ClientPath = `{${keyof typeof ROOTS}}${string}`

/** Returns a path as it is on a machine; undefined if it has no such folder. */
function pathOn(ground: Ground, path: ClientPath): string | undefined {
  const end = path.indexOf('}')
  const folder = ROOTS[path.slice(1, end) as keyof typeof ROOTS](ground)
  return folder === undefined ? undefined : join(folder, path.slice(end + 1))
}

/** Returns the first of several paths where something is, else the last. */
export function firstThere(
  ground: Ground,
  paths: ClientPath | readonly ClientPath[] = [],
): string | undefined {
  const all = [paths].flat().map((path) => pathOn(ground, path as ClientPath))
  return all.find((path) => path !== undefined && existsSync(path)) ?? all.at(-1)
}

/** The command by which a client starts the server. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

type InPlaces<T> = Readonly<Partial<Record<Place, T>>>

/** The hooks of a client. */
interface Hooks {
  readonly files: InPlaces<ClientPath>
  /** The entries that are to stand in the file, by the command that runs a hook. */
  entries(command: string): readonly Entry[]
  /** True if they are commands, which find the server by a socket. */
  readonly needSocket?: boolean
  /** One sentence to print when the hooks were put into the client's file. */
  readonly next?: string
}

/** A program that runs agents, and where and how it names the servers that it starts. */
export interface Client {
  readonly name: string
  /** The name of the client as its makers write it. */
  readonly title: string
  /** True if it starts a server in the folder of the project that it works in. */
  readonly startsInProject?: true
  /** Paths that are there if it is installed, or if a project is set up for it. */
  readonly signs: readonly ClientPath[]
  /** The files that name servers; of several the first that is there, else the last. */
  readonly server: InPlaces<ClientPath | readonly ClientPath[]>
  /** The key of the object of servers; `mcpServers` by default. */
  readonly key?: string
  /** Returns the value of a server in that object; the launch itself by default. */
  value?(launch: Launch): object
  /** The hooks of the client; absent if elfmem knows none. */
  readonly hooks?: Hooks
  /** A sentence that is printed when the client was set up. */
  readonly next?: string
}

/** Returns the file of a client that names servers in a place; undefined if there is none. */
export function serverFile({ server }: Client, place: Place, ground: Ground): string | undefined {
  return firstThere(ground, server[place])
}

/** Returns the entry of the server in the file of a client; to look for one, no launch is needed. */
export function serverEntry({ key = 'mcpServers', value }: Client, launch?: Launch): Entry {
  return { kind: 'member', at: [key, 'elfmem'], value: launch && value ? value(launch) : launch }
}

/** The plugin's own files of hooks, beside the code as it is packed. */
const FOLDER = '../../../../plugin/hooks/'
/** The name of the server in the plugin of Claude Code; in a file of the user or of a project it has none before it. */
const IN_PLUGIN = '"plugin:elfmem:elfmem"'

/** Returns the hooks that the plugin has, one entry for each event, for a server that is configured without the plugin. */
function hooksOfPlugin(file: 'hooks.json' | 'codex.json'): readonly Entry[] {
  const read = () => readFileSync(new URL(FOLDER + file, import.meta.url), 'utf8')
  const text = ownFile(`plugin/hooks/${file}`, read).replaceAll(IN_PLUGIN, '"elfmem"')
  const { hooks } = JSON.parse(text) as { readonly hooks: Readonly<Record<string, readonly unknown[]>> }
  return Object.entries(hooks).map(([event, groups]) => hooksOn(event, groups))
}

/** Events of Gemini CLI that elfmem has a use for, with the tools that they are about. */
const GEMINI_EVENTS = {
  SessionStart: {},
  BeforeAgent: {},
  AfterTool: { matcher: 'run_shell_command|write_file|replace|elfmem_remember' },
  AfterAgent: {},
} as const

/** Returns the hooks of Gemini CLI, which run a command; it waits a second for one at most, and elfmem answers sooner. */
function hooksOfGemini(command: string): readonly Entry[] {
  const hook = { type: 'command', name: 'elfmem', command: `${command} gemini`, timeout: 1_000 }
  return Object.entries(GEMINI_EVENTS).map(([event, matcher]) =>
    hooksOn(event, [{ ...matcher, hooks: [hook] }]),
  )
}

/** Returns the entry of the hooks of an event. */
function hooksOn(event: string, value: readonly unknown[]): Entry {
  return { kind: 'items', at: ['hooks', event], value }
}

const typed = (launch: Launch) => ({ type: 'stdio', ...launch })

/** The clients that can be set up, by name. */
export const CLIENTS: readonly Client[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    startsInProject: true,
    signs: ['{claude}', '{home}/.claude.json', '{project}/.mcp.json', '{project}/.claude'],
    server: { project: '{project}/.mcp.json', user: '{besideClaude}/.claude.json' },
    value: (launch) => ({ ...typed(launch), env: {} }),
    hooks: {
      files: { project: '{project}/.claude/settings.json', user: '{claude}/settings.json' },
      entries: () => hooksOfPlugin('hooks.json'),
    },
    next: 'Claude Code asks at its next start whether to use the server of a project.',
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    signs: ['{settings}/Claude'],
    server: { user: '{settings}/Claude/claude_desktop_config.json' },
    next: 'Quit Claude Desktop and start it again.',
  },
  {
    name: 'codex',
    title: 'Codex',
    startsInProject: true,
    signs: ['{codex}', '{project}/.codex'],
    server: { project: '{project}/.codex/config.toml', user: '{codex}/config.toml' },
    key: 'mcp_servers',
    hooks: {
      files: { project: '{project}/.codex/hooks.json', user: '{codex}/hooks.json' },
      entries: () => hooksOfPlugin('codex.json'),
      next: 'Open /hooks in Codex once and trust those of elfmem: until then it skips them without a word.',
    },
    next: 'Codex reads a file of a project only if it was told to trust the project.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    signs: ['{home}/.cursor', '{project}/.cursor'],
    server: { project: '{project}/.cursor/mcp.json', user: '{home}/.cursor/mcp.json' },
    next: 'Switch the server on in the settings of Cursor, under MCP.',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    startsInProject: true,
    signs: ['{home}/.gemini', '{project}/.gemini'],
    server: { project: '{project}/.gemini/settings.json', user: '{home}/.gemini/settings.json' },
    hooks: {
      files: { project: '{project}/.gemini/settings.json', user: '{home}/.gemini/settings.json' },
      entries: hooksOfGemini,
      needSocket: true,
    },
  },
  {
    name: 'opencode',
    title: 'opencode',
    startsInProject: true,
    signs: ['{config}/opencode', '{project}/opencode.json', '{project}/.opencode'],
    server: {
      project: ['{project}/opencode.jsonc', '{project}/opencode.json'],
      user: ['{config}/opencode/opencode.jsonc', '{config}/opencode/opencode.json'],
    },
    key: 'mcp',
    value: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  },
  {
    name: 'vscode',
    title: 'VS Code',
    signs: ['{settings}/Code', '{project}/.vscode'],
    server: { project: '{project}/.vscode/mcp.json', user: '{settings}/Code/User/mcp.json' },
    key: 'servers',
    value: typed,
    next: 'VS Code asks before it starts the server for the first time.',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    signs: ['{home}/.codeium/windsurf', '{project}/.windsurf'],
    server: { user: '{home}/.codeium/windsurf/mcp_config.json' },
  },
  {
    name: 'zed',
    title: 'Zed',
    startsInProject: true,
    signs: ['{zed}', '{project}/.zed'],
    server: { user: '{zed}/settings.json' },
    key: 'context_servers',
    value: (launch) => ({ ...launch, env: {} }),
  },
]

/** Returns the clients that left a sign on this machine or in this project. */
export function foundOn(ground: Ground): readonly Client[] {
  return CLIENTS.filter(({ signs }) => signs.some((sign) => existsSync(pathOn(ground, sign) ?? '')))
}

/**
 * Returns the clients of a flag. Each value has one name or several with commas between them.
 *
 * @returns undefined if all are meant
 * @throws `INVALID_INPUT` for a name that is none
 */
export function clientsNamed(given: unknown): readonly Client[] | undefined {
  const names = [given].flat().flatMap((each) => String(each).split(','))
  const wanted = names.map((name) => name.trim().toLowerCase())
  if (wanted.includes('all')) return undefined
  const known = CLIENTS.map(({ name }) => name)
  const wrong = wanted.find((name) => !known.includes(name))
  if (wrong === undefined) return CLIENTS.filter(({ name }) => wanted.includes(name))
  throw new ElfmemError('INVALID_INPUT', `There is no client "${wrong}".`, {
    recovery: `Name one of ${known.join(', ')}, or all.`,
  })
}
