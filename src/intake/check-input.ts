import type { Block } from '../block/block.ts'
import { isOwn, type SourceClass } from '../block/source-class.ts'
import { isIdentityTag, isProtectedTag, normaliseTags, TAGS_MOST } from '../block/tags.ts'
import { defined, isStorable, normaliseContent } from '../block/text.ts'
import { isInOrder, type Validity, wholeInstant } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import type { Settings } from '../engine/settings.ts'
import { ElfmemError } from '../errors.ts'
import { readBlocks } from '../store/blocks.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { guardSecrets } from './guard-secrets.ts'

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
 * The input may be of any shape.
 */
export function checkSize(input: unknown): void {
  measure(input, { values: 0, length: 0 }, CALL_LEVELS)
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

/** The one refusal of an input over its limit: says the limit, what was found and the setting's name. */
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
export function validityGiven(given: { readonly [K in keyof Validity]?: string | undefined }): Validity {
  const [validFrom, validUntil] = [given.validFrom, given.validUntil].map((at) => at && instantOf(at))
  return mustEverHold(defined({ validFrom, validUntil }))
}

/** Throws `INVALID_INPUT` when something would end before it begins, or as it does. */
export function mustEverHold<T extends Validity>(validity: T): T {
  const { validFrom, validUntil } = mustHold(validity)
  if (validUntil === undefined || validFrom !== validUntil) return validity
  throw invalid(`It would hold at no time: it begins and ends at ${validUntil}.`, {
    recovery: 'validUntil is when it holds no longer: of a single day that is the day after.',
    details: { validFrom, validUntil },
  })
}

/** Throws `INVALID_INPUT` when something would begin only after its own end, or after another block took its place. */
export function mustHold<T extends Validity & Partial<Pick<Block, 'id' | 'supersededAt'>>>(block: T): T {
  const { id, validFrom, validUntil, supersededAt } = block
  if (!isInOrder(block))
    throw invalid(`It would hold from ${validFrom} and end before, at ${validUntil}.`, {
      recovery: 'Give a validUntil that is not before validFrom, or leave one of them out.',
      details: { validFrom, validUntil },
    })
  if (isInOrder(defined({ validFrom, validUntil: supersededAt }))) return block
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
 * Turns whole ids and unique prefixes into whole ids, in one statement however many there are. Throws `AMBIGUOUS_ID` with the
 * candidates, unless they are to be reported; unknown ones are returned, so that a batch can report them.
 */
export async function resolveIds(
  tx: ReadTransaction,
  given: readonly string[],
  { ambiguous: handling = 'throw' }: { readonly ambiguous?: 'throw' | 'report' } = {},
): Promise<ResolvedIds> {
  const prefixes = [...new Set(given.map((each) => each.trim()))]
  const matches = prefixes.length === 0 ? new Map() : await tx.queries.idsByPrefix(prefixes)
  const byGiven = new Map<string, string>()
  const unknown: string[] = []
  const ambiguous = new Map<string, ElfmemError>()
  for (const prefix of prefixes) {
    const candidates: readonly string[] = matches.get(prefix) ?? []
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

/** The refusal of ids that no block has. */
export function notFound(unknown: readonly string[]): ElfmemError {
  return new ElfmemError('NOT_FOUND', `No block has the id ${unknown.map((id) => `"${id}"`).join(', ')}.`, {
    recovery: `Take an id from recall(); at least its first ${ID_PREFIX_MIN} characters.`,
    details: { ids: unknown },
  })
}
