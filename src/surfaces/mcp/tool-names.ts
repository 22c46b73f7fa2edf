import { snakeCase } from '../../adapters/project/spelling.ts'
import type { Capability } from '../../engine/engine.ts'
import { AS_OWNER } from '../../intake/check-input.ts'
import { operationNames } from '../../operations/load.ts'
import type { ToolChoice } from '../../operations/tool-choice.ts'
import { type Offer, withOperations, withOwnersCommands } from '../../operations/tool-sets.ts'
import { exampleToolCall } from '../example.ts'
import type { Language } from '../spoken.ts'

/** Whom a server serves: its capability, and the tools. */
export interface Served {
  readonly capability: Capability
  readonly tools: ToolChoice
  /** The token of the caller; its holder is refused in other words. */
  readonly token?: { readonly scope?: string | undefined } | undefined
}

/** The facts that decide which tools a server lists, and how. */
export interface Listing extends Served {
  /** True if each tool says what its answers hold, which only some programs read. */
  readonly outputSchemas?: boolean
}

const known: ReadonlySet<string> = new Set(operationNames)

/** The prefix of the names of tools on a server; a program may choose another. */
const PREFIX = 'elfmem_'

/** The operations that a caller of tools is offered, and how the names of its tools begin. */
interface ToolOffer extends Offer {
  readonly prefix: string
}

/** Returns the name of the tool that calls an operation. */
export function toolName(operation: string, prefix = PREFIX): string {
  return `${prefix}${snakeCase(operation)}`
}

/** Returns the offer to a caller that has the tools of these operations. */
export function offerOf(operations: Iterable<string>, prefix = PREFIX): ToolOffer {
  return { known, offered: new Set(operations), prefix }
}

/** The names of tools and their arguments, and our prose for a caller of tools. */
export function toolLanguage(offer: ToolOffer): Language {
  const named = (operation: string) => toolName(operation, offer.prefix)
  return {
    name: snakeCase,
    example: (operation) => exampleToolCall(operation, named(operation.name)),
    prose: (text) => asTools(text, offer),
  }
}

/**
 * Returns our own prose in the words of a caller of tools: `undo({ … })` is `elfmem_undo({ … })` there, and the owner's command if the
 * caller has no such tool; `blockIds` is `block_ids`. Paths stay, and what a program calls to open a memory.
 */
export function asTools(prose: string, { prefix, ...offer }: ToolOffer): string {
  const about = prose.replace(AS_OWNER, 'Ask the owner to do it on the command line.')
  const calls = withOperations(withOwnersCommands(about, offer), offer, (name, given) =>
    given === undefined ? toolName(name, prefix) : `${toolName(name, prefix)}({ ${given} })`,
  )
  return calls.replace(/(?<![\w./\\-])(?!openMemory\b)[a-z]+(?:[A-Z][a-z]*)+(?![\w/\\-])/g, snakeCase)
}
