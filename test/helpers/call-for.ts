import type { Memory } from '../../src/engine/memory.ts'
import type { OpenMemory } from '../../src/engine/open-memory.ts'

/** Calls an operation for somebody a surface accepted, as surfaces do. */
export const callFor = (memory: Memory, ...call: Parameters<OpenMemory['call']>): Promise<unknown> =>
  (memory as unknown as OpenMemory).call(...call)
