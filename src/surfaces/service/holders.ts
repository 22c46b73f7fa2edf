import { isExpired, tokenHash } from '../../adapters/project/tokens/token-store.ts'
import { HTTP_TOKEN_VARIABLE } from '../../adapters/project/variables.ts'
import { type Capability, mayDo } from '../../engine/engine.ts'
import type { TokenIndex, TokenRecord } from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { capabilityFrom } from '../../intake/check-input.ts'
import { operationNames } from '../../operations/load.ts'
import { TOOL_SETS, type ToolChoice, toolChoiceFrom, USUAL_TOOL_SET } from '../../operations/tool-choice.ts'
import { HTTP_TOKEN_SIGNS } from '../bounds.ts'
import { listTools } from '../mcp/tool-list.ts'
import { toolName } from '../mcp/tool-names.ts'

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

/** The tools that somebody gave a server, and the names of those in each set. */
interface ToolBound {
  readonly choice: ToolChoice
  readonly namesOf: (choice: ToolChoice) => readonly string[]
}

/** The most that any token of a server may do. */
export interface HolderBounds {
  /** The most tools of a token; absent: those of the token itself, or the usual ones. */
  readonly tools?: ToolBound | undefined
  /** An owner's rights by default. */
  readonly most?: Capability | undefined
  /** The holder of the token that was given by hand. */
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
  { tools: bound, most = 'owner' }: HolderBounds,
): Holder | undefined {
  return attempt(() => {
    const own = capabilityFrom(as)
    return {
      ...{ name, memory, sha256 },
      capability: mayDo({ capability: own }, most) ? most : own,
      ...(scope === undefined ? {} : { scope }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      tools: toolsWithin(tools === undefined ? undefined : toolChoiceFrom(tools, operationNames), bound),
    }
  })
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

/** Returns the tools beyond which no token goes; undefined where nobody named any. The lists of the sets are read. */
export async function toolBound(choice: ToolChoice | undefined): Promise<ToolBound | undefined> {
  if (choice === undefined) return undefined
  const sets = new Map<ToolChoice, readonly string[]>()
  for (const tools of TOOL_SETS) {
    const listed = new Set((await listTools({ capability: 'owner', tools })).map(({ name }) => name))
    const names = operationNames.filter((name) => listed.has(toolName(name)))
    sets.set(tools, names)
  }
  return { choice, namesOf: (given) => sets.get(given) ?? [...given] }
}

/** A token that is given by hand, as the variable has it: what it may do the server's flags say. */
export function givenHolder(token: string, rights: Pick<Holder, 'memory' | 'capability' | 'tools'>): Holder {
  if (token.length < HTTP_TOKEN_SIGNS || token.length > 512 || !/^[A-Za-z0-9._~+/-]+=*$/.test(token))
    throw new ElfmemError('INVALID_INPUT', `${HTTP_TOKEN_VARIABLE} holds no token that can be used.`, {
      recovery: `Give it ${HTTP_TOKEN_SIGNS} to 512 random letters, digits, dots and dashes; elfmem tokens add makes one for you.`,
    })
  return { name: 'environment', ...rights, sha256: tokenHash(token) }
}
