/**
 * The sets of operations that a surface may list, from the smallest on; each holds those before it. `verbs` is for a model
 * that should think of its task, `agent` for one that keeps its own memory, `all` for whoever looks after one.
 */
export const TOOL_SETS = ['verbs', 'agent', 'all'] as const
/** One of the sets. */
export type ToolSet = (typeof TOOL_SETS)[number]

/** The set of a server for which nobody chose one: a list of all tools costs every prompt some 9,000 tokens. */
export const USUAL_TOOL_SET: ToolSet = 'agent'
