import { projectIdentity } from '../../adapters/project/identity.ts'
import type { Project } from '../../adapters/project/project.ts'
import { boundScope } from '../../engine/engine.ts'

/** The folder in which a server with hooks was started, and the scope that was named for it. */
interface Start {
  readonly cwd: string
  readonly home: string
  readonly named: string | undefined
  /** True if the caller asked for the scope of the project; no setting changes it then. */
  readonly isOfProject: boolean
}

/**
 * Returns the scope that is named or set, else the scope of the git repository around; undefined for the whole memory. A memory
 * that lies in a trusted project is that project's as a whole.
 */
export function scopeOfHooks({ settings, database }: Project, start: Start): string | undefined {
  const given = start.named ?? settings.project.scope
  if (given !== undefined) return boundScope(given)
  if (database.rule === 'project directory') return undefined
  return settings.hooks.scope === 'memory' && !start.isOfProject ? undefined : projectIdentity(start).scope
}
