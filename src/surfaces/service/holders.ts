import { isExpired, tokenHash } from '../../adapters/project/tokens/token-store.ts'
import { HTTP_TOKEN_VARIABLE } from '../../adapters/project/variables.ts'
import { type Capability, mayDo } from '../../engine/engine.ts'
import type { TokenIndex, TokenRecord } from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { capabilityFrom } from '../../intake/check-input.ts'
import { operationNames } from '../../operations/load.ts'
import { TOOL_SETS, type ToolChoice, toolChoiceFrom, USUAL_TOOL_SET } from '../../operations/tool-choice.ts'
import { isListed } from '../../operations/tool-sets.ts'
import { HTTP_TOKEN_SIGNS } from '../bounds.ts'

/** The holder of a token: a name, its rights, and the hash of the token. */
export interface Holder {
  /** The name in the log. */
  readonly name: string
  /** The memory that the token opens: its name in a service of many, else the path of its file. */
  readonly memory: string
  readonly capability: Capability
  /** The scope that no call leaves. */
  readonly scope?: string
  readonly tools: ToolChoice
  /** SHA-256 of the token, hexadecimal. */
  readonly sha256: string
  /** The time from which the token opens nothing, ISO-8601 UTC. */
  readonly expiresAt?: string
}

/** The holders of a service's tokens, as they are when they are asked for. */
export interface Holders {
  /**
   * Finds the holder of a token by the SHA-256 of it; undefined if there is none, or it was revoked or is expired. A holder whose rights are
   * as they were is the same object as before.
   */
  find(sha256: string): Promise<Holder | undefined>
}

/** The most that any token of a server may do. */
export interface HolderBounds {
  /** Returns the tools of a token from its own choice, if it has one; by default its own, or the usual ones. */
  readonly toolsOf?: (own: ToolChoice | undefined) => ToolChoice
  /** The most rights of a token; those of an owner by default. */
  readonly most?: Capability | undefined
  /** The holder of the token in `ELFMEM_HTTP_TOKEN`. */
  readonly given?: Holder | undefined
  /** True: a token that a server made for itself opens its memory, too. */
  readonly takesAutomatic?: boolean
}

/** The most holders that are kept, so that a holder is the same object as before. */
const HOLDERS_KEPT = 10_000

/** Returns the holders of tokens, which are looked for by their hash each time they are shown. */
export function holdersOf(tokens: TokenIndex, bounds: HolderBounds): Holders & { all(): Promise<Holder[]> } {
  const { given, takesAutomatic = false } = bounds
  const known = new Map<string, Holder>()
  const opened = (record: TokenRecord) => {
    const isOpen = !isExpired(record, Date.now()) && (takesAutomatic || !record.isAutomatic)
    return isOpen ? holderOf(record, bounds) : undefined
  }
  return {
    find: async (sha256) => {
      if (given?.sha256 === sha256) return given
      const record = await tokens.find(sha256)
      const [found, before] = [record && opened(record), known.get(sha256)]
      known.delete(sha256)
      if (found === undefined) return undefined
      const holder = before && JSON.stringify(before) === JSON.stringify(found) ? before : found
      known.set(sha256, holder)
      const [oldest] = known.keys()
      if (known.size > HOLDERS_KEPT && oldest !== undefined) known.delete(oldest)
      return holder
    },
    all: async () => {
      const listed = (await tokens.list()).flatMap((record) => opened(record) ?? [])
      return given === undefined ? listed : [given, ...listed]
    },
  }
}

/** Returns the holder of a token; undefined for a record that cannot be read, whose token opens nothing. */
function holderOf(
  { name, memory, as, scope, tools, sha256, expiresAt }: TokenRecord,
  { toolsOf = (own = USUAL_TOOL_SET) => own, most = 'owner' }: HolderBounds,
): Holder | undefined {
  return attempt(() => {
    const own = capabilityFrom(as)
    return {
      ...{ name, memory, sha256 },
      capability: mayDo({ capability: own }, most) ? most : own,
      ...(scope === undefined ? {} : { scope }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      tools: toolsOf(tools === undefined ? undefined : toolChoiceFrom(tools, operationNames)),
    }
  })
}

/** Returns a function that limits the tools of a token to those that its server has. */
export async function toolsWithin(
  choice: ToolChoice | undefined,
): Promise<NonNullable<HolderBounds['toolsOf']>> {
  if (choice === undefined) return (own = USUAL_TOOL_SET) => own
  const { operations } = await import('../../operations/table.ts')
  return (own = choice) => {
    if (typeof own === 'string' && typeof choice === 'string')
      return TOOL_SETS.indexOf(own) < TOOL_SETS.indexOf(choice) ? own : choice
    return operations.filter((each) => isListed(each, own) && isListed(each, choice)).map(({ name }) => name)
  }
}

/** A token that is given by hand, as the variable has it: what it may do the server's flags say. */
export function givenHolder(token: string, rights: Pick<Holder, 'memory' | 'capability' | 'tools'>): Holder {
  if (token.length < HTTP_TOKEN_SIGNS || token.length > 512 || !/^[A-Za-z0-9._~+/-]+=*$/.test(token))
    throw new ElfmemError('INVALID_INPUT', `${HTTP_TOKEN_VARIABLE} holds no token that can be used.`, {
      recovery: `Give it ${HTTP_TOKEN_SIGNS} to 512 random letters, digits, dots and dashes; elfmem tokens add makes one for you.`,
    })
  return { name: 'environment', ...rights, sha256: tokenHash(token) }
}
