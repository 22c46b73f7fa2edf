import { kebabCase, snakeCase } from '../../adapters/project/spelling.ts'
import type { Capability } from '../../engine/engine.ts'
import { operationNames } from '../../operations/load.ts'
import type { ToolChoice } from '../../operations/tool-choice.ts'
import { withCalls } from '../../operations/tool-sets.ts'
import { outsideQuotes } from '../prose.ts'

/** Whom a server serves: its capability, and the tools. */
export interface Served {
  readonly capability: Capability
  readonly tools: ToolChoice
  /** The token of the caller. */
  readonly token?: { readonly scope?: string | undefined } | undefined
}

/** The facts that decide which tools a server lists, and how. */
export interface Listing extends Served {
  /** True if each tool says what its answers hold, which only some programs read. */
  readonly outputSchemas?: boolean
}

/** The prefix of the names of tools on a server; a program may choose another. */
const PREFIX = 'elfmem_'

/** The operations that a caller of tools is offered, and how the names of its tools begin. */
export interface ToolOffer {
  readonly offered: ReadonlySet<string>
  readonly prefix?: string | undefined
}

/** Returns the name of the tool that calls an operation. */
export function toolName(operation: string, prefix = PREFIX): string {
  return `${prefix}${snakeCase(operation)}`
}

const known = new Set(operationNames)

/** A name of several words that is no part of a path. */
const NAME = /(?<![\w/\\-]|[^\]]\.)[a-z]{2,}(?:[A-Z][a-z]+)*[A-Z][a-z]*(?![\w/\\-]|\.\w)/g

/**
 * Returns our own prose in the words of a caller of tools: `undo({ operationId: 6 })` is `elfmem_undo({ operation_id: 6 })`, or the owner's
 * command if the caller has no such tool.
 */
export function asTools(prose: string, { offered, prefix }: ToolOffer): string {
  return outsideQuotes(prose, (text) =>
    withCalls(text, (name, given) => {
      if (!known.has(name)) return undefined
      if (!offered.has(name)) return `the owner's command elfmem ${kebabCase(name)}`
      return `${toolName(name, prefix)}${given && `(${given})`}`
    }).replace(NAME, snakeCase),
  )
}
