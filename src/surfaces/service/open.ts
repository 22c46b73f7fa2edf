import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join, sep } from 'node:path'
import { openServiceTokens, type TokenFiles } from '../../adapters/project/tokens/token-store.ts'
import { memoryName, shownPlace, shownUrl } from '../../engine/address.ts'
import {
  type EngineParts,
  indexesFor,
  type OpenableProject,
  openSharedParts,
} from '../../engine/open-engine.ts'
import { openLifetime } from '../../engine/open-memory.ts'
import { openPostgresServer } from '../../engine/open-postgres.ts'
import type { TokenIndex } from '../../engine/ports.ts'
import { type HolderBounds, holdersOf } from './holders.ts'
import { Memories } from './memories.ts'
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
export interface OpenService {
  readonly memories: Memories
  readonly holders: ReturnType<typeof holdersOf>
  /** Numbers for whoever looks after the service. */
  readonly gauges: () => Readonly<Record<string, number>>
  readonly warm: () => void
  /** Closes all memories, and then what they share. */
  readonly close: () => Promise<void>
}

/** A source of memories by their names, and of the tokens that open them. */
export interface Source {
  /** Returns the place of a memory and what is its own; a memory is open for the most that any token may be. */
  readonly find: (name: string) => Promise<{
    readonly database: OpenableProject['database']
    readonly own: Pick<EngineParts, 'store' | 'indexes' | 'anew' | 'as' | 'scope'>
  }>
  /** Returns a text with a memory's name in place of its path or address; absent: holders may know the path. */
  readonly named?: (text: string, memory: string) => string
  readonly tokens: TokenIndex
  readonly gauges?: OpenService['gauges']
  readonly isReady: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens the memories of a source as they are asked for; one that is missing is made when it is first written, in a database when asked for. */
export function openService(source: Source, { project, bytes, bounds, failed }: ServiceOptions): OpenService {
  const { parts, close } = openSharedParts(project, Math.max(1, Math.floor(availableParallelism() / 2)))
  const open = async (name: string) => {
    const { database, own } = await source.find(name)
    return openLifetime({ ...project, database, surface: 'mcp' }, { ...parts, ...own }, 'wait')
  }
  const { isReady, named } = source
  const memories = new Memories({ open, bytes: bytes ?? usualBytes(), isReady, named, failed })
  return {
    memories,
    holders: holdersOf(source.tokens, bounds),
    gauges: () => ({ rest_waiting: parts.turns.waiting, ...source.gauges?.() }),
    warm: () => parts.embedder.warm?.(),
    close: async () => {
      await memories.close()
      await Promise.all([close(), source.close()])
    },
  }
}

/** Returns the one memory of a project, whatever its name. */
export function oneMemory(
  { database }: OpenableProject,
  tokens: TokenFiles,
  own: Pick<EngineParts, 'anew' | 'as' | 'scope'>,
): Source {
  const nothing = async () => undefined
  return { find: async () => ({ database, own }), tokens, isReady: nothing, close: nothing }
}

/** Returns the memories of a place. */
export async function memoriesOf(place: ServicePlace, project: OpenableProject): Promise<Source> {
  if (place.kind === 'folder') {
    const { path } = place
    const file = (name: string) => join(path, `${memoryName(name)}.db`)
    return {
      find: async (name) => ({ database: at(file(name), name), own: { as: 'owner' } }),
      named: (text, name) => text.replaceAll(file(name), name).replaceAll(join(path, sep), ''),
      tokens: openServiceTokens(path, process.getuid?.()),
      isReady: () => access(path, constants.R_OK | constants.W_OK | constants.X_OK),
      close: async () => undefined,
    }
  }
  const { url } = place
  const { connections, busySeconds } = project.settings.store
  const server = await openPostgresServer(url, { connections, busyTimeoutMs: busySeconds * 1000 })
  return {
    find: async (memory) => {
      const store = await server.store(memory)
      const indexes = await indexesFor(store, project)
      const own = { store, ...(indexes && { indexes }), as: 'owner' } as const
      return { database: at(shownPlace({ url, memory }), memory), own }
    },
    named: (text, memory) =>
      text.replaceAll(shownPlace({ url, memory }), memory).replaceAll(shownUrl(url), 'PostgreSQL'),
    ...{ tokens: server.tokens, isReady: server.isReady, gauges: server.gauges, close: server.close },
  }
}

function at(path: string, name: string): OpenableProject['database'] {
  return { path, name, rule: '--db' }
}

/** Returns the bytes that open memories may take on this machine, or in this container. */
function usualBytes(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.min(totalmem(), constrained) * MEMORY_SHARE
}
