import * as z from 'zod'
import type { Memory } from '../engine/memory.ts'
import { hookSettings, scopeName } from '../engine/settings.ts'
import { mustBeOpen, takenOptions } from '../operations/schema-issue.ts'
import { Hooks } from './hooks.ts'
import { type HookMemory, type HookOptions, memoryIn } from './memory.ts'

/** The options of hooks in a program: the settings of the group, and what they work in. */
const agentHookOptions = hookSettings
  .omit({ scope: true, shared: true })
  .extend({
    scope: scopeName.optional(),
    readOnly: z.boolean().optional(),
    // A program need not have given its agent a tool to keep something with.
    ask: z.int().min(0).default(0),
  })
  .strict()

/** The events that the hooks are for; the others of the Agent SDK say nothing to a memory. */
const EVENTS = [
  'UserPromptSubmit',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'Stop',
  'SessionEnd',
] as const
type AgentEvent = (typeof EVENTS)[number]

/** A hook as the Agent SDK calls it; its answer has the fields of the SDK's output. */
export type AgentHook = (
  input: object,
  toolUseId?: string | undefined,
  options?: { readonly signal: AbortSignal },
) => Promise<Record<string, unknown>>

/** Hooks by event, as the option `hooks` of the Agent SDK's `query` takes them. */
export type AgentHooks = Record<AgentEvent, { hooks: AgentHook[] }[]>

/** Options of hooks in a program; an absent one is taken from the settings group `hooks`. */
export interface AgentHookOptions extends Partial<Omit<HookOptions, 'instructions' | 'undo'>> {
  /** The scope of everything, in a memory without one. */
  readonly scope?: string
  /** True for a memory that is only looked into: nothing is counted as used, learned or kept. */
  readonly readOnly?: boolean
}

/**
 * Returns hooks for the Claude Agent SDK that do in this process what the plugin does in Claude Code: memory comes with the
 * prompts it bears on, and what became of it is learned.
 *
 * @throws ElfmemError `INVALID_INPUT` for what is no memory, and for options that there are not or that cannot work
 */
export function agentHooks(
  memory: HookMemory & Pick<Memory, 'scope'>,
  given: AgentHookOptions = {},
): AgentHooks {
  mustBeOpen(memory, 'recall')
  const { scope, readOnly, ...options } = takenOptions(given, {
    maker: 'agentHooks',
    schema: agentHookOptions,
    example: "agentHooks(memory, { scope: 'support' })",
  })
  const own = memoryIn(memory, memory.scope === undefined ? scope : undefined)
  const hooks = new Hooks({ own, shared: [], mayWrite: !readOnly }, options)
  const hook: AgentHook = async (input) => ({ ...(await hooks.handle('claude-code', input)) })
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])) as unknown as AgentHooks
}
