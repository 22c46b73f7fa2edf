import {
  type Block,
  isConstitutional,
  isIdentityTag,
  isOwn,
  isProtectedTag,
  mayCover,
  normaliseTags,
  type SourceClass,
  sourceClassOf,
  TAGS_MOST,
} from '../block/block.ts'
import { defined, isStorable, normaliseContent, normalised, wordSet } from '../block/text.ts'
import { isInOrder, type Validity } from '../block/validity.ts'
import {
  CAPABILITIES,
  type CallContext,
  type Capability,
  callerOf,
  type Engine,
  mayDo,
  type OwnersCall,
  Pauses,
  type Principal,
} from '../engine/engine.ts'
import type { Settings } from '../engine/settings.ts'
import { ElfmemError, type ErrorDetails } from '../errors.ts'
import type { Redacted } from '../secrets/secrets.ts'
import { readBlocks } from '../store/blocks.ts'
import type { ReadTransaction } from '../store/transaction.ts'

type Limits = Settings['memory']

/** Longest name in UTF-16 units: a tag, source, session, category or relation. */
export const NAME_MAX = 1_024
/** Longest value of a named item as JSON, in bytes: a long file or a turn of a conversation. */
export const ITEM_BYTES = 1_048_576
/** Most lists, objects and values in one call: some 100,000 blocks. */
const CALL_VALUES = 1_000_000
/** Longest call in UTF-16 units of all its texts. */
const CALL_LENGTH = 64_000_000

/**
 * Throws `LIMIT_EXCEEDED` for a call with more values or longer texts than any call needs, before its schema looks at each.
 * The input may be of any shape.
 */
export function checkSize(input: unknown): void {
  // An argument has fewer levels, and the value of an item has a limit of its own.
  measure(input, { values: 0, length: 0 }, 16)
}

function measure(value: unknown, found: { values: number; length: number }, levels: number): void {
  const items = typeof value === 'object' && value !== null && levels > 0 ? Object.values(value) : []
  const recovery = 'Make several calls of it.'
  const values = found.values + 1 + items.length
  mustFit({ what: 'the call', found: values, limit: CALL_VALUES, unit: 'values', recovery })
  found.values++
  if (typeof value === 'string') found.length += value.length
  else if (!Array.isArray(value) && items.length > 0)
    found.length += Object.keys(Object(value)).join('').length
  mustFit({ what: 'the call', found: found.length, limit: CALL_LENGTH, unit: 'characters', recovery })
  for (const item of items) measure(item, found, levels - 1)
}

/** The number that was counted, and its limit. */
interface OverLimit {
  /** The name of the argument, or of what else was counted. */
  readonly what: string
  readonly found: number
  readonly limit: number
  /** `bytes`, `characters`, `items`, `values`. */
  readonly unit: string
  /** The setting it comes from, such as `memory.max_content_bytes`; absent for a fixed limit. */
  readonly setting?: string
  readonly recovery: string
}

/** Returns the one refusal of an input over its limit: says the limit, what was found and the setting's name. */
export function overLimit({ what, found, limit, unit, setting, recovery }: OverLimit): ElfmemError {
  const by = setting === undefined ? '' : ` (${setting})`
  return new ElfmemError('LIMIT_EXCEEDED', `${what} has ${found} ${unit}; at most ${limit} are taken${by}.`, {
    recovery,
    details: { arguments: [what], found, limit, unit, ...defined({ setting }) },
  })
}

function mustFit(given: OverLimit): void {
  if (given.found > given.limit) throw overLimit(given)
}

/** Throws `INVALID_INPUT` unless the text is one storable statement: not blank, whole Unicode, within the limit. */
export function checkContent(content: string, { maxContentBytes }: Limits): void {
  checkText('content', content)
  if (normaliseContent(content) === '')
    throw invalid('There is nothing to remember: the content is blank.', {
      recovery: 'Pass one statement that makes sense on its own.',
    })
  mustFit({
    ...{ what: 'content', found: Buffer.byteLength(content), limit: maxContentBytes, unit: 'bytes' },
    setting: 'memory.max_content_bytes',
    recovery:
      'Pass the text to learnDocument, which cuts it into blocks, or remember its statements one by one.',
  })
}

/** Throws `INVALID_INPUT` unless the cue is one line within the limit. */
export function checkCue(cue: string): void {
  checkText('cue', cue)
  const recovery = 'Say in one short line when this should come to mind; details belong into the content.'
  if (/[\r\n]/.test(cue)) throw invalid('A cue is one line; this one has several.', { recovery })
  mustFit({
    ...{ what: 'cue', found: Buffer.byteLength(cue), limit: NAME_MAX, unit: 'bytes' },
    recovery,
  })
}

/** Returns the tags in their one spelling, when they are not too many. */
export function checkTags(tags: readonly string[]): string[] {
  for (const tag of tags) checkText('tag', tag)
  const normalised = normaliseTags(tags)
  mustFit({
    ...{ what: 'tags', found: normalised.length, limit: TAGS_MOST, unit: 'items' },
    recovery: 'Keep the tags that would help to find it again.',
  })
  return normalised
}

/** Throws `PROTECTED` when an ordinary caller wants to give a tag that needs an explicit trusted act. */
export function refuseProtectedTags(tags: readonly string[]): void {
  const refused = tags.filter(isProtectedTag)
  if (refused.length === 0) return
  throw new ElfmemError('PROTECTED', `Tags that cannot be given this way: ${refused.join(', ')}.`, {
    recovery:
      'Leave them out here: principles are the owner’s to write, and peer tags belong to what peers sent.',
    details: { tags: refused },
  })
}

/** Throws `PROTECTED` when the words of others would become part of who the agent is. */
export function refuseIdentityTags(tags: readonly string[], sourceClass: SourceClass): void {
  const refused = isOwn({ sourceClass }) ? [] : tags.filter(isIdentityTag)
  if (refused.length === 0) return
  const whose = sourceClass === 'import' ? 'an import' : `a ${sourceClass}`
  throw new ElfmemError('PROTECTED', `The words of ${whose} cannot become identity: ${refused.join(', ')}.`, {
    recovery:
      'Leave self/* tags out, or remember in your own words what you take from it. The owner may vouch for a block first, on the command line: elfmem edit, its id, --source-class user.',
    details: { tags: refused, sourceClass },
  })
}

/** Returns an ISO date (its first instant, UTC) or date-time (UTC unless it names a zone) as ISO-8601 UTC. */
export function instantOf(at: string): string {
  const zoned = !at.includes('T') || /(?:Z|[+-]\d\d:\d\d)$/.test(at) ? at : `${at}Z`
  const ms = Date.parse(zoned)
  if (!Number.isNaN(ms)) return new Date(ms).toISOString()
  throw invalid(`"${at}" is not a date.`, {
    recovery: 'Write it like 2024-05-01 or 2024-05-01T09:30:00Z.',
    details: { at },
  })
}

/** Returns when something holds, as a caller says it; throws `INVALID_INPUT` when it would end before it begins, or as it does. */
export function validityGiven(given: { readonly [K in keyof Validity]?: string | undefined }): Validity {
  const [validFrom, validUntil] = [given.validFrom, given.validUntil].map((at) => at && instantOf(at))
  return mustHold(defined({ validFrom, validUntil }))
}

/** Throws `INVALID_INPUT` when something would hold at no time: by its own end, or because another block took its place. */
export function mustHold<T extends Validity & Partial<Pick<Block, 'id' | 'supersededAt'>>>(block: T): T {
  const { id, validFrom = '', validUntil, supersededAt } = block
  if (!isInOrder(block))
    throw invalid(`It would hold from ${validFrom} and end before, or then: at ${validUntil}.`, {
      recovery:
        'Give a validUntil that is after validFrom (of a single day the day after), or leave one of them out.',
      details: { validFrom, validUntil },
    })
  if (supersededAt === undefined || validFrom <= supersededAt) return block
  throw invalid(`Block ${id} would hold from ${validFrom}, but another took its place at ${supersededAt}.`, {
    recovery: `Give a validFrom that is not after that. If it goes on: edit({ blockId: '${id}', validFrom, validUntil: '' }).`,
    details: { blockId: id, validFrom, validUntil: supersededAt },
  })
}

/** Throws `LIMIT_EXCEEDED` or `INVALID_INPUT` for a name that is too long or cannot be stored. */
export function checkName(what: string, name: string): void {
  checkText(what, name)
  const [found, limit] = [name.length, NAME_MAX]
  mustFit({ what, found, limit, unit: 'characters', recovery: 'Choose a shorter one.' })
}

/** Throws `INVALID_INPUT` for a text with a NUL or half a character; `what` names the text in the message. */
export function checkText(what: string, text: string): void {
  if (isStorable(text)) return
  throw invalid(`The ${what} holds a NUL or half a character and cannot be stored as it is.`, {
    recovery:
      'Remove the broken characters; they usually come from cutting or decoding a text in the wrong place.',
  })
}

function invalid(
  message: string,
  options: { recovery: string; details?: Readonly<Record<string, unknown>> },
): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, options)
}

/**
 * Returns the name of a session as it may be kept; no operation begins sessions, so none checked it yet.
 * Throws `INVALID_INPUT`, `LIMIT_EXCEEDED` or `SECRET_REFUSED` as any call would.
 */
export async function taskTypeOf({ settings }: Engine, taskType: string): Promise<string> {
  if (typeof taskType !== 'string')
    throw new ElfmemError('INVALID_INPUT', 'The taskType of a session is a text.', {
      recovery: "Call it what the session is about, such as { taskType: 'review' }, or leave it out.",
    })
  checkName('taskType', taskType)
  const { input } = await guardSecrets({ taskType }, settings.memory.secrets)
  return input.taskType
}

/** The fewest characters of an id that callers may give. */
export const ID_PREFIX_MIN = 4

/** The result of resolving ids. */
export interface ResolvedIds {
  /** Whole ids, unique, in the order given. */
  readonly ids: readonly string[]
  /** The whole id by what was given for it. */
  readonly byGiven: ReadonlyMap<string, string>
  /** Prefixes that match no block or are too short, as given, unique. */
  readonly unknown: readonly string[]
  /** Prefixes that match several blocks, with the error for each; empty unless they are to be reported. */
  readonly ambiguous: ReadonlyMap<string, ElfmemError>
}

/**
 * Turns whole ids and unique prefixes into whole ids, in one statement however many there are. Throws `AMBIGUOUS_ID` with the
 * candidates, unless they are to be reported; unknown ones are returned, so that a batch can report them.
 */
export async function resolveIds(
  tx: ReadTransaction,
  given: readonly string[],
  { ambiguous: handling = 'throw' }: { readonly ambiguous?: 'throw' | 'report' } = {},
): Promise<ResolvedIds> {
  const prefixes = [...new Set(given.map((each) => each.trim()))]
  const matches = prefixes.length === 0 ? new Map<string, string[]>() : await tx.queries.idsByPrefix(prefixes)
  const byGiven = new Map<string, string>()
  const unknown: string[] = []
  const ambiguous = new Map<string, ElfmemError>()
  for (const prefix of prefixes) {
    const candidates = matches.get(prefix) ?? []
    const [only] = candidates
    if (only === undefined || prefix.length < ID_PREFIX_MIN) unknown.push(prefix)
    else if (candidates.length === 1) byGiven.set(prefix, only)
    else {
      const error = new ElfmemError('AMBIGUOUS_ID', `More than one block id begins with "${prefix}".`, {
        recovery: `Give more characters of the id; two that begin so are ${candidates.join(' and ')}.`,
        details: { prefix, candidates },
      })
      if (handling === 'throw') throw error
      ambiguous.set(prefix, error)
    }
  }
  return { ids: [...new Set(byGiven.values())], byGiven, unknown, ambiguous }
}

/** Returns whole ids as `resolveIds` does, and a function that gives the one of an id or prefix, or throws as `requireIds` does. */
export async function readIds(tx: ReadTransaction, given: readonly string[]) {
  const { ids, byGiven, ambiguous } = await resolveIds(tx, given, { ambiguous: 'report' })
  const idOf = (one: string): string => {
    const [unclear, id] = [ambiguous.get(one.trim()), byGiven.get(one.trim())]
    if (unclear !== undefined) throw unclear
    if (id === undefined) throw notFound([one])
    return id
  }
  return { ids, idOf }
}

/** Returns the whole ids in the order given, repeats kept; throws `NOT_FOUND` and `AMBIGUOUS_ID`. */
export async function requireIds(tx: ReadTransaction, given: readonly string[]): Promise<string[]> {
  return given.map((await readIds(tx, given)).idOf)
}

/** Returns the one block an id or unique prefix stands for; throws `NOT_FOUND` or `AMBIGUOUS_ID`. */
export async function requireBlock(tx: ReadTransaction, given: string): Promise<Block> {
  const [block] = await readBlocks(tx, await requireIds(tx, [given]))
  if (!block) throw notFound([given])
  return block
}

/** Returns the refusal of ids that no block has. */
export function notFound(unknown: readonly string[]): ElfmemError {
  return new ElfmemError('NOT_FOUND', `No block has the id ${unknown.map((id) => `"${id}"`).join(', ')}.`, {
    recovery: `Take an id from recall(); at least its first ${ID_PREFIX_MIN} characters.`,
    details: { ids: unknown },
  })
}

/** Secrets of one kind that a mark took the place of. */
export interface RedactedSecrets {
  readonly kind: string
  readonly count: number
  /** The argument they stood in, such as `blocks[2].content`. */
  readonly field: string
}

/** Questions are looked through where they are kept; an answer is only read; a file is found by its own name only. */
const NOT_KEPT = wordSet('query sourceQuery targetQuery answer path name')
/** No rule finds a secret in fewer UTF-16 units. */
const SHORTEST_SECRET = 8
/** Fields that hold ids, of calls and of exports; `source` is none of them, because a block's is text. */
const ID_FIELDS = wordSet(
  'id blockId block_id blockIds block_ids helped misled beside target question a b from to from_id to_id supersedes superseded_by supersededBy',
)
/** An id may be all digits by chance, and then look like the number of a card. */
const ID = /^[0-9a-f]{16}$/
/** Loaded when there is something to look through: the many rules would cost every start some 20 ms. */
let finder: typeof import('../secrets/secrets.ts') | undefined

/**
 * Takes out of all a call brings what looks like a secret, or throws `SECRET_REFUSED`, as `memory.secrets` says, before
 * any stage sees it: so it is neither in a block nor in the log. Looks through each text of a value by itself, and lets
 * others have their turn meanwhile.
 */
export async function guardSecrets<T>(
  input: T,
  mode: Settings['memory']['secrets'],
): Promise<{ readonly input: T; readonly redacted: readonly RedactedSecrets[] }> {
  const texts = mode === 'keep' ? [] : [...textsIn(input)]
  if (texts.length === 0) return { input, redacted: [] }
  finder ??= await import('../secrets/secrets.ts')
  const marked = new Map<string, string>()
  const redacted: RedactedSecrets[] = []
  const pauses = new Pauses()
  let work = 0
  for (const { path, text } of texts) {
    const steps = finder.redactInSteps(text)
    let step = steps.next()
    for (; !step.done; step = steps.next()) {
      work += step.value
      // Others get their turn after so many UTF-16 units, which take some 2 ms.
      if (work < 16_384) continue
      await pauses.after(work)
      work = 0
    }
    const { found } = step.value
    if (found.length > 0 && mode === 'refuse') throw refusedSecret(path, step.value)
    if (found.length > 0) marked.set(text, step.value.text)
    redacted.push(...found.map((each) => ({ ...each, field: path })))
  }
  return { input: marked.size === 0 ? input : (withMarks(input, marked) as T), redacted }
}

/** Returns the end of a summary that tells of what was taken out; empty when nothing was. */
export function redactedSentence(redacted: readonly RedactedSecrets[]): string {
  if (redacted.length === 0) return ''
  const kinds = new Map<string, number>()
  for (const { kind, count } of redacted) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  const said = [...kinds].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`))
  return `What looked like a secret was not kept: ${said.join(', ')}.`
}

/**
 * Yields each text of a JSON value that may hold a secret, and its place. Names of fields are among them where they are data.
 *
 * @param isData true if names in the value are data
 */
export function* textsIn(
  value: unknown,
  isData = false,
  path = '',
  name = '',
): Generator<Record<'path' | 'text', string>> {
  if (typeof value === 'string' && !isHarmless(value) && !isExempt(value, isData, name))
    yield { path, text: value }
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [field, each] of Object.entries(value)) {
    const at = isList ? `${path}[${field}]` : [path, field].filter(Boolean).join('.')
    if (isData && !isList && !isHarmless(field)) yield { path: at, text: field }
    // `value` holds any data: a name in it is no argument, exempts nothing, and may be a secret itself.
    yield* textsIn(each, isData || field === 'value', at, isList ? name : field)
  }
}

/** True if a text is not kept, or is an id. */
function isExempt(text: string, isData: boolean, name: string): boolean {
  return (!isData && NOT_KEPT.has(name)) || (ID_FIELDS.has(name) && ID.test(text))
}

/** True if no rule can find a secret in a text: it is short, or one plain word. */
function isHarmless(text: string): boolean {
  return text.length < SHORTEST_SECRET || /^[a-z_]{1,24}$/.test(text)
}

/** Returns the value with the marked form of each text in its place. */
function withMarks(value: unknown, marked: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return marked.get(value) ?? value
  if (Array.isArray(value)) return value.map((each) => withMarks(each, marked))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, each]) => [marked.get(key) ?? key, withMarks(each, marked)]))
}

function refusedSecret(path: string, { first }: Redacted): ElfmemError {
  const kind = first?.kind ?? 'secret'
  const place = first === undefined ? '' : ` at character ${first.start}`
  return new ElfmemError('SECRET_REFUSED', `${path} holds what looks like a secret (${kind})${place}.`, {
    recovery:
      'Leave it out, or say where it is kept instead; memory.secrets decides what becomes of secrets. Nothing was kept.',
    details: { arguments: [path], kind, ...(first === undefined ? {} : { at: first.start }) },
  })
}

/** For surfaces: the scope that a flag names. */
export { normaliseScope as scopeFrom } from '../block/block.ts'

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
  const said = signs.slice(0, 64).map((sign) => (OTHER_SIGN.test(sign) ? '_' : sign.replace(' ', '+')))
  const isWhole = signs.length <= 64 && !OTHER_SIGN.test(kept)
  const hash = isWhole || kept !== whole ? '' : `~${await hashOf(whole)}`
  return `${said.join('')}${hash}` as CallerName
}

async function withoutSecrets(name: string): Promise<string> {
  if (name.length < SHORTEST_SECRET) return name
  finder ??= await import('../secrets/secrets.ts')
  return finder.redactSecrets(name.slice(0, NAME_MAX)).text + name.slice(NAME_MAX)
}

/** Hashes the UTF-16 units of a text, so that halves of characters count, too; 128 bits, so that nobody finds a second name by trying. */
async function hashOf(text: string): Promise<string> {
  const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return Buffer.from(await crypto.subtle.digest('SHA-256', units))
    .toString('hex')
    .slice(0, 32)
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

/** An act of a caller on a block, and how else or by whom it is done. */
interface Act extends Pick<OwnersAct, 'call' | 'otherwise'> {
  readonly block: Pick<Block, 'id' | 'sourceClass'>
  /** A participle: `edited`. */
  readonly done: string
}

/** Throws `OWNER_ONLY` if a block is trusted more than the caller, who then may not do this to it. */
export function mustNotBeAbove(engine: Called, context: CallContext, { block, done, ...how }: Act): void {
  if (!isAbove(engine, context, block)) return
  const what = `Block ${block.id} holds the owner's words and is ${done} by the owner alone`
  throw ownerOnly(callerOf(engine, context), { what, ...how, details: { blockId: block.id } })
}
