import { isAbsolute, join } from 'node:path'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import type { Environment } from './environment.ts'
import type { ProjectFiles } from './files.ts'

export interface UserWorld {
  readonly home: string
  readonly env: Environment
  readonly files: ProjectFiles
  readonly uid?: number | undefined
  /** `process.platform` unless given. */
  readonly platform?: string | undefined
}

export interface UserConfig {
  readonly path: string
  readonly file: ConfigFile
  /** Says that a second file is not read. */
  readonly warnings: readonly string[]
}

/**
 * The user's own file: `~/.elfmem/config.yaml`, else the one in the platform's folder of configurations; never both.
 * Links are followed if what they lead to belongs to the user or to root.
 */
export async function readUserConfig(world: UserWorld): Promise<UserConfig | undefined> {
  const { files, uid } = world
  const places = [join(world.home, '.elfmem', 'config.yaml'), platformPlace(world)].filter(
    (path) => path !== undefined,
  )
  const [path, second] = places.filter((each) => files.exists(each))
  if (path === undefined) return undefined
  const file = await readConfigFile(path, files, uid === undefined ? {} : { owners: [uid, 0] })
  if (file === undefined) return undefined
  const warnings = second === undefined ? [] : [`${second} is not read, because ${path} is there.`]
  return { path, file, warnings }
}

function platformPlace({ home, env, platform = process.platform }: UserWorld): string | undefined {
  switch (platform) {
    case 'win32':
      return env.APPDATA ? join(env.APPDATA, 'elfmem', 'config.yaml') : undefined
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'elfmem', 'config.yaml')
    default: {
      const { XDG_CONFIG_HOME: given } = env
      const folder = given && isAbsolute(given) ? given : join(home, '.config')
      return join(folder, 'elfmem', 'config.yaml')
    }
  }
}
