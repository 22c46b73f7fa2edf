import type { OpenMemory } from '../../engine/open-memory.ts'
import { holderOf } from '../http/gate.ts'
import type { Holder, Holders } from '../mcp/http/holders.ts'

/** The holder of a token of a service, and the one memory that the token opens. */
export interface ServiceHolder extends Holder {
  readonly memory: string
}

/** The holders of a service's tokens, as they are when they are asked for. */
export interface ServiceHolders {
  /** Finds the holder of a token by its SHA-256; a holder whose rights are as they were is the same object as before. */
  find(hash: Buffer): Promise<ServiceHolder | undefined>
  /** Returns those of some holders whose tokens still open what they opened. */
  still(holders: readonly ServiceHolder[]): Promise<readonly ServiceHolder[]>
}

/** The memories of a service. */
export interface ServiceMemories {
  /** Runs work on the memory of a holder, which stays open meanwhile. */
  use<T>(holder: ServiceHolder, work: (memory: OpenMemory) => Promise<T>): Promise<T>
  /** Opens a memory, which stays open until it is released. */
  hold(name: string): Promise<{ readonly memory: OpenMemory; release(): void }>
  readonly open: number
  /** About the bytes that the open memories take. */
  readonly bytes: number
  /** Rejects if no memory could be opened now. */
  isReady(): Promise<void>
}

/** The one memory of a service that serves no other; whoever opened it closes it. */
export function oneMemory(memory: OpenMemory): ServiceMemories {
  return {
    use: (_, work) => work(memory),
    hold: async () => ({ memory, release: () => undefined }),
    ...{ open: 1, bytes: 0 },
    isReady: async () => undefined,
  }
}

/** The holders of the tokens of one memory. */
export function holdersOfOne(holders: Holders): ServiceHolders {
  const known = new WeakMap<Holder, ServiceHolder>()
  const all = () =>
    holders.all().map((holder) => {
      const same = known.get(holder) ?? { ...holder, memory: '' }
      known.set(holder, same)
      return same
    })
  return {
    find: async (hash) => holderOf(hash, all()),
    still: async (some) => {
      const now = all()
      return some.filter((each) => now.includes(each))
    },
  }
}
