import { settingsInForce } from '../../adapters/project/settings/settings-in-force.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Timer } from '../../engine/ports.ts'
import type { Operation } from '../../operations/operation.ts'
import { createViews } from '../../views/table.ts'
import type { Desk } from './api.ts'
import { Streams, type Watchable } from './events.ts'
import { Routes } from './routes.ts'

/** The parts of a desk beside the memory. */
interface DeskParts {
  readonly version: string
  readonly readOnly: boolean
  /** The scope that no call leaves; that of the memory unless given. */
  readonly scope?: string | undefined
  /** The name of a memory that is made anew at each start. */
  readonly name?: string | undefined
  readonly isOffered?: (operation: Operation) => boolean
  readonly timer: Timer
  readonly onerror: (error: Error) => void
}

/**
 * Makes the calls and the streams of one who may look.
 *
 * @param asked the memory as it is called
 * @param shown the memory whose settings and place are shown
 */
export function createDesk(
  asked: Watchable,
  shown: Pick<OpenMemory, 'project' | 'scope' | 'location'>,
  { version, readOnly, scope = shown.scope, name, isOffered, timer, onerror }: DeskParts,
): Desk {
  const { settings, sourceOf, database, configs = [] } = shown.project
  const views = createViews({
    ...{ database, configs, version, readOnly },
    settings: () => settingsInForce(settings, sourceOf),
  })
  const hello = {
    ...{ version, readOnly, location: shown.location },
    ...(scope === undefined ? {} : { scope }),
    ...(name === undefined ? {} : { name }),
  }
  const streams = new Streams(asked, hello, { timer, onerror })
  const routes = new Routes({
    ...{ memory: asked, views, readOnly, timer, ...(isOffered && { isOffered }) },
    operations: async () => (await import('../../operations/table.ts')).operations,
    progress: (call, progress) => streams.progress(call, progress),
  })
  return { routes, streams }
}
