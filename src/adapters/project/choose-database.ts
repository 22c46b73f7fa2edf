import { basename, dirname, join, resolve } from 'node:path'
import type { OwnConfig } from './config-layers.ts'
import { fileVariable } from './environment.ts'
import { type DatabaseRule, expand, type Project, type World } from './project.ts'
import type { RawSettings } from './settings-schema.ts'
import { valueAt } from './trust/allowed-settings.ts'
import { PROJECT_DATABASE, type Standing } from './trust/standing.ts'

interface DatabaseHints {
  readonly root: string | undefined
  readonly own: OwnConfig | undefined
  readonly standing: Standing | undefined
  /** Settings of the call and of the environment. */
  readonly given: RawSettings
}

export interface ChosenDatabase {
  readonly database: Project['database']
  /** True if a flag, a variable or a file that they name says it. */
  readonly isNamed: boolean
}

/** Which database is meant, by the documented order. */
export function chooseDatabase(
  { cwd, home, env, flags }: World,
  { root, own, standing, given }: DatabaseHints,
): ChosenDatabase {
  const chosen = (rule: DatabaseRule, base: string, path: string, isNamed = true): ChosenDatabase => ({
    database: { path: located(base, expand(path, home)), rule },
    isNamed,
  })
  if (flags.db !== undefined) return chosen('--db', cwd, flags.db)
  const variable = fileVariable(env, 'ELFMEM_DB')
  if (variable !== undefined) return chosen('ELFMEM_DB', cwd, variable)
  const byHand = databaseIn(given)
  if (byHand !== undefined) return chosen('project.db', root ?? cwd, byHand)
  const byFile = own && databaseIn(own.values)
  const base = baseOf(own?.name ?? cwd)
  if (own?.isNamed && byFile !== undefined) return chosen('project.db', base, byFile)
  if (standing?.state === 'trusted' && root !== undefined)
    return chosen('project directory', root, join('.elfmem', PROJECT_DATABASE), false)
  if (byFile !== undefined) return chosen('project.db', base, byFile, false)
  return chosen('home directory', home, join('.elfmem', 'agent.db'), false)
}

function databaseIn(values: RawSettings): string | undefined {
  const path = valueAt(values, ['project', 'db'])
  return typeof path === 'string' && path !== '' ? path : undefined
}

/** A config inside `.elfmem` speaks for the directory around it. */
function baseOf(config: string): string {
  const directory = dirname(config)
  return basename(directory) === '.elfmem' ? dirname(directory) : directory
}

const located = (base: string, path: string) => (path === ':memory:' ? path : resolve(base, path))
