import { join } from 'node:path'
import { systemFiles } from '../../../../adapters/project/files.ts'
import { attempt } from '../../../../errors.ts'
import { EDITORS, type Ground, type Launch } from '../client.ts'
import type { Entry } from '../edit/entry.ts'
import { readGuarded } from '../files/guarded-file.ts'

/** The name of the server in every client. */
const SERVER = 'elfmem'

/** A path in the folder of the project; undefined where there is none. */
export function inProject({ project }: Ground, ...parts: readonly string[]): string | undefined {
  return project === undefined ? undefined : join(project, ...parts)
}

/** The entry of a server in an object of servers. */
export function serverIn(key: string, value: object): Entry {
  return { kind: 'member', at: [key, SERVER], value }
}

/** The same under the key that most clients use. */
export function mcpServers(value: object): Entry {
  return serverIn('mcpServers', value)
}

/** A server as most clients name it. */
export function plainServer({ command, args }: Launch): Entry {
  return mcpServers({ command, args })
}

/** The folder in which programs keep their settings: by the rules of the system. */
export function settingsFolder({ home, env, platform }: Ground): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  return configFolder({ home, env })
}

/** The folder of settings of programs that use the same one on every system but Windows. */
export function configFolder({ home, env }: Pick<Ground, 'home' | 'env'>): string {
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

/** The value of a file at a path of keys; undefined if there is none or the file cannot be read. */
export function valueOfFile(path: string, format: 'json' | 'toml', at: readonly string[]): unknown {
  // Some clients keep their history in such a file.
  const text =
    attempt(() => systemFiles.read(path)) ??
    attempt(() => readGuarded(path, { uid: process.getuid?.() }).text)
  return attempt(() => EDITORS[format].valueAt(text ?? '', at))
}
