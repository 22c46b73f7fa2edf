import type { Block } from '../block/block.ts'
import { isOwn, type SourceClass } from '../block/source-class.ts'
import { isIdentityTag, isProtectedTag, normaliseTags, TAGS_MOST } from '../block/tags.ts'
import { defined, isStorable, normaliseContent, wordSet } from '../block/text.ts'
import { isInOrder, type Validity, wholeInstant } from '../block/validity.ts'
import { type Engine, Pauses } from '../engine/engine.ts'
import type { Settings } from '../engine/settings.ts'
import { ElfmemError } from '../errors.ts'
import type { Redacted } from '../secrets/secrets.ts'
import { readBlocks, readIdsByPrefix } from '../store/blocks.ts'
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
/** Levels that are counted: an argument has fewer, and the value of an item has a limit of its own. */
const CALL_LEVELS = 16

/**
 * Throws `LIMIT_EXCEEDED` for a call with more values or longer texts than any call needs, before its schema looks at each.
 * What comes may be of any shape.
 */
export function checkSize(input: unknown): void {
  const found = { values: 0, length: 0 }
  measure(input, found, CALL_LEVELS)
}

function measure(value: unknown, found: { values: number; length: number }, levels: number): void {
  found.values++
  if (typeof value === 'string') found.length += value.length
  else if (typeof value === 'object' && value !== null && levels > 0) {
    const items = Array.isArray(value) ? value : Object.values(value)
    mustBeShorter('values', found.values + items.length, CALL_VALUES)
    if (items !== value) for (const name of Object.keys(value)) found.length += name.length
    for (const item of items) measure(item, found, levels - 1)
  }
  mustBeShorter('values', found.values, CALL_VALUES)
  mustBeShorter('characters', found.length, CALL_LENGTH)
}

function mustBeShorter(unit: string, found: number, limit: number): void {
  mustFit({ what: 'the call', found, limit, unit, recovery: 'Make several calls of it.' })
}

/** What was counted, and its limit. */
interface OverLimit {
  /** The argument, or what else was counted; as the caller wrote it. */
  readonly what: string
  readonly found: number
  readonly limit: number
  /** `bytes`, `characters`, `items`, `tags`. */
  readonly unit: string
  /** The setting it comes from, as configuration spells it: `memory.max_tags`. Absent for a fixed limit. */
  readonly setting?: string
  readonly recovery: string
}

/** The one refusal of what is too long, too many or too much: says the limit, what was found and the setting's name. */
export function overLimit({ what, found, limit, unit, setting, recovery }: OverLimit): ElfmemError {
  const by = setting === undefined ? '' : ` (${setting})`
  return new ElfmemError('LIMIT_EXCEEDED', `${what} has ${found} ${unit}; at most ${limit} are taken${by}.`, {
    recovery,
    details: { arguments: [what], found, limit, unit, ...defined({ setting }) },
  })
}

/** Throws `LIMIT_EXCEEDED` for what is over its limit. */
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

/** Bytes of a cue, which is one line. */
const CUE_BYTES = 1_024

/** Throws `INVALID_INPUT` unless the cue is one line within the limit. */
export function checkCue(cue: string): void {
  checkText('cue', cue)
  const recovery = 'Say in one short line when this should come to mind; details belong into the content.'
  if (/[\r\n]/.test(cue)) throw invalid('A cue is one line; this one has several.', { recovery })
  mustFit({
    ...{ what: 'cue', found: Buffer.byteLength(cue), limit: CUE_BYTES, unit: 'bytes' },
    recovery,
  })
}

/** Tags in their one spelling, when they are not too many. */
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

/** An ISO date (its first instant, UTC) or date-time (UTC unless it names a zone) as ISO-8601 UTC. */
export function instantOf(at: string): string {
  const whole = wholeInstant(at)
  const zoned = !whole.includes('T') || /(?:Z|[+-]\d\d:\d\d)$/.test(whole) ? whole : `${whole}Z`
  const ms = Date.parse(zoned)
  if (!Number.isNaN(ms)) return new Date(ms).toISOString()
  throw invalid(`"${at}" is not a date.`, {
    recovery: 'Write it like 2024-05-01 or 2024-05-01T09:30:00Z.',
    details: { at },
  })
}

/** When something holds, as a caller says it; throws `INVALID_INPUT` when it would end before it begins, or as it does. */
export function validityGiven({
  validFrom,
  validUntil,
}: {
  readonly validFrom?: string | undefined
  readonly validUntil?: string | undefined
}): Validity {
  return mustEverHold(
    defined({
      validFrom: validFrom === undefined ? undefined : instantOf(validFrom),
      validUntil: validUntil === undefined ? undefined : instantOf(validUntil),
    }),
  )
}

/** Throws `INVALID_INPUT` when something would end before it begins, or as it does. */
export function mustEverHold<T extends Validity>(validity: T): T {
  const { validFrom, validUntil } = mustBeInOrder(validity)
  if (validUntil === undefined || validFrom !== validUntil) return validity
  throw invalid(`It would hold at no time: it begins and ends at ${validUntil}.`, {
    recovery: 'validUntil is when it holds no longer: of a single day that is the day after.',
    details: { validFrom, validUntil },
  })
}

/** Throws `INVALID_INPUT` when something would end before it begins. */
export function mustBeInOrder<T extends Validity>(validity: T): T {
  if (isInOrder(validity)) return validity
  const { validFrom, validUntil } = validity
  throw invalid(`It would hold from ${validFrom} and end before, at ${validUntil}.`, {
    recovery: 'Give a validUntil that is not before validFrom, or leave one of them out.',
    details: { validFrom, validUntil },
  })
}

/** Throws `INVALID_INPUT` when a block would begin only after another took its place, so that it would hold at no time. */
export function mustHold<T extends Validity & { readonly id: string; readonly supersededAt?: string }>(
  block: T,
): T {
  const { id, validFrom, supersededAt } = mustBeInOrder(block)
  if (isInOrder({ ...defined({ validFrom, validUntil: supersededAt }) })) return block
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

/** The result of resolving ids and prefixes. */
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
 * Turns whole ids and unique prefixes into whole ids, in one statement however many there are.
 * Throws `AMBIGUOUS_ID` with the candidates, unless they are to be reported; unknown ones are returned, so that a batch
 * can report them.
 */
export async function resolveIds(
  tx: ReadTransaction,
  given: readonly string[],
  { ambiguous: handling = 'throw' }: { readonly ambiguous?: 'throw' | 'report' } = {},
): Promise<ResolvedIds> {
  const prefixes = [...new Set(given.map((each) => each.trim()))]
  const matches = prefixes.length === 0 ? new Map() : await readIdsByPrefix(tx, prefixes)
  const byGiven = new Map<string, string>()
  const unknown: string[] = []
  const unclear = new Map<string, ElfmemError>()
  for (const prefix of prefixes) {
    const candidates: readonly string[] = matches.get(prefix) ?? []
    const [only] = candidates
    if (only === undefined || prefix.length < ID_PREFIX_MIN) unknown.push(prefix)
    else if (candidates.length > 1) unclear.set(prefix, ambiguous(prefix, candidates))
    else byGiven.set(prefix, only)
  }
  const [first] = unclear.values()
  if (first && handling === 'throw') throw first
  return { ids: [...new Set(byGiven.values())], byGiven, unknown, ambiguous: unclear }
}

/** The whole ids in the order given, repeats kept; throws `NOT_FOUND` when any is unknown. */
export async function requireIds(tx: ReadTransaction, given: readonly string[]): Promise<string[]> {
  const { byGiven, unknown } = await resolveIds(tx, given)
  if (unknown.length > 0) throw notFound(unknown)
  return given.map((each) => byGiven.get(each.trim()) as string)
}

/** The one block an id or unique prefix stands for; throws `NOT_FOUND` or `AMBIGUOUS_ID`. */
export async function requireBlock(tx: ReadTransaction, given: string): Promise<Block> {
  const [block] = await readBlocks(tx, await requireIds(tx, [given]))
  if (!block) throw notFound([given])
  return block
}

function ambiguous(prefix: string, candidates: readonly string[]): ElfmemError {
  return new ElfmemError('AMBIGUOUS_ID', `More than one block id begins with "${prefix}".`, {
    recovery: `Give more characters of the id; two that begin so are ${candidates.join(' and ')}.`,
    details: { prefix, candidates },
  })
}

/** The refusal of ids that no block has. */
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

/** The arguments of a call as they may be kept, and the secrets taken out of them. */
interface Guarded<T> {
  readonly input: T
  readonly redacted: readonly RedactedSecrets[]
}

/** A text of a value, and its place there. */
interface Said {
  readonly path: string
  readonly text: string
}

/** Holds any data as JSON: a name in it is no argument, exempts nothing, and may be a secret itself. */
const VALUE = 'value'
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
/** One plain word, as the names of frames and kinds are: no rule takes it for a secret. */
const WORD = /^[a-z_]{1,24}$/
/** Others get their turn after so many UTF-16 units, which take some 2 ms. */
const STEP = 16_384

/** Loaded when there is something to look through: the many rules would cost every start some 20 ms. */
let finder: typeof import('../secrets/secrets.ts') | undefined

/**
 * Takes out of all a call brings what looks like a secret, or throws `SECRET_REFUSED`, as `memory.secrets` says, before
 * any stage sees it: so it is neither in a block nor in the log. Looks through each text of a value by itself, and lets
 * others have their turn meanwhile.
 */
export async function guardSecrets<T>(input: T, mode: Settings['memory']['secrets']): Promise<Guarded<T>> {
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
      if (work < STEP) continue
      await pauses.after(work)
      work = 0
    }
    const { found } = step.value
    if (found.length > 0 && mode === 'refuse') throw refused(path, step.value)
    if (found.length > 0) marked.set(text, step.value.text)
    redacted.push(...found.map((each) => ({ ...each, field: path })))
  }
  return { input: marked.size === 0 ? input : (withMarks(input, marked) as T), redacted }
}

/** The end of a summary that tells of what was taken out; empty when nothing was. */
export function redactedSentence(redacted: readonly RedactedSecrets[]): string {
  if (redacted.length === 0) return ''
  const kinds = new Map<string, number>()
  for (const { kind, count } of redacted) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  const said = [...kinds].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`))
  return `What looked like a secret was not kept: ${said.join(', ')}.`
}

/**
 * Yields each text of a JSON value that may hold a secret. Names of fields are among them where they are data.
 *
 * @param isData true if names in the value are data
 */
export function* textsIn(value: unknown, isData = false, path = '', name = ''): Generator<Said> {
  if (typeof value === 'string') {
    if (!isHarmless(value) && !isExempt(value, isData, name)) yield { path, text: value }
  } else if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) yield* textsIn(each, isData, `${path}[${at}]`, name)
  } else if (typeof value === 'object' && value !== null) yield* textsInRecord(value, isData, path)
}

function* textsInRecord(record: object, isData: boolean, path: string): Generator<Said> {
  for (const [name, each] of Object.entries(record)) {
    const at = path === '' ? name : `${path}.${name}`
    if (isData && !isHarmless(name)) yield { path: at, text: name }
    yield* textsIn(each, isData || name === VALUE, at, name)
  }
}

/** True if a text is not kept, or is an id. */
function isExempt(text: string, isData: boolean, name: string): boolean {
  return (!isData && NOT_KEPT.has(name)) || (ID_FIELDS.has(name) && ID.test(text))
}

/** True if no rule can find a secret in a text. */
function isHarmless(text: string): boolean {
  return text.length < SHORTEST_SECRET || WORD.test(text)
}

/** Returns the value with the marked form of each text in its place. */
function withMarks(value: unknown, marked: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return marked.get(value) ?? value
  if (Array.isArray(value)) return value.map((each) => withMarks(each, marked))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, each]) => [marked.get(key) ?? key, withMarks(each, marked)]))
}

function refused(path: string, { first }: Redacted): ElfmemError {
  const kind = first?.kind ?? 'secret'
  const place = first === undefined ? '' : ` at character ${first.start}`
  return new ElfmemError('SECRET_REFUSED', `${path} holds what looks like a secret (${kind})${place}.`, {
    recovery:
      'Leave it out, or say where it is kept instead; memory.secrets decides what becomes of secrets. Nothing was kept.',
    details: { arguments: [path], kind, ...(first === undefined ? {} : { at: first.start }) },
  })
}
