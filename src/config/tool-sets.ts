import { ElfmemError } from '../errors.ts'

/**
 * The sets of operations that a surface may list, from the smallest on; each holds those before it. `verbs` is for a model
 * that should think of its task, `agent` for one that keeps its own memory, `all` for whoever looks after one.
 */
export const TOOL_SETS = ['verbs', 'agent', 'all'] as const
/** One of the sets. */
export type ToolSet = (typeof TOOL_SETS)[number]

/** The set of a server for which nobody chose one: a list of all tools costs every prompt some 9,000 tokens. */
export const USUAL_TOOL_SET: ToolSet = 'agent'

/** The variable that chooses the set of a server, which lists its tools before any setting is read. */
export const TOOLS_VARIABLE = 'ELFMEM_TOOLS'

/** Returns the set that somebody named; throws `INVALID_INPUT` when it is none. */
export function toolSetFrom(given: string): ToolSet {
  const known = TOOL_SETS.find((each) => each === given)
  if (known !== undefined) return known
  throw new ElfmemError('INVALID_INPUT', 'A set of tools is verbs, agent or all.', {
    recovery: `Say verbs, agent or all; leave it out for ${USUAL_TOOL_SET}.`,
    details: { given, options: TOOL_SETS },
  })
}
