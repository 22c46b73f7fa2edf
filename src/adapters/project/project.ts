import { join } from 'node:path'
import type { ServerPlace } from '../../engine/address.ts'
import type { Settings } from '../../engine/settings.ts'
import { ElfmemError } from '../../errors.ts'
import type { Environment } from './environment.ts'
import type { ProjectFiles } from './files.ts'
import type { RawSettings } from './settings-schema.ts'
import type { TrustStore } from './trust/trust-store.ts'

/** The facts by which a project is resolved; `cwd` and `home` are directories. */
export interface ProjectRequest {
  readonly cwd: string
  readonly env: Environment
  readonly home: string
  /** `--db`, `--config` and `--env-file`. */
  readonly flags?: {
    readonly db?: string | undefined
    /** The name of the memory in a database of many. */
    readonly memory?: string | undefined
    readonly config?: string | undefined
    readonly envFile?: string | undefined
  }
  /** Settings of the call itself, camelCase; each counts before all others. */
  readonly settings?: RawSettings
  readonly files?: ProjectFiles
  /** Numeric id of this user; that of the process unless given, undefined on Windows. */
  readonly uid?: number | undefined
  /** The projects this user trusts; those in the home directory unless given. */
  readonly trustStore?: Pick<TrustStore, 'find' | 'save'>
  /** True if Bun runs this, which reads `.env` files by itself. */
  readonly bun?: boolean
}

/** A file of settings in force, and the rule that chose it. */
export interface ConfigInForce {
  readonly path: string
  readonly rule: '--config' | 'ELFMEM_CONFIG' | 'project directory' | 'home directory'
}

/** The facts by which the memory of a trusted project is recognised. */
export interface ProjectTrust {
  /** Id of the memory that was trusted; undefined while the project has none. */
  readonly memory?: string
  /** Reads anew the id of the memory that is trusted. */
  readonly now: () => string | undefined
  /** The command that trusts the project. */
  readonly command: string
  /** Keeps the id of a memory that was just made. */
  readonly keep: (memory: string) => void
}

/** A project: the memory that is meant, its settings, and why it is this one. */
export interface Project {
  readonly settings: Settings
  /** The place of the memory and the rule that chose it. With `server` it lies in a database, and `path` is its name for people. */
  readonly database: {
    readonly path: string
    /** The name by which callers know it, in place of its path. */
    readonly name?: string
    readonly rule: DatabaseRule
    readonly server?: ServerPlace
  }
  /** All files of settings in force; the first counts before the others. */
  readonly configs: readonly ConfigInForce[]
  /** The source of a setting, by its path in camelCase: a variable, a file, or `config`; undefined of a default. */
  readonly sourceOf: (path: readonly string[]) => string | undefined
  /** The directory of the project, when there is one. */
  readonly root?: string
  /** The environment, as far as it is the user's. */
  readonly env: Environment
  /** Keys and variables that mean nothing or do not count, one sentence each. */
  readonly warnings: readonly string[]
  /** Says that a project's own memory is not used, which one is, and what to do; one line. */
  readonly notice?: string
  /** The facts by which a database is recognised that is used because its project is trusted. */
  readonly trust?: ProjectTrust
}

/** The rule by which the database was found: a flag, a variable, a setting or a directory. */
export type DatabaseRule = '--db' | 'ELFMEM_DB' | 'project.db' | 'project directory' | 'home directory'

/** The request with everything filled in. */
export interface World extends Omit<Required<ProjectRequest>, 'flags' | 'settings' | 'uid' | 'bun'> {
  readonly flags: NonNullable<ProjectRequest['flags']>
  readonly settings: RawSettings
  readonly uid: number | undefined
}

/** A path with the home directory in the place of `~`. */
export function expand(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}

/** The refusal of a file that was named and is not there. */
export function missingFile(path: string, rule: string, recovery: string): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${path}, named by ${rule}, does not exist.`, {
    recovery,
    details: { file: path },
  })
}
