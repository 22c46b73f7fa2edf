import { projectIdentity } from '../../adapters/project/identity.ts'
import type { Project } from '../../adapters/project/project.ts'
import { boundScope } from '../../engine/engine.ts'

/** The folder in which a server with hooks was started, and the scope that was named for it. */
interface Start {
  readonly cwd: string
  readonly home: string
  readonly named: string | undefined
  /** True: that of the project is asked for by name, so that no setting says otherwise. */
  readonly isOfProject?: boolean
}

/** A project whose memory is opened whole, since a hook may see what is shared, and the scope that each call is bound to. */
export interface UnboundProject {
  readonly unbound: Project
  /** The scope that was named; absent for the whole memory. */
  readonly scope: string | undefined
}

/** Returns the project of a server with hooks, and the scope of its calls. */
export function unboundProject(project: Project, start: Start): UnboundProject {
  return { unbound: withoutScope(project), scope: scopeFor(project, start) }
}

function withoutScope(project: Project): Project {
  const { scope: _, ...rest } = project.settings.project
  return { ...project, settings: { ...project.settings, project: rest } }
}

/**
 * Returns the scope that is named or set, else the scope of the git repository around. A memory that lies in a trusted project is
 * that project's as a whole.
 */
function scopeFor(
  { settings, database }: Project,
  { cwd, home, named, isOfProject = false }: Start,
): string | undefined {
  const given = named ?? settings.project.scope
  if (given !== undefined) return boundScope(given)
  if (database.rule === 'project directory') return undefined
  if (settings.hooks.scope === 'memory' && !isOfProject) return undefined
  return projectIdentity({ cwd, home }).scope
}
