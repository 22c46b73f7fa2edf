import { type Capability, mayDo } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { TOOL_SETS, type ToolChoice, type ToolSet } from './tool-choice.ts'

/** The part of a record that decides who is offered an operation. */
interface Listed {
  readonly name: string
  readonly needs: Capability
  readonly tools: ToolSet | 'none'
}

/** True if a set, or a choice of tools, lists the operation, whoever asks. */
export function isListed({ name, tools }: Pick<Listed, 'name' | 'tools'>, choice: ToolChoice): boolean {
  if (tools === 'none') return false
  if (typeof choice !== 'string') return choice.includes(name)
  return TOOL_SETS.indexOf(tools) <= TOOL_SETS.indexOf(choice)
}

/** The operations that a caller may call by a choice of tools, in the order given. */
export function offeredOf<T extends Listed>(
  operations: readonly T[],
  { capability, tools }: { readonly capability: Capability; readonly tools?: ToolChoice | undefined },
): T[] {
  return operations.filter(
    (each) => (tools === undefined || isListed(each, tools)) && mayDo({ capability }, each.needs),
  )
}

/** Returns the refusal of an operation that exists, but not in the set of tools of the server or token. */
export function notListed(said: string, choice: ToolChoice, { needs, tools }: Listed): ElfmemError {
  const asOwner = needs === 'owner' ? ' --as owner' : ''
  const recovery =
    tools === 'none'
      ? 'The owner calls it on the command line.'
      : `The owner can serve it, or give a token for it, with --tools all${asOwner}.`
  return new ElfmemError('TOOL_NOT_LISTED', `"${said}" is none of the tools that are served here.`, {
    recovery: `Nothing was done. ${recovery}`,
    details: { tool: said, tools: String(choice) },
  })
}

/** Matches a call in our own prose: `dream()`, `undo({ operationId: 6 })`, or the example of a guide. */
const CALL =
  /(?<![\w./\\-])(?:const [^=]+ = )?(?:await )?(?:memory\.)?([a-z][A-Za-z]*)\((\{(?:[^{}]|\{[^{}]*\})*\})?\)/g

/** Returns our own prose with each call written by `put`, which gets the arguments as they stand there. It returns undefined for a call that stays. */
export function withCalls(prose: string, put: (name: string, given: string) => string | undefined): string {
  return prose.replace(CALL, (said, name: string, given = '') => put(name, given) ?? said)
}

/** Returns the sentences of our own advice that call only operations that the caller is offered. */
export function offeredAdvice(prose: string, offered: ReadonlySet<string>): string {
  const isOffered = (sentence: string) => {
    const called: string[] = []
    withCalls(sentence, (name) => String(called.push(name)))
    return called.every((name) => offered.has(name))
  }
  return prose
    .split(/(?<=\.) /)
    .filter(isOffered)
    .join(' ')
}
