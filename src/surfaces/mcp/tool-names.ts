import { snakeCase } from '../../adapters/project/spelling.ts'
import type { ToolChoice } from '../../config/tool-sets.ts'
import type { Capability } from '../../flow/guard/accept-caller.ts'
import { operationNames } from '../../operations/load.ts'
import { type Offer, withOperations, withOwnersCommands } from '../../operations/tool-sets.ts'

/** Whom a server serves: its capability, and the tools. */
export interface Served {
  readonly capability: Capability
  readonly tools: ToolChoice
}

/** The facts that decide which tools a server lists, and how. */
export interface Listing extends Served {
  /** True if each tool says what its answers hold, which only some programs read. */
  readonly outputSchemas?: boolean
}

const known: ReadonlySet<string> = new Set(operationNames)

/** A program opens a memory; an owner starts a server. */
const OPENED_ANEW = 'open it with { anew: true }'
const STARTED_ANEW = 'the owner starts the server with --new'

/** Returns the name of the tool that calls an operation. */
export function toolName(operation: string): string {
  return `elfmem_${snakeCase(operation)}`
}

/** Returns the offer of a server that lists the tools of these operations. */
export function offerOf(operations: Iterable<string>): Offer {
  return { known, offered: new Set(operations) }
}

/**
 * Returns our own prose in the words of a caller of tools: `undo({ … })` is `elfmem_undo({ … })` there, and the owner's
 * command if the caller has no such tool.
 */
export function asTools(prose: string, offer: Offer): string {
  return inSnakeCase(withOwnersCommands(prose, offer)).replace(OPENED_ANEW, STARTED_ANEW)
}

/** Our own prose with names as a client knows them: `blockIds` is `block_ids` there. Paths stay as they are. */
function inSnakeCase(prose: string): string {
  const calls = withOperations(prose, { known }, (name, given) =>
    given === undefined ? toolName(name) : `${toolName(name)}({ ${given} })`,
  )
  return calls.replace(/(?<![\w./\\-])[a-z]+(?:[A-Z][a-z]*)+(?![\w/\\-])/g, snakeCase)
}
