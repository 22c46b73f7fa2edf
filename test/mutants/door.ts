import type { Mutant } from './mutant.ts'

const AGENT = "An agent does only what is an agent's"
const CAPABILITIES = 'test/attacks/capabilities.test.ts'

/** Breaks of what callers may do. */
export const DOOR: readonly Mutant[] = [
  {
    guarantee: AGENT,
    breaks: 'what is the owner’s is refused to others, whatever the way in',
    file: 'src/operations/door.ts',
    from: '  if (mayDo(caller, needs)) return\n',
    to: `  if (mayDo(caller, needs) || needs === 'owner') return\n`,
    test: 'test/attacks/door-walk.test.ts',
  },
  {
    guarantee: AGENT,
    breaks: 'an agent takes back no act of another',
    file: 'src/flow/undo/may-undo.ts',
    from: '  if (others === undefined) return\n',
    to: '  if (others === undefined || asked.id > 0) return\n',
    test: CAPABILITIES,
  },
  {
    guarantee: AGENT,
    breaks: 'principles change by the owner alone',
    file: 'src/flow/guard/owner-only.ts',
    from: 'if (isOwner(engine, context) || !isConstitutional(block.tags)) return',
    to: 'if (isOwner(engine, context) || block.tags.length > 0) return',
    test: CAPABILITIES,
  },
  {
    guarantee: AGENT,
    breaks: 'who calls through somebody may do no more than that one',
    file: 'src/flow/engine/engine.ts',
    from: 'mayDo(caller, through.capability) ? through.capability : caller.capability',
    to: 'caller.capability',
    test: CAPABILITIES,
  },
  {
    guarantee: AGENT,
    breaks: 'the owner’s command keeps every argument',
    file: 'src/flow/guard/owners-way.ts',
    from: 'for (const [key, value] of given) if',
    to: 'for (const [key, value] of new Map<string, unknown>()) if',
    test: 'test/attacks/owners-commands.test.ts',
  },
  {
    guarantee: AGENT,
    breaks: 'an agent names no file in the place of a text',
    file: 'src/surfaces/cli/arguments.ts',
    from: 'mayNameFile(this.#caller)',
    to: 'void mayNameFile',
    test: 'test/attacks/named-files.test.ts',
  },
  {
    guarantee: AGENT,
    breaks: 'callers whose names begin alike are two',
    file: 'src/flow/guard/caller-name.ts',
    from: 'return (isWhole ? said',
    to: 'return (said !== undefined ? said',
    test: 'test/attacks/caller-names.test.ts',
  },
  {
    guarantee: "Agents' files have a quota",
    breaks: 'agents have only so many exports',
    file: 'src/flow/maintenance/agent-files.ts',
    from: 'if (files.length >= agentExports)',
    to: 'if (files.length >= agentExports * 1_000)',
    test: 'test/attacks/quotas.test.ts',
  },
  {
    guarantee: "Agents' files have a quota",
    breaks: 'an agent’s backup takes the place of no other',
    file: 'src/sqlite/files.ts',
    from: 'isAgents(name) !== isAgents(made)',
    to: 'name.length === 0',
    test: 'test/attacks/quotas.test.ts',
  },
  {
    guarantee: 'A scope is not left',
    breaks: 'a caller with a scope stays in it',
    file: 'src/operations/operation.ts',
    from: 'return scope === undefined ? engine : engine.within(scope)',
    to: 'return scope === undefined ? engine : engine',
    test: 'test/attacks/scope-walk.test.ts',
  },
  {
    guarantee: 'Every call is bounded',
    breaks: 'items are counted before they are looked at',
    file: 'src/flow/guard/check-limits.ts',
    from: "countIn({ name: '', path: '' }, input, limits, LEVELS)",
    to: 'void LEVELS',
    test: 'test/attacks/refusals.test.ts',
  },
  {
    guarantee: 'Every call is bounded',
    breaks: 'lists of the tools count as calls',
    file: 'src/surfaces/mcp/server.ts',
    from: 'this.#rate?.take(this.#limits, callsFor(this.#limits))',
    to: 'void callsFor',
    test: 'test/surfaces/mcp-limits.test.ts',
  },
]
