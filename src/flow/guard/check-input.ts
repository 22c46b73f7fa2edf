import type { Settings } from '../../config/settings.ts'
import { isOwn, type SourceClass } from '../../domain/block/source-class.ts'
import { isIdentityTag, isProtectedTag, normaliseTags, TAGS_MOST } from '../../domain/block/tags.ts'
import { isInOrder, type Validity, wholeInstant } from '../../domain/block/validity/validity.ts'
import { defined, isStorable, normaliseContent } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { checkLimits, overLimit } from './check-given.ts'
import { guardSecrets } from './secrets.ts'

type Limits = Settings['memory']

/** Throws `INVALID_INPUT` unless the text is one storable statement: not blank, whole Unicode, within the limit. */
export function checkContent(content: string, { maxContentBytes }: Limits): void {
  checkText('content', content)
  if (normaliseContent(content) === '')
    throw invalid('There is nothing to remember: the content is blank.', {
      recovery: 'Pass one statement that makes sense on its own.',
    })
  const bytes = Buffer.byteLength(content)
  if (bytes > maxContentBytes)
    throw overLimit({
      what: 'content',
      found: bytes,
      limit: maxContentBytes,
      unit: 'bytes',
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
  const bytes = Buffer.byteLength(cue)
  if (bytes > CUE_BYTES)
    throw overLimit({
      what: 'cue',
      found: bytes,
      limit: CUE_BYTES,
      unit: 'bytes',
      recovery,
    })
}

/** Tags in their one spelling, when they are not too many. */
export function checkTags(tags: readonly string[]): string[] {
  for (const tag of tags) checkText('tag', tag)
  const normalised = normaliseTags(tags)
  if (normalised.length <= TAGS_MOST) return normalised
  throw overLimit({
    what: 'tags',
    found: normalised.length,
    limit: TAGS_MOST,
    unit: 'items',
    recovery: 'Keep the tags that would help to find it again.',
  })
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
  checkLimits({ taskType }, settings.limits)
  checkText('taskType', taskType)
  const { input } = await guardSecrets({ taskType }, settings.memory.secrets)
  return input.taskType
}
