import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { openServiceTokens } from '../../adapters/project/tokens/token-store.ts'
import { memoryName, shownPlace } from '../../engine/address.ts'
import {
  type EngineParts,
  indexesFor,
  type OpenableProject,
  openSharedParts,
} from '../../engine/open-engine.ts'
import { type OpenMemory, openLifetime } from '../../engine/open-memory.ts'
import { openPostgresServer } from '../../engine/open-postgres.ts'
import { type HolderBounds, holdersOf } from '../mcp/http/holders.ts'
import { holdersInFiles, holdersInTable } from './holders.ts'
import { Memories, type ServiceHolders } from './memories.ts'
import type { ServicePlace } from './place.ts'

/** The share of the machine's memory that open memories may take unless it is said. */
const MEMORY_SHARE = 0.25

/** The options of the memories of a service. */
interface ServiceOptions {
  /** The settings of all memories, and the environment with keys of models. */
  readonly project: OpenableProject
  /** The most bytes of open memories; a quarter of the machine's unless given. */
  readonly bytes?: number | undefined
  /** The most that any token may do. */
  readonly bounds: HolderBounds
  readonly failed: (error: unknown) => void
}

/** The memories of a service, the holders of its tokens, and the parts that the memories share. */
interface OpenService {
  readonly memories: Memories
  readonly holders: ServiceHolders
  /** Numbers for whoever looks after the service. */
  readonly gauges: () => Readonly<Record<string, number>>
  readonly warm: () => void
  /** Closes all memories, and then what they share. */
  readonly close: () => Promise<void>
}

/** Opens the memories of a place as they are asked for; one that is missing is made when it is first written, in a database when asked for. */
export async function openService(
  place: ServicePlace,
  { project, bytes = usualBytes(), bounds, failed }: ServiceOptions,
): Promise<OpenService> {
  const { parts, close } = openSharedParts(project, Math.max(1, Math.floor(availableParallelism() / 2)))
  const source =
    place.kind === 'folder' ? inFolder(place.path, bounds) : await inDatabase(place.url, project, bounds)
  // Each call says as whom it comes; a memory is open for the most that any token may be.
  const open = async (name: string): Promise<OpenMemory> => {
    const { path, own } = await source.find(name)
    const database = { path, rule: '--db' } as const
    return openLifetime({ ...project, database, surface: 'mcp' }, { ...parts, ...own, as: 'owner' }, 'wait')
  }
  const memories = new Memories({ open, bytes, isReady: source.isReady, failed })
  return {
    memories,
    holders: source.holders,
    gauges: () => ({ rest_waiting: parts.turns.waiting }),
    warm: () => parts.embedder.warm?.(),
    close: async () => {
      await memories.close()
      await Promise.all([close(), source.close()])
    },
  }
}

/** A source of memories by their names, and the holders of its tokens. */
interface Source {
  /** Returns the place of a memory, and its store and packed indexes if it is in no file. */
  readonly find: (
    name: string,
  ) => Promise<{ readonly path: string; readonly own: Pick<EngineParts, 'store' | 'indexes'> }>
  readonly holders: ServiceHolders
  readonly isReady: () => Promise<void>
  readonly close: () => Promise<void>
}

function inFolder(folder: string, bounds: HolderBounds): Source {
  const tokens = openServiceTokens(folder, process.getuid?.())
  return {
    find: async (name) => ({ path: join(folder, `${memoryName(name)}.db`), own: {} }),
    holders: holdersInFiles(holdersOf(tokens, { ...bounds, takesAutomatic: false })),
    isReady: () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK),
    close: async () => undefined,
  }
}

async function inDatabase(url: string, project: OpenableProject, bounds: HolderBounds): Promise<Source> {
  const { connections, busySeconds } = project.settings.store
  const server = await openPostgresServer(url, { connections, busyTimeoutMs: busySeconds * 1000 })
  return {
    find: async (memory) => {
      const store = await server.store(memory)
      const indexes = await indexesFor(store, project)
      return { path: shownPlace({ url, memory }), own: { store, ...(indexes && { indexes }) } }
    },
    holders: holdersInTable(server.tokens, bounds),
    isReady: server.isReady,
    close: server.close,
  }
}

/** Returns the bytes that open memories may take on this machine, or in this container. */
function usualBytes(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.min(totalmem(), constrained) * MEMORY_SHARE
}
