import type { Memory } from '../../engine/memory.ts'
import type { Trace } from '../../frames/index.ts'

/** The conversation and the memory to which a trace belongs. */
export interface Settling {
  /** The name of the framework, for the log. */
  readonly actor: string
  readonly scope: string | undefined
}

/** Has a trace settled, unless no block was shown. */
export async function settleTrace(
  memory: Pick<Memory, 'settle'>,
  trace: Trace,
  { actor, scope }: Settling,
): Promise<void> {
  if (trace.blocks.length === 0) return
  await memory.settle(trace, { origin: 'program', ...(scope === undefined ? {} : { scope }) }, { actor })
}

/** The words of a call of a tool: a line of a shell, where the tool takes one, else its arguments as they are. */
export function inputOf(given: unknown): { readonly input: string; readonly isCommand?: true } {
  const { command } = Object(given) as { readonly command?: unknown }
  if (typeof command === 'string') return { input: command, isCommand: true }
  return { input: typeof given === 'string' ? given : (JSON.stringify(given) ?? '') }
}
