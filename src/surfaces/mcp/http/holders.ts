import { type TokenRecord, type TokenStore, tokenHash } from '../../../adapters/project/tokens/token-store.ts'
import { HTTP_TOKEN_VARIABLE } from '../../../adapters/project/variables.ts'
import { type Capability, mayDo } from '../../../engine/engine.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { capabilityFrom } from '../../../intake/check-input.ts'
import { operationNames } from '../../../operations/load.ts'
import {
  TOOL_SETS,
  type ToolChoice,
  toolChoiceFrom,
  USUAL_TOOL_SET,
} from '../../../operations/tool-choice.ts'
import { HTTP_TOKEN_SIGNS } from '../../bounds.ts'

/** The holder of a token: a name, its rights, and the hash of the token. */
export interface Holder {
  /** The name in the log. */
  readonly name: string
  readonly capability: Capability
  /** The scope that no call leaves. */
  readonly scope?: string
  readonly tools: ToolChoice
  /** SHA-256 of the token. */
  readonly hash: Buffer
}

/** The holders of tokens, as they are when they are asked for. */
export interface Holders {
  /** Lists all holders; a holder whose rights are as they were is the same object as before. */
  all(): readonly Holder[]
}

/** The tools that somebody gave a server, and the names of those in each set. */
export interface ToolBound {
  readonly choice: ToolChoice
  readonly namesOf: (choice: ToolChoice) => readonly string[]
}

/** The holders that a server answers. */
interface HolderOptions {
  /** The holder of the token that was given by hand. */
  readonly given?: Holder | undefined
  /** The most tools of a token; absent: those of the token itself, or the usual ones. */
  readonly tools?: ToolBound | undefined
  /** The most that a token may do; an owner's rights by default. */
  readonly most?: Capability | undefined
  /** False: a token that a server made for itself opens nothing. */
  readonly takesAutomatic: boolean
}

/**
 * Returns the holders of a memory's tokens. A token that was revoked, or made, counts at once: the folder is looked at each time.
 */
export function holdersOf(
  store: TokenStore,
  { given, tools, takesAutomatic, most = 'owner' }: HolderOptions,
): Holders {
  let mark: string | undefined
  let known: readonly Holder[] = []
  return {
    all() {
      const now = store.mark()
      if (now !== undefined && now === mark) return known
      const counting = store.list().filter(({ isAutomatic }) => takesAutomatic || !isAutomatic)
      const found = counting.flatMap((record) => holderOfRecord(record, { tools, most }) ?? [])
      known = [...(given ? [given] : []), ...found].map(
        (each) => known.find((one) => isSame(one, each)) ?? each,
      )
      mark = now
      return known
    },
  }
}

/** Undefined for a record that cannot be read: its token opens nothing. */
function holderOfRecord(
  { name, as, scope, tools, sha256 }: TokenRecord,
  bounds: Pick<HolderOptions, 'tools'> & { readonly most: Capability },
): Holder | undefined {
  return attempt(() => ({
    name,
    capability: lesser(capabilityFrom(as), bounds.most),
    ...(scope === undefined ? {} : { scope }),
    tools: toolsWithin(tools === undefined ? undefined : toolChoiceFrom(tools, operationNames), bounds.tools),
    hash: Buffer.from(sha256, 'hex'),
  }))
}

/** The tools that a token and its server both say. */
function toolsWithin(own: ToolChoice | undefined, bound: ToolBound | undefined): ToolChoice {
  if (bound === undefined) return own ?? USUAL_TOOL_SET
  const { choice, namesOf } = bound
  if (own === undefined) return choice
  if (typeof own === 'string' && typeof choice === 'string')
    return TOOL_SETS.indexOf(own) < TOOL_SETS.indexOf(choice) ? own : choice
  const most = namesOf(choice)
  return namesOf(own).filter((name) => most.includes(name))
}

function lesser(one: Capability, other: Capability): Capability {
  return mayDo({ capability: one }, other) ? other : one
}

function isSame(one: Holder, other: Holder): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A token that is given by hand, as the variable has it: what it may do the server's flags say. */
export function givenHolder(
  token: string,
  { capability, tools }: { readonly capability: Capability; readonly tools: ToolChoice },
): Holder {
  if (token.length < HTTP_TOKEN_SIGNS || token.length > 512 || !/^[A-Za-z0-9._~+/-]+=*$/.test(token))
    throw new ElfmemError('INVALID_INPUT', `${HTTP_TOKEN_VARIABLE} holds no token that can be used.`, {
      recovery: `Give it ${HTTP_TOKEN_SIGNS} to 512 random letters, digits, dots and dashes; elfmem tokens add makes one for you.`,
    })
  return { name: 'environment', capability, tools, hash: tokenHash(token) }
}
