import { isExpired, type TokenFiles, tokenHash } from '../../../adapters/project/tokens/token-store.ts'
import { HTTP_TOKEN_VARIABLE } from '../../../adapters/project/variables.ts'
import { type Capability, mayDo } from '../../../engine/engine.ts'
import type { TokenRecord } from '../../../engine/ports.ts'
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
  /** The memory that the token opens: its name in a service, else the path of its file. */
  readonly memory: string
  readonly capability: Capability
  /** The scope that no call leaves. */
  readonly scope?: string
  readonly tools: ToolChoice
  /** SHA-256 of the token. */
  readonly hash: Buffer
  /** The time from which the token opens nothing, ISO-8601 UTC. */
  readonly expiresAt?: string
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

/** The most that any token of a server may do. */
export interface HolderBounds {
  /** The most tools of a token; absent: those of the token itself, or the usual ones. */
  readonly tools?: ToolBound | undefined
  /** An owner's rights by default. */
  readonly most?: Capability | undefined
}

/** The holders that a server answers. */
interface HolderOptions extends HolderBounds {
  /** The holder of the token that was given by hand. */
  readonly given?: Holder | undefined
  /** False: a token that a server made for itself opens nothing. */
  readonly takesAutomatic: boolean
}

/**
 * Returns the holders of the tokens in a folder. A token that was revoked, made or is expired counts at once: the folder is looked at each
 * time.
 */
export function holdersOf(store: TokenFiles, { given, takesAutomatic, ...bounds }: HolderOptions): Holders {
  let mark: string | undefined
  let known: readonly Holder[] = []
  const unexpired = () => known.filter((each) => !isExpired(each, Date.now()))
  return {
    all() {
      const now = store.mark()
      if (now !== undefined && now === mark) return unexpired()
      const counting = store.list().filter(({ isAutomatic }) => takesAutomatic || !isAutomatic)
      const found = counting.flatMap((record) => holderOfRecord(record, bounds) ?? [])
      known = [...(given ? [given] : []), ...found].map(
        (each) => known.find((one) => isSame(one, each)) ?? each,
      )
      mark = now
      return unexpired()
    },
  }
}

/** Returns the holder of a token; undefined for a record that cannot be read, whose token opens nothing. */
export function holderOfRecord(
  { name, memory, as, scope, tools, sha256, expiresAt }: TokenRecord,
  bounds: HolderBounds,
): Holder | undefined {
  return attempt(() => ({
    ...{ name, memory },
    capability: lesser(capabilityFrom(as), bounds.most ?? 'owner'),
    ...(scope === undefined ? {} : { scope }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
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

/** Returns true if two holders have the same rights. */
export function isSame(one: Holder, other: Holder): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A token that is given by hand, as the variable has it: what it may do the server's flags say. */
export function givenHolder(token: string, rights: Pick<Holder, 'memory' | 'capability' | 'tools'>): Holder {
  if (token.length < HTTP_TOKEN_SIGNS || token.length > 512 || !/^[A-Za-z0-9._~+/-]+=*$/.test(token))
    throw new ElfmemError('INVALID_INPUT', `${HTTP_TOKEN_VARIABLE} holds no token that can be used.`, {
      recovery: `Give it ${HTTP_TOKEN_SIGNS} to 512 random letters, digits, dots and dashes; elfmem tokens add makes one for you.`,
    })
  return { name: 'environment', ...rights, hash: tokenHash(token) }
}
