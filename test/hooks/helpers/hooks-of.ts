import type { Memory } from '../../../src/engine/memory.ts'
import { Hooks } from '../../../src/hooks/hooks.ts'
import { type HookMemories, type HookOptions, memoryIn } from '../../../src/hooks/memory.ts'

/** The options of hooks in tests; the budget is for a busy machine. */
export const OPTIONS: HookOptions = {
  budgetMs: 10_000,
  tokens: 600,
  classes: ['user', 'agent', 'model'],
  perhaps: true,
  ask: 0,
}

/** Memories of a scope, or of none, and those that are shared with it. */
export const memoriesOf = (memory: Memory, scope?: string, ...shared: readonly string[]): HookMemories => ({
  own: memoryIn(memory, scope),
  shared: shared.map((each) => ({ scope: each, memory: memoryIn(memory, each) })),
  mayWrite: true,
})

/** Hooks of the whole memory. */
export const hooksOf = (memory: Memory, options: Partial<HookOptions> = {}) =>
  new Hooks(memoriesOf(memory), { ...OPTIONS, ...options })
