import { type Capability, mayDo } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { TOOL_SETS, type ToolChoice, type ToolSet } from './tool-choice.ts'
import { shellWord } from './wording.ts'

/** The part of a record that decides who is offered an operation. */
interface Listed {
  readonly name: string
  readonly needs: Capability
  readonly tools: ToolSet | 'none'
}

/** Returns `dry-run` for `dryRun`, as a command line has it. */
function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/**
 * Returns a call in our own prose as its command: `undo({ operationId: 6 })` is `elfmem undo 6`.
 *
 * @param given the arguments in the text
 * @param positionals names of arguments that need no flag
 */
export function commandOf(name: string, given = '', positionals: readonly string[] = []): string {
  const words = given.split(', ').flatMap((each) => {
    const [, key, value] = /^([a-z]\w*)(?:: (.*))?$/i.exec(each) ?? []
    if (key === undefined) return []
    if (value === 'true') return `--${kebab(key)}`
    const said = value === undefined ? `<${kebab(key)}>` : shellWord(value.replaceAll("'", ''))
    return positionals.includes(key) ? said : `--${kebab(key)} ${said}`
  })
  return ['elfmem', kebab(name), ...words].join(' ')
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

/** The refusal of an operation that is there, but not in the set of tools of the server. */
export function notListed(said: string, choice: ToolChoice, { name, needs, tools }: Listed): ElfmemError {
  if (tools === 'none')
    return new ElfmemError('TOOL_NOT_LISTED', `"${said}" is no tool of any set.`, {
      recovery: `Nothing was done. The owner calls it on the command line: ${commandOf(name)}.`,
      details: { tool: said, tools: String(choice) },
    })
  const asOwner = needs === 'owner' ? ' --as owner' : ''
  const served = typeof choice === 'string' ? `of the set "${choice}"` : 'that were chosen'
  return new ElfmemError('TOOL_NOT_LISTED', `"${said}" is none of the tools ${served}.`, {
    recovery: `Nothing was done. The owner can start with --tools all${asOwner}: elfmem serve --tools all${asOwner}.`,
    details: { tool: said, tools: String(choice) },
  })
}

/** The operations there are, and those of them that a caller is offered, by name. */
export interface Offer {
  readonly known: ReadonlySet<string>
  readonly offered: ReadonlySet<string>
}

/**
 * An operation that our own prose names as one: `dream()`, `undo({ operationId })`, or a name of several words. A name of one
 * word without brackets is a word.
 */
const NAMED = /(?<![\w./\\-])([a-z][A-Za-z]*)(?:\((?:\{([^{}]*)\})?\)|(?![\w/\\(-]))/g

/** Returns our own prose with each operation that it names put another way; undefined leaves one as it is. */
export function withOperations(
  prose: string,
  { known }: Pick<Offer, 'known'>,
  put: (name: string, given: string | undefined) => string | undefined,
): string {
  return prose.replace(NAMED, (said, name: string, given: string | undefined) => {
    const isNamed = known.has(name) && (said !== name || /[A-Z]/.test(name))
    return (isNamed ? put(name, given?.trim()) : undefined) ?? said
  })
}

/**
 * Returns our own prose for a caller: an operation that it is not offered stands as the owner's command, since there is no tool
 * of that name.
 *
 * @param prose in the names of the library
 */
export function withOwnersCommands(prose: string, offer: Offer): string {
  return withOperations(prose, offer, (name, given) =>
    offer.offered.has(name) ? undefined : `the owner's command ${commandOf(name, given)}`,
  )
}

/** Returns the sentences of our own advice that name only what a caller is offered; the others are of no use to it. */
export function offeredAdvice(prose: string, offer: Offer): string {
  const isOffered = (sentence: string) => {
    let isSo = true
    withOperations(sentence, offer, (name) => {
      isSo &&= offer.offered.has(name)
      return undefined
    })
    return isSo
  }
  return prose
    .split(/(?<=\.) /)
    .filter(isOffered)
    .join(' ')
}
