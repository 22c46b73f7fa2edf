import { type Block, isConstitutional, mayCover, type SourceClass, sourceClassOf } from '../block/block.ts'
import { defined, normalised } from '../block/text.ts'
import {
  CAPABILITIES,
  type CallContext,
  type Capability,
  callerOf,
  type Engine,
  mayDo,
  type OwnersCall,
  type Principal,
} from '../engine/engine.ts'
import { ElfmemError, type ErrorDetails } from '../errors.ts'

/** For surfaces: the scope that a flag names. */
export { normaliseScope as scopeFrom } from '../block/block.ts'

export { type Capability, mayDo, type Principal }

/** The default capability of a caller by surface. */
const USUAL = { library: 'agent', cli: 'owner', mcp: 'agent', dashboard: 'owner' } as const

/** The surfaces that callers come through. */
export type Surface = keyof typeof USUAL

/** The facts that a surface knows of a caller it accepts. */
interface Accepted {
  /** As the caller calls itself; it stands behind the surface's name and can pass for no other surface. */
  readonly name?: CallerName | undefined
  readonly as?: Capability | undefined
  readonly scope?: string | undefined
}

/**
 * Returns a caller as a surface accepts it. Callers of different surfaces, names or capabilities have different actors:
 * `mcp:claude`, `mcp:claude as owner`, `cli`, `library:importer`.
 */
export function acceptCaller(surface: Surface, { name, as, scope }: Accepted = {}): Principal {
  const capability = as ?? USUAL[surface]
  const actor = name ? `${surface}:${name}` : surface
  const said = capability === USUAL[surface] ? actor : `${actor} as ${capability}`
  return Object.freeze({ actor: said, capability, ...defined({ scope }) })
}

/** Returns the capability of a caller by the name under which the log has it. */
export function capabilityOf(actor: string): Capability {
  const [, said] = / as (owner|agent|reader)$/.exec(actor) ?? []
  const [surface = ''] = actor.split(/[: ]/, 1)
  return CAPABILITIES.find((each) => each === said) ?? USUAL[surface as Surface] ?? 'agent'
}

/** Returns a capability as somebody wrote it; throws `INVALID_INPUT` when it is none of the three. */
export function capabilityFrom(given: unknown): Capability {
  const known = CAPABILITIES.find((each) => each === given)
  if (known !== undefined) return known
  throw new ElfmemError('INVALID_INPUT', 'A caller is an owner, an agent or a reader.', {
    recovery: 'Say as: owner, agent or reader; leave it out for what is usual.',
    details: { given: String(given) },
  })
}

/** A name that a caller gave itself, as the log has it; `callerName` alone makes some. */
export type CallerName = string & { readonly [spelled]: true }
declare const spelled: unique symbol

/** UTF-16 units of a name that are looked through for secrets. */
const LOOKED_AT = 8_192
/** Signs of a name that are kept. */
const NAME_MAX = 64
/** Hexadecimal digits of the hash that tells two names apart: nobody finds a second name for them by trying. */
const HASH_DIGITS = 32
/** No rule finds a secret in so little, or in one plain word. */
const HARMLESS = /^(?:.{0,7}|[A-Za-z]{1,24})$/s
const OTHER_SIGN = /[^\p{L}\p{N}\p{M} ._-]/u

/**
 * Returns a name as the log has it: letters and digits of any script, `.`, `-` and `_` stay, a blank is a plus, and any other
 * sign an underscore. A hash of the whole stands behind a name that lost signs by that or by its length of 64, so that two
 * names stay two. A secret in a name is taken out, and no hash tells of it.
 */
export async function callerName(name: string): Promise<CallerName> {
  const whole = normalised(name, 'NFC')
  const kept = await withoutSecrets(whole)
  const signs = [...kept]
  const said = signs.slice(0, NAME_MAX).map((sign) => (OTHER_SIGN.test(sign) ? '_' : sign.replace(' ', '+')))
  const isWhole = signs.length <= NAME_MAX && !OTHER_SIGN.test(kept)
  const hash = isWhole || kept !== whole ? '' : `~${await hashOf(whole)}`
  return `${said.join('')}${hash}` as CallerName
}

async function withoutSecrets(name: string): Promise<string> {
  if (HARMLESS.test(name)) return name
  const { redactSecrets } = await import('../secrets/secrets.ts')
  return redactSecrets(name.slice(0, LOOKED_AT)).text + name.slice(LOOKED_AT)
}

/** Hashes the UTF-16 units of a text, so that halves of characters count, too. */
async function hashOf(text: string): Promise<string> {
  const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  const bytes = await crypto.subtle.digest('SHA-256', units)
  return Buffer.from(bytes).toString('hex').slice(0, HASH_DIGITS)
}

/** The part of an engine that tells who calls. */
type Called = Pick<Engine, 'principal'>

/** True if the caller is the owner, who may raise the trust of words and change principles. */
export function isOwner(engine: Called, context: CallContext): boolean {
  return mayDo(callerOf(engine, context), 'owner')
}

/** True if the caller may do more than look. */
export function mayWrite(engine: Called, context: CallContext): boolean {
  return mayDo(callerOf(engine, context), 'agent')
}

/** Returns the most trusted class the caller may claim: `user` if it is the owner, else `agent`. */
export function highestFor(engine: Called, context: CallContext): SourceClass {
  return isOwner(engine, context) ? 'user' : 'agent'
}

/** The fields of a text that tell who speaks. */
interface Claim extends Pick<Block, 'category' | 'tags'> {
  readonly source?: string | undefined
  readonly sourceClass?: SourceClass | undefined
}

/** Returns who speaks in what a caller brings, as far as this caller may say so. */
export function claimedClass(
  engine: Pick<Engine, 'settings' | 'principal'>,
  context: CallContext,
  { source, sourceClass, category, tags }: Claim,
): SourceClass {
  const { agentName } = engine.settings.project
  const said = { category, tags, declared: sourceClass, ...defined({ source }) }
  return sourceClassOf(said, { agentName, highest: highestFor(engine, context) })
}

/** True if a source means the owner and only labels the words, because somebody else calls. */
export function isLabelOnly(
  engine: Called,
  context: CallContext,
  { source, sourceClass }: Pick<Claim, 'source' | 'sourceClass'>,
): boolean {
  if (source === undefined || sourceClass !== undefined || isOwner(engine, context)) return false
  return sourceClassOf({ source, category: '', tags: [] }, { agentName: '', highest: 'user' }) === 'user'
}

/** The recovery of an owner's act; a surface says in its place how its owner does it. */
export const AS_OWNER =
  "If this program acts for the owner, open the memory with openMemory(path, { as: 'owner' })."
/** The recovery of a call that writes; a surface says in its place how its caller may write. */
export const AS_WRITER = "To write, open the memory without as: 'reader'."

/** The parts of a refusal of an owner's act. */
interface OwnersAct {
  /** The act and why it is the owner's, as a sentence without its full stop. */
  readonly what: string
  /** The call that the owner makes; absent if `otherwise` says it. */
  readonly call?: OwnersCall | undefined
  /** The other way that the caller may take, as a sentence. */
  readonly otherwise?: string | undefined
  readonly details?: Omit<ErrorDetails<'OWNER_ONLY'>, 'needs' | 'is' | 'call'>
}

const NAMES = { owner: 'the owner', agent: 'an agent', reader: 'a reader' } as const

/** Returns the one refusal of what is the owner's alone; its details have the call that the owner makes. */
export function ownerOnly(
  { capability }: Principal,
  { what, call, otherwise, details = {} }: OwnersAct,
): ElfmemError {
  return new ElfmemError('OWNER_ONLY', `${what}, and this caller is ${NAMES[capability]}.`, {
    recovery: [otherwise, call && AS_OWNER].filter(Boolean).join(' '),
    details: { needs: 'owner', is: capability, ...(call && { call }), ...details },
  })
}

/** Returns the refusal of a call that writes, for a caller that may only look. */
export function readsOnly({ capability }: Principal, operation: string): ElfmemError {
  return new ElfmemError('OWNER_ONLY', `${operation} writes, and this caller is ${NAMES[capability]}.`, {
    recovery: `A reader only looks, as with recall(). ${AS_WRITER}`,
    details: { needs: 'agent', is: capability },
  })
}

/** Throws `OWNER_ONLY` for a principle that anybody but the owner would change or archive. */
export function refusePrinciple(
  engine: Called,
  context: CallContext,
  { id, tags }: Pick<Block, 'id' | 'tags'>,
  call: OwnersCall | undefined,
): void {
  if (isOwner(engine, context) || !isConstitutional(tags)) return
  const what = `Block ${id} is a principle`
  throw ownerOnly(callerOf(engine, context), { what, call, details: { blockId: id } })
}

/** True if the words of a block are trusted more than any the caller may say. */
export function isAbove(engine: Called, context: CallContext, block: Pick<Block, 'sourceClass'>): boolean {
  return !mayCover(highestFor(engine, context), block)
}

/** An act of a caller on a block, as a participle (`edited`), and how else or by whom it is done. */
interface Act extends Pick<OwnersAct, 'call' | 'otherwise'> {
  readonly block: Pick<Block, 'id' | 'sourceClass'>
  readonly done: string
}

/** Throws `OWNER_ONLY` if a block is trusted more than the caller, who then may not do this to it. */
export function mustNotBeAbove(engine: Called, context: CallContext, { block, done, ...how }: Act): void {
  if (!isAbove(engine, context, block)) return
  const what = `Block ${block.id} holds the owner's words and is ${done} by the owner alone`
  throw ownerOnly(callerOf(engine, context), { what, ...how, details: { blockId: block.id } })
}
