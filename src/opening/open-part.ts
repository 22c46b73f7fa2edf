import { existsSync } from 'node:fs'
import type { Project } from '../adapters/project/project.ts'
import { systemTimer } from '../adapters/system/machine.ts'
import { mayWrite, type Surface } from '../flow/guard/caller.ts'
import { BackgroundWork, idleWorkOf } from './background-work.ts'
import {
  type EngineParts,
  type EngineSource,
  type OpenedEngine,
  openEngine,
  UntrustedMemory,
  worksAtRest,
} from './open-engine.ts'

/** The parts of a project that are needed to open its memory. */
export interface OpenableProject
  extends Pick<Project, 'settings' | 'database' | 'env'>,
    Partial<Pick<Project, 'notice' | 'trust' | 'otherwise' | 'withheld' | 'sourceOf' | 'configs'>> {
  /** The surface that its callers come through; `library` by default. */
  readonly surface?: Surface
}

/**
 * The behaviour if there is no file yet: `make` makes it at once; `wait` answers as an empty memory does and makes it
 * before the first operation that begins one, such as remember.
 */
export type WhenMissing = 'make' | 'wait'

/** An engine and what it does by itself. */
export interface OpenedPart {
  readonly opened: OpenedEngine
  readonly background: BackgroundWork
}

/** A memory that is not there yet. */
export interface Absence {
  readonly path: string
  readonly make: () => Promise<OpenedPart>
}

/** The first part of an opening. */
export interface FirstPart {
  readonly part: OpenedPart
  /** The project that was opened; another one than asked for if that was not the trusted one. */
  readonly project: OpenableProject
  /** Present while the memory is not there: `part` is an empty one in its place. */
  readonly absence?: Absence
}

/** Opens the memory of a project, or the one that is used in its place if it is not the one that was trusted. */
export async function openFirstPart(
  project: OpenableProject,
  parts: EngineParts,
  whenMissing: WhenMissing,
): Promise<FirstPart> {
  const { path } = project.database
  const isAbsent = whenMissing === 'wait' && path !== ':memory:' && !parts.store && !existsSync(path)
  return whileTrusted(project, parts, whenMissing, async () => {
    if (isAbsent && parts.anew !== true) (await import('../sqlite/maintenance/lost.ts')).mustNotBeLost(path)
    const part = await openPart(project, parts, { isAbsent })
    if (!isAbsent) return { part, project }
    const { embedder } = part.opened.engine
    const made = () =>
      whileTrusted(project, parts, 'make', async () => ({
        project,
        part: await openPart(project, parts, { embedder }),
      }))
    return { part, project, absence: { path, make: async () => (await made()).part } }
  })
}

async function whileTrusted(
  { otherwise, surface = 'library' }: OpenableProject,
  parts: EngineParts,
  whenMissing: WhenMissing,
  open: () => Promise<FirstPart>,
): Promise<FirstPart> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof UntrustedMemory) || otherwise === undefined) throw error
    return openFirstPart({ ...(await otherwise()), surface }, parts, whenMissing)
  }
}

async function openPart(
  { database, otherwise: _, sourceOf: __, configs: ___, ...source }: OpenableProject,
  parts: EngineParts,
  given: Pick<EngineSource, 'isAbsent'> | Pick<EngineSource, 'embedder'>,
): Promise<OpenedPart> {
  const opened = await openEngine({ ...source, ...given, path: database.path }, parts)
  const isIdle = ('isAbsent' in given && given.isAbsent) || !mayWrite(opened.engine, {})
  const works = worksAtRest(parts) && !isIdle ? idleWorkOf(opened.engine) : []
  return { opened, background: new BackgroundWork(parts.timer ?? systemTimer, works) }
}
