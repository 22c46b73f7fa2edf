import type { SourceClass } from '../block/block.ts'
import type { Memory } from '../engine/memory.ts'

/** The part of a memory that hooks ask; all of it in one scope, or in none. */
export type HookMemory = Pick<Memory, 'recall' | 'items' | 'settle' | 'rememberMany' | 'ls' | 'history'> &
  Partial<Pick<Memory, 'settings'>>

/** The memories that a session may see. */
export interface HookMemories {
  /** The memory of the project. */
  readonly own: HookMemory
  /** The memories that the owner shares with every project. */
  readonly shared: readonly { readonly scope: string; readonly memory: HookMemory }[]
  /** False for who may only look: nothing is counted as used, and nothing is kept. */
  readonly mayWrite: boolean
}

/** Options that say how much of a memory goes into a conversation, whose words, and how long a client waits. */
export interface HookOptions {
  /** Milliseconds. */
  readonly budgetMs: number
  /** The budget of the memory behind one prompt, in estimated tokens. */
  readonly tokens: number
  /** Shown to a client whose model reads them as the words of the system. */
  readonly classes: readonly SourceClass[]
  /** True if an answer that is no match is added, too. */
  readonly perhaps: boolean
  /** False: nothing is kept of what users say. The setting of the memory decides unless given. */
  readonly instructions?: boolean
  /** Messages and steps with nothing kept after which the agent is asked for what should last; 0: never. */
  readonly ask: number
  /** Returns how the agent takes an operation back; as a program calls it unless given. */
  readonly undo?: (operationId: number) => string
}

/** Returns a memory of the whole file as hooks see one scope of it. */
export function memoryIn(memory: HookMemory, scope: string | undefined): HookMemory {
  if (scope === undefined) return memory
  return {
    recall: (input, context) => memory.recall({ ...input, scope }, context),
    items: (space, options) => memory.items(space, { ...options, scope }),
    settle: (trace, options, context) => memory.settle(trace, { ...options, scope }, context),
    rememberMany: (input, context) => memory.rememberMany({ ...input, scope }, context),
    ls: (input, context) => memory.ls({ ...input, scope }, context),
    history: (input, context) => memory.history({ ...input, scope }, context),
    ...(memory.settings && { settings: memory.settings.bind(memory) }),
  }
}
