import * as z from 'zod'
import { projectIdentity } from '../adapters/project/identity.ts'
import type { Memory } from '../engine/memory.ts'
import { hookSettings, scopeName } from '../engine/settings.ts'
import { ElfmemError } from '../errors.ts'
import { takenOptions } from '../operations/schema-issue.ts'
import { Hooks } from './hooks.ts'
import { type HookMemories, type HookMemory, type HookOptions, memoryIn } from './memory.ts'

/** The options of hooks in a program: the settings of the group, and what they work in. */
const agentHookOptions = hookSettings
  .omit({ scope: true })
  .extend({
    scope: scopeName.optional(),
    wholeMemory: z.boolean().optional(),
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
  /** The scope of everything. Unless given, that of the project around the folder a session works in. */
  readonly scope?: string
  /** True: no scope at all, so that memories of all projects show. */
  readonly wholeMemory?: boolean
  /** Scopes whose memories show, too. */
  readonly shared?: readonly string[]
  /** True for a memory that is only looked into: nothing is counted as used, learned or kept. */
  readonly readOnly?: boolean
}

/**
 * Returns hooks for the Claude Agent SDK that do in this process what the plugin does in Claude Code: memory comes with the
 * prompts it bears on, and what became of it is learned.
 *
 * @param memory without a scope, or bound to the one that is meant
 * @throws ElfmemError `INVALID_INPUT` for what is no memory, and for options that there are not or that cannot work
 */
export function agentHooks(
  memory: HookMemory & Pick<Memory, 'scope'>,
  given: AgentHookOptions = {},
): AgentHooks {
  mustBeOpen(memory)
  const { scope, wholeMemory, shared, readOnly, ...options } = takenOptions(given, {
    maker: 'agentHooks',
    schema: agentHookOptions,
    example: "agentHooks(memory, { scope: 'support' })",
  })
  const byScope = new Map<string | undefined, Hooks>()
  const scopeOf = (cwd: unknown): string | undefined => {
    if (memory.scope !== undefined || wholeMemory) return undefined
    const from = typeof cwd === 'string' && cwd !== '' ? cwd : process.cwd()
    return scope ?? projectIdentity({ cwd: from, home: process.env.HOME ?? '' }).scope
  }
  const hooksOf = (own: string | undefined): Hooks => {
    const others = own === undefined ? [] : shared.filter((each) => each !== own)
    const memories: HookMemories = {
      own: memoryIn(memory, own),
      shared: others.map((each) => ({ scope: each, memory: memoryIn(memory, each) })),
      mayWrite: !readOnly,
    }
    const hooks = byScope.get(own) ?? new Hooks(memories, options)
    byScope.set(own, hooks)
    return hooks
  }
  const hook: AgentHook = async (input) => {
    try {
      const { cwd } = Object(input) as { readonly cwd?: unknown }
      return { ...(await hooksOf(scopeOf(cwd)).handle('claude-code', input)) }
    } catch {
      // A client takes what a hook throws for a reason to stop.
      return {}
    }
  }
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])) as unknown as AgentHooks
}

function mustBeOpen(memory: unknown): void {
  if (typeof (Object(memory) as Partial<Memory>).recall === 'function') return
  throw new ElfmemError('INVALID_INPUT', 'That is no open memory.', {
    recovery: 'Pass what openMemory() resolves to; await it first.',
  })
}
