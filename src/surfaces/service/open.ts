import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { OpenableProject } from '../../engine/open-engine.ts'
import { openSharedParts } from '../../engine/open-engine.ts'
import { type OpenMemory, openLifetime } from '../../engine/open-memory.ts'
import { Memories } from './memories.ts'
import { memoryName } from './place.ts'

/** The share of the machine's memory that open memories may take unless it is said. */
const MEMORY_SHARE = 0.25

/** The options of the memories of a service. */
interface ServiceOptions {
  /** The folder with a file for each memory. */
  readonly folder: string
  /** The settings of all memories, and the environment with keys of models. */
  readonly project: OpenableProject
  /** The most bytes of open memories; a quarter of the machine's unless given. */
  readonly bytes?: number | undefined
  readonly failed: (error: unknown) => void
}

/** The memories of a service with the parts that they share. */
export interface OpenService {
  readonly memories: Memories
  readonly warm: () => void
  /** Closes all memories, and then what they share. */
  readonly close: () => Promise<void>
}

/** Opens the memories of a folder as they are asked for; one that is missing is made when it is first written. */
export function openFolder({ folder, project, bytes = usualBytes(), failed }: ServiceOptions): OpenService {
  const { parts, close } = openSharedParts(project, Math.max(1, Math.floor(availableParallelism() / 2)))
  const open = (name: string): Promise<OpenMemory> => {
    const database = { path: join(folder, `${memoryName(name)}.db`), rule: '--db' } as const
    // Each call says as whom it comes; a memory is open for the most that any token may be.
    return openLifetime({ ...project, database, surface: 'mcp' }, { ...parts, as: 'owner' }, 'wait')
  }
  const isReady = () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  const memories = new Memories({ open, bytes, isReady, failed })
  return {
    memories,
    warm: () => parts.embedder.warm?.(),
    close: async () => {
      await memories.close()
      await close()
    },
  }
}

/** Returns the bytes that open memories may take on this machine, or in this container. */
function usualBytes(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.min(totalmem(), constrained) * MEMORY_SHARE
}
