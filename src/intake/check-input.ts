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
  Pauses,
  type Principal,
} from '../engine/engine.ts'
import type { Settings } from '../engine/settings.ts'
import { ElfmemError, type ErrorDetails } from '../errors.ts'
import type { Redacted } from '../secrets/secrets.ts'
import { readBlocks } from '../store/blocks.ts'
import type { ReadTransaction } from '../store/transaction.ts'

type Limits = Settings['memory']

/** Longest name of a tag, source, session, category or relation, in UTF-16 units. */
export const NAME_MAX = 1_024
/** Longest value of a named item as JSON, in bytes: a long file or a turn of a conversation. */
export const ITEM_BYTES = 1_048_576
/** Largest number of lists, objects and values in one call, which is some 100,000 blocks. */
const CALL_VALUES = 1_000_000
/** Largest total length of all texts of one call, in UTF-16 units. */
const CALL_LENGTH = 64_000_000

/**
 * Throws `LIMIT_EXCEEDED` for a call with more values or longer texts than any call needs. It runs before the schema checks the values, so
 * that the input may have any shape.
 */
export function checkSize(input: unknown): void {
  // Every argument has fewer levels than 16, and the value of an item has a limit of its own.
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

/** A number that was counted, and its limit. */
interface OverLimit {
  /** The name of the argument, or of another thing that was counted. */
  readonly what: string
  readonly found: number
  readonly limit: number
  /** The unit: `bytes`, `characters`, `items` or `values`. */
  readonly unit: string
  /** The setting of the limit, such as `memory.max_content_bytes`; absent for a fixed limit. */
  readonly setting?: string
  readonly recovery: string
}

/** Returns the refusal of an input over a limit, with the limit, the number found and the name of the setting. */
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

/** Throws `INVALID_INPUT` unless the text is not blank and storable, and `LIMIT_EXCEEDED` if it is too long. */
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

/** Throws `INVALID_INPUT` unless the cue is one storable line, and `LIMIT_EXCEEDED` if it is too long. */
export function checkCue(cue: string): void {
  checkText('cue', cue)
  const recovery = 'Say in one short line when this should come to mind; details belong into the content.'
  if (/[\r\n]/.test(cue)) throw invalid('A cue is one line; this one has several.', { recovery })
  mustFit({
    ...{ what: 'cue', found: Buffer.byteLength(cue), limit: NAME_MAX, unit: 'bytes' },
    recovery,
  })
}

/** Returns the tags in their normal spelling; throws `LIMIT_EXCEEDED` if there are too many. */
export function checkTags(tags: readonly string[]): string[] {
  for (const tag of tags) checkText('tag', tag)
  const normalised = normaliseTags(tags)
  mustFit({
    ...{ what: 'tags', found: normalised.length, limit: TAGS_MOST, unit: 'items' },
    recovery: 'Keep the tags that would help to find it again.',
  })
  return normalised
}

/** Throws `PROTECTED` if an ordinary caller gives a tag that needs an explicit trusted act. */
export function refuseProtectedTags(tags: readonly string[]): void {
  const refused = tags.filter(isProtectedTag)
  if (refused.length === 0) return
  throw new ElfmemError('PROTECTED', `Tags that cannot be given this way: ${refused.join(', ')}.`, {
    recovery:
      'Leave them out here: principles are the owner’s to write, and peer tags belong to what peers sent.',
    details: { tags: refused },
  })
}

/** Throws `PROTECTED` if the words of others would become part of the agent's identity. */
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

/** Returns the dates between which a text holds, as a caller gives them; throws `INVALID_INPUT` if the end is not after the beginning. */
export function validityGiven(given: { readonly [K in keyof Validity]?: string | undefined }): Validity {
  const [validFrom, validUntil] = [given.validFrom, given.validUntil].map((at) => at && instantOf(at))
  return mustHold(defined({ validFrom, validUntil }))
}

/** Throws `INVALID_INPUT` if a block would hold at no time, because of its own end or because another block took its place. */
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
 * Returns the name of a session as it may be kept; sessions begin outside of any operation, so that nothing has checked it yet. Throws
 * `INVALID_INPUT`, `LIMIT_EXCEEDED` or `SECRET_REFUSED` as any call would.
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

/** Fewest characters of an id that callers may give. */
export const ID_PREFIX_MIN = 4

/** Resolved ids are whole ids, found by the ids and prefixes that a caller gave. */
export interface ResolvedIds {
  /** Whole ids, unique, in the order given. */
  readonly ids: readonly string[]
  /** Whole ids by the ids and prefixes given. */
  readonly byGiven: ReadonlyMap<string, string>
  /** Prefixes that match no block or are too short, as given, unique. */
  readonly unknown: readonly string[]
  /** Prefixes that match several blocks, with the error for each; empty unless they are to be reported. */
  readonly ambiguous: ReadonlyMap<string, ElfmemError>
}

/**
 * Turns ids and unique prefixes into whole ids, in one statement however many there are. Throws `AMBIGUOUS_ID` with the candidates, unless
 * ambiguous ones are to be reported; unknown ones are returned, so that a batch can report them.
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

/** Returns whole ids as `resolveIds` does, and a function that returns the whole id of one given id, or throws as `requireIds` does. */
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

/** Returns whole ids in the order given, with repeats; throws `NOT_FOUND` and `AMBIGUOUS_ID`. */
export async function requireIds(tx: ReadTransaction, given: readonly string[]): Promise<string[]> {
  return given.map((await readIds(tx, given)).idOf)
}

/** Returns the block that an id or unique prefix names; throws `NOT_FOUND` or `AMBIGUOUS_ID`. */
export async function requireBlock(tx: ReadTransaction, given: string): Promise<Block> {
  const [block] = await readBlocks(tx, await requireIds(tx, [given]))
  if (!block) throw notFound([given])
  return block
}

/** Returns the refusal of ids that no block has. */
function notFound(unknown: readonly string[]): ElfmemError {
  return new ElfmemError('NOT_FOUND', `No block has the id ${unknown.map((id) => `"${id}"`).join(', ')}.`, {
    recovery: `Take an id from recall(); at least its first ${ID_PREFIX_MIN} characters.`,
    details: { ids: unknown },
  })
}

/** Redacted secrets are the secrets of one kind in one field that a mark replaced. */
export interface RedactedSecrets {
  readonly kind: string
  readonly count: number
  /** The argument that held them, such as `blocks[2].content`. */
  readonly field: string
}

/** Arguments that are not searched: a question is searched when it is kept, an answer is only read, a file is found by its name. */
const NOT_KEPT = wordSet('query sourceQuery targetQuery answer path name')
/** Shortest text, in UTF-16 units, in which a rule finds a secret. */
const SHORTEST_SECRET = 8
/** Fields of calls and exports that hold ids; `source` is not among them, because a block's source is text. */
const ID_FIELDS = wordSet(
  'id blockId block_id blockIds block_ids helped misled beside target question a b from to from_id to_id supersedes superseded_by supersededBy',
)
/** An id may be all digits by chance, and then looks like the number of a card. */
const ID = /^[0-9a-f]{16}$/
/** The finder is loaded when there is a text to search: its many rules would cost every start some 20 ms. */
let finder: typeof import('../secrets/secrets.ts') | undefined

/**
 * Replaces what looks like a secret in the input of a call by marks, or throws `SECRET_REFUSED`, as `memory.secrets` says. It runs before
 * any other stage, so that neither a block nor the log has the secret. It searches each text of a value by itself, and lets other calls
 * have their turn meanwhile.
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
      // Other calls get their turn after 16,384 UTF-16 units, which take some 2 ms.
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

/** Returns the last sentence of a summary, which names the secrets that were taken out; empty if there were none. */
export function redactedSentence(redacted: readonly RedactedSecrets[]): string {
  if (redacted.length === 0) return ''
  const kinds = new Map<string, number>()
  for (const { kind, count } of redacted) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  const said = [...kinds].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`))
  return `What looked like a secret was not kept: ${said.join(', ')}.`
}

/**
 * Yields each text of a JSON value that may hold a secret, with its path. Field names are yielded, too, where they are data.
 *
 * @param isData true if names in the value are data
 */
function* textsIn(
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
    // The field `value` holds any data: a name in it is no argument, exempts nothing, and may be a secret itself.
    yield* textsIn(each, isData || field === 'value', at, isList ? name : field)
  }
}

/** Returns true if a text is not kept, or is an id. */
function isExempt(text: string, isData: boolean, name: string): boolean {
  return (!isData && NOT_KEPT.has(name)) || (ID_FIELDS.has(name) && ID.test(text))
}

/** Returns true if no rule can find a secret in a text, because it is short or one plain word. */
function isHarmless(text: string): boolean {
  return text.length < SHORTEST_SECRET || /^[a-z_]{1,24}$/.test(text)
}

/** Returns the value with each marked text in the place of the original. */
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

/** Surfaces read the scope of a flag with this function. */
export { normaliseScope as scopeFrom } from '../block/block.ts'

/** The usual capability of a caller by surface. */
const USUAL = { library: 'agent', cli: 'owner', mcp: 'agent', http: 'agent', dashboard: 'owner' } as const

/** A surface is one of the ways by which callers come in. */
export type Surface = keyof typeof USUAL

/** Facts that a surface knows of a caller that it accepts. */
interface Accepted {
  /** The caller's own name; it stands behind the surface's name, so that it can pass for no other surface. */
  readonly name?: CallerName | undefined
  readonly as?: Capability | undefined
  readonly scope?: string | undefined
}

/**
 * Returns the caller that a surface accepts. Callers of different surfaces, names or capabilities have different actors: `mcp:claude`,
 * `mcp:claude as owner`, `cli`, `library:importer`.
 */
export function acceptCaller(surface: Surface, { name, as, scope }: Accepted = {}): Principal {
  const capability = as ?? USUAL[surface]
  const actor = name ? `${surface}:${name}` : surface
  const said = capability === USUAL[surface] ? actor : `${actor} as ${capability}`
  return Object.freeze({ actor: said, capability, ...defined({ scope }) })
}

/** Returns the capability of a caller from its actor, which is its name in the log. */
export function capabilityOf(actor: string): Capability {
  const [, said] = / as (owner|agent|reader)$/.exec(actor) ?? []
  const [surface = ''] = actor.split(/[: ]/, 1)
  return CAPABILITIES.find((each) => each === said) ?? USUAL[surface as Surface] ?? 'agent'
}

/** Returns a capability that a user wrote; throws `INVALID_INPUT` if it is none of the three. */
export function capabilityFrom(given: unknown): Capability {
  const known = CAPABILITIES.find((each) => each === given)
  if (known !== undefined) return known
  throw new ElfmemError('INVALID_INPUT', 'A caller is an owner, an agent or a reader.', {
    recovery: 'Say as: owner, agent or reader; leave it out for what is usual.',
    details: { given: String(given) },
  })
}

/** A caller name is a caller's own name in the spelling of the log; only `callerName` makes it. */
export type CallerName = string & { readonly [spelled]: true }
declare const spelled: unique symbol

const OTHER_SIGN = /[^\p{L}\p{N}\p{M} ._-]/u

/**
 * Returns a name in the spelling of the log: letters and digits of any script, `.`, `-` and `_` stay, a blank becomes a plus, and any other
 * sign an underscore. A name that loses signs by that, or by its length of 64, ends with a hash of the whole name, so that two names stay
 * two. A secret in a name is taken out, and then no hash is added.
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

/** Returns a hash of the UTF-16 units of a text, so that halves of characters count; with 128 bits nobody finds a second name by trying. */
async function hashOf(text: string): Promise<string> {
  const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return Buffer.from(await crypto.subtle.digest('SHA-256', units))
    .toString('hex')
    .slice(0, 32)
}

/** The part of an engine that knows its caller. */
type Called = Pick<Engine, 'principal'>

/** Returns true if the caller is the owner, who may raise the trust of words and change principles. */
export function isOwner(engine: Called, context: CallContext): boolean {
  return mayDo(callerOf(engine, context), 'owner')
}

/** Returns true if the caller may do more than read. */
export function mayWrite(engine: Called, context: CallContext): boolean {
  return mayDo(callerOf(engine, context), 'agent')
}

/** Returns the most trusted class that the caller may claim: `user` for the owner, else `agent`. */
export function highestFor(engine: Called, context: CallContext): SourceClass {
  return isOwner(engine, context) ? 'user' : 'agent'
}

/** Fields of a text that tell who speaks. */
interface Claim extends Pick<Block, 'category' | 'tags'> {
  readonly source?: string | undefined
  readonly sourceClass?: SourceClass | undefined
}

/** Returns the class of the speaker of a text, as far as its caller may claim it. */
export function claimedClass(
  engine: Pick<Engine, 'settings' | 'principal'>,
  context: CallContext,
  { source, sourceClass, category, tags }: Claim,
): SourceClass {
  const { agentName } = engine.settings.project
  const said = { category, tags, declared: sourceClass, ...defined({ source }) }
  return sourceClassOf(said, { agentName, highest: highestFor(engine, context) })
}

/** The recovery sentence for an act that only the owner may do. */
const AS_OWNER =
  "The owner does it: on the command line, in the dashboard, or in a program that opens the memory as: 'owner'."

/** The parts of a refusal of an owner's act. */
interface OwnersAct {
  /** The act and the reason why it is the owner's, as a sentence without its full stop. */
  readonly what: string
  /** Another way that the caller may take, as a sentence. */
  readonly otherwise?: string | undefined
  readonly details?: ErrorDetails
}

const NAMES = { owner: 'the owner', agent: 'an agent', reader: 'a reader' } as const

/** Returns the refusal of an act that only the owner may do. */
export function ownerOnly(
  { capability }: Principal,
  { what, otherwise, details = {} }: OwnersAct,
): ElfmemError {
  return new ElfmemError('OWNER_ONLY', `${what}, and this caller is ${NAMES[capability]}.`, {
    recovery: [otherwise, AS_OWNER].filter(Boolean).join(' '),
    details: { needs: 'owner', is: capability, ...details },
  })
}

/** Returns the refusal of a call that writes, for a caller that may only read. */
export function readsOnly({ capability }: Principal, operation: string): ElfmemError {
  return new ElfmemError('OWNER_ONLY', `${operation} writes, and this caller is ${NAMES[capability]}.`, {
    recovery:
      'A reader only looks, as with recall(). The owner can open or serve the memory, or give a token, as an agent.',
    details: { needs: 'agent', is: capability },
  })
}

/** Throws `OWNER_ONLY` if a caller other than the owner would change or archive a principle. */
export function refusePrinciple(
  engine: Called,
  context: CallContext,
  { id, tags }: Pick<Block, 'id' | 'tags'>,
): void {
  if (isOwner(engine, context) || !isConstitutional(tags)) return
  const what = `Block ${id} is a principle`
  throw ownerOnly(callerOf(engine, context), { what, details: { blockId: id } })
}

/** Returns true if a block is trusted more than any words of the caller. */
export function isAbove(engine: Called, context: CallContext, block: Pick<Block, 'sourceClass'>): boolean {
  return !mayCover(highestFor(engine, context), block)
}

/** An act of a caller on a block, and the other way or other caller that may do it. */
interface Act extends Pick<OwnersAct, 'otherwise'> {
  readonly block: Pick<Block, 'id' | 'sourceClass'>
  /** The act as a participle, for example `edited`. */
  readonly done: string
}

/** Throws `OWNER_ONLY` if a block is trusted more than the caller, who may not do this act to it. */
export function mustNotBeAbove(engine: Called, context: CallContext, { block, done, ...how }: Act): void {
  if (!isAbove(engine, context, block)) return
  const what = `Block ${block.id} holds the owner's words and is ${done} by the owner alone`
  throw ownerOnly(callerOf(engine, context), { what, ...how, details: { blockId: block.id } })
}
