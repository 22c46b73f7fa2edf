import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../../adapters/project/environment.ts'

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

/** The folder of settings of programs that use the same one on every system but Windows. */
function configFolder({ home, env }: Ground): string {
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

/** The folder in which programs keep their settings: by the rules of the system. */
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
export function pathOn(ground: Ground, path: ClientPath): string | undefined {
  const end = path.indexOf('}')
  const folder = ROOTS[path.slice(1, end) as keyof typeof ROOTS](ground)
  return folder === undefined ? undefined : join(folder, path.slice(end + 1))
}

/** The first of several paths where something is, else the last. */
export function firstThere(
  ground: Ground,
  paths: ClientPath | readonly ClientPath[] = [],
): string | undefined {
  const all = [paths].flat().map((path) => pathOn(ground, path as ClientPath))
  return all.find((path) => path !== undefined && existsSync(path)) ?? all.at(-1)
}
