import type { Memory } from '../../src/memory.ts'
import type { OpenMemory } from '../../src/opening/open-memory.ts'

/** Calls an operation for somebody a surface accepted, as surfaces do. */
export const callFor = (memory: Memory, ...call: Parameters<OpenMemory['call']>): Promise<unknown> =>
  (memory as unknown as OpenMemory).call(...call)
