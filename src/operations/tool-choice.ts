import { ElfmemError } from '../errors.ts'

/**
 * The sets of operations that a surface may list, the smallest first; each holds the sets before it. `verbs` is for a model
 * that should think of its task, `agent` for one that keeps its own memory, `all` for a person who looks after one.
 */
export const TOOL_SETS = ['verbs', 'agent', 'all'] as const
/** One of the sets. */
export type ToolSet = (typeof TOOL_SETS)[number]

/** A set, or the names of the operations that somebody chose one by one, in camelCase. */
export type ToolChoice = ToolSet | readonly string[]

/** The set of a server for which nobody chose one: a list of all tools costs every prompt some 8,000 tokens. */
export const USUAL_TOOL_SET: ToolSet = 'agent'

/**
 * Returns the set that somebody named, or the operations of a comma list: `recall,remember_many`. Throws `INVALID_INPUT` when it
 * is neither.
 *
 * @param operations the names of all operations, in camelCase
 */
export function toolChoiceFrom(given: string, operations: readonly string[]): ToolChoice {
  const known = TOOL_SETS.find((each) => each === given.trim())
  if (known !== undefined) return known
  const names = given.split(',').flatMap((each) => each.trim() || [])
  const chosen = names.map((name) => operations.find((each) => spelling(each) === spelling(name)))
  const unknown = names.filter((_, at) => chosen[at] === undefined)
  if (names.length > 0 && unknown.length === 0)
    return [...new Set(chosen.filter((each) => each !== undefined))]
  const said = unknown.length === 0 ? '' : ` "${unknown.join(', ')}" is none of them.`
  throw new ElfmemError(
    'INVALID_INPUT',
    `A set of tools is verbs, agent or all, or a list of tools.${said}`,
    {
      recovery: `Say verbs, agent or all, or names with commas such as recall,remember; leave it out for ${USUAL_TOOL_SET}.`,
      details: { given, options: TOOL_SETS },
    },
  )
}

/** elfmem_remember_many, remember-many and rememberMany are one name. */
function spelling(name: string): string {
  return name
    .replace(/^elfmem[._-]/i, '')
    .replace(/[_-]/g, '')
    .toLowerCase()
}
