import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Memories } from './memories.ts'

/** The memories of a service, as its routes need them. */
export type ServiceMemories = Pick<Memories, 'use' | 'hold' | 'open' | 'bytes' | 'isReady'>

/** Returns the one memory of a service that serves no other; whoever opened it closes it. */
export function oneMemory(memory: OpenMemory): ServiceMemories {
  return {
    use: ({ name }, work) => work(memory.heldBy(name)),
    hold: async () => ({ memory, release: () => undefined }),
    open: 1,
    get bytes() {
      return memory.bytes
    },
    isReady: async () => undefined,
  }
}
