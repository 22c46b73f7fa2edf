import { type Block, mayCover, type Occurrence } from './block.ts'
import { defined } from './text.ts'

/** A validity says when something holds, ISO-8601 UTC: from `validFrom` to before `validUntil`. An absent end is open. */
export interface Validity {
  readonly validFrom?: string
  readonly validUntil?: string
}

type Begun = Pick<Block, 'validFrom' | 'occurredAt' | 'createdAt'>
type Ended = Pick<Block, 'validUntil' | 'supersededAt'>

/** Returns when a block began to hold: as given or read, else when it was said; undefined if it ended before it was said. */
export function startOf(block: Begun & Ended): string | undefined {
  const [said, end] = [saidAt(block), endOf(block)]
  return block.validFrom ?? (end !== undefined && end < said ? undefined : said)
}

/** Returns the first time at which a block holds no more: its own end or the beginning of its successor, whichever is earlier. */
export function endOf({ validUntil, supersededAt }: Ended): string | undefined {
  return earlier(validUntil, supersededAt)
}

/** Returns true if a block held, or will hold, at a time. */
export function holdsAt(block: Begun & Ended, at: string): boolean {
  return hasBegun(block, at) && !hasEnded(block, at)
}

/** Returns true if a block began to hold at a time or before; it may have ended since. */
export function hasBegun(block: Begun & Ended, at: string): boolean {
  const start = startOf(block)
  return start === undefined || start <= at
}

/** Returns false if one of two blocks had ended when the other began. */
export function mayHoldTogether(one: Begun & Ended, other: Begun & Ended): boolean {
  const hadEnded = (ended: Ended, start: string | undefined) => start !== undefined && hasEnded(ended, start)
  return !hadEnded(other, startOf(one)) && !hadEnded(one, startOf(other))
}

/** Returns false if a block ended when it began, such as a block that only repeated a known statement. */
export function everHeld(block: Begun & Ended): boolean {
  const end = endOf(block)
  return end === undefined || startOf(block) !== end
}

/** Returns true if a block had ended by a time. */
export function hasEnded(block: Ended, at: string): boolean {
  const end = endOf(block)
  return end !== undefined && end <= at
}

/**
 * Returns when an older block ends because a newer one takes its place: at the `validFrom` of the newer block, else when that was said,
 * and never before the older block began.
 */
export function endBy(older: Begun, newer: Begun): string {
  const end = newer.validFrom ?? saidAt(newer)
  // If the newer block says when it began, the older one may have begun before that even if it was said later.
  const start = older.validFrom ?? (newer.validFrom === undefined ? saidAt(older) : end)
  return end < start ? start : end
}

/** Returns the earlier of two times, or the one that is known. */
export function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

/** Returns true if a validity ends after it begins, as far as both times are known. */
export function isInOrder({ validFrom, validUntil }: Validity): boolean {
  return validFrom === undefined || validUntil === undefined || validFrom < validUntil
}

/** Returns the dates given for a text, completed by the dates in its words; only the given dates if the sum ends before it begins. */
export function completed(given: Validity, read: Validity): Validity {
  const { validFrom = read.validFrom, validUntil = read.validUntil } = given
  const both = defined({ validFrom, validUntil })
  return isInOrder(both) ? both : given
}

/** Returns when a block holds and how each time is known: it was given, its own text says so, or another block took its place. */
export function knownValidity(
  block: Ended & Pick<Block, 'validFrom'>,
  read: Validity,
): Validity & { readonly fromBy?: 'given' | 'text'; readonly untilBy?: 'given' | 'text' | 'superseded' } {
  const { validFrom } = block
  const validUntil = endOf(block)
  const own = validUntil === read.validUntil ? 'text' : 'given'
  return {
    ...(validFrom && { validFrom, fromBy: validFrom === read.validFrom ? 'text' : 'given' }),
    ...(validUntil && { validUntil, untilBy: validUntil === block.validUntil ? own : 'superseded' }),
  }
}

/**
 * Returns the words for when a block holds, seen from a time: `until 2026-02-02` if it holds no more, `from 2026-05-01` if it has not
 * begun, and `since 2026-05-01` if it began on another day than it was said; else undefined.
 */
export function markAt(block: Begun & Ended, at: string): string | undefined {
  const end = endOf(block)
  if (end !== undefined && end <= at) return `until ${momentWords(end)}`
  const { validFrom } = block
  if (validFrom === undefined) return undefined
  if (validFrom > at) return `from ${momentWords(validFrom)}`
  return validFrom.slice(0, 10) === saidAt(block).slice(0, 10) ? undefined : `since ${momentWords(validFrom)}`
}

/** Returns a validity in words: `from 2026-05-01 until 2026-06-01`; an empty text if neither time is known. */
export function validityWords({
  validFrom,
  validUntil,
}: { readonly [K in keyof Validity]?: string | undefined }) {
  const from = validFrom === undefined ? '' : `from ${momentWords(validFrom)}`
  const until = validUntil === undefined ? '' : `until ${momentWords(validUntil)}`
  return `${from} ${until}`.trim()
}

/** Returns a time as people read it, UTC: only the day if the time is midnight, else day and minute. */
export function momentWords(at: string): string {
  return at.endsWith('T00:00:00.000Z') ? at.slice(0, 10) : at.slice(0, 16).replace('T', ' ')
}

type Times = Pick<Block, 'occurredAt' | 'createdAt' | 'lastAt' | 'lastToldAt'>
/** These fields order a block among others. */
export type Dated = Times & Pick<Block, 'id' | 'session' | 'position'>

/**
 * Returns true if the first of two blocks is the newer one. It compares when each was said last, then when the newest words arrived,
 * then session, position and id, so the order is total. A block never counts as said later than its words arrived.
 */
export function isNewer(one: Dated, other: Dated): boolean {
  if (!isAtOnce(one, other))
    return lastSaidAt(one) === lastSaidAt(other)
      ? toldAt(one) > toldAt(other)
      : lastSaidAt(one) > lastSaidAt(other)
  if (one.session !== other.session) return one.session > other.session
  return one.position === other.position ? one.id > other.id : one.position > other.position
}

/** Returns true if two blocks were said last at the same time and their newest words arrived at the same time. */
export function isAtOnce(one: Dated, other: Dated): boolean {
  return lastSaidAt(one) === lastSaidAt(other) && toldAt(one) === toldAt(other)
}

/** Returns when a block was said first, ISO-8601 UTC: the given date, but never later than the time it was remembered. */
export function saidAt({ occurredAt, createdAt }: Pick<Times, 'occurredAt' | 'createdAt'>): string {
  return occurredAt < createdAt ? occurredAt : createdAt
}

/** Returns when a block was said last, ISO-8601 UTC: the given date, but never later than the time its words arrived. */
export function lastSaidAt(block: Times): string {
  const [at, told] = [block.lastAt ?? block.occurredAt, toldAt(block)]
  return at < told ? at : told
}

/** Returns when the newest words of a block arrived. */
function toldAt({ createdAt, lastToldAt = createdAt }: Times): string {
  return lastToldAt
}

/** The fields that decide which block takes the place of another, and when. */
type Succeeding = Pick<Block, 'sourceClass' | 'supersedes' | 'validFrom'> & Dated

/**
 * Returns true if a block takes the place of the block that it names in `supersedes`. A block that is trusted less or dated earlier
 * only proposes to do so, and ends nothing until somebody decides.
 */
export function takesPlaceOf(newer: Succeeding, older: Succeeding): boolean {
  if (newer.supersedes !== older.id) return false
  return mayCover(newer, older) && !isNewer(older, newer)
}

/** Returns the earliest end that the successors of a block give it; undefined if none of the newer blocks takes its place. */
export function endBySuccessors(older: Succeeding, newer: readonly Succeeding[]): string | undefined {
  return newer
    .filter((each) => takesPlaceOf(each, older))
    .reduce<string | undefined>((end, each) => earlier(end, endBy(older, each)), undefined)
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|sept|[a-z]{3})'
const YEAR = '(?:19|20|21)\\d\\d'
/** A day, or a month with its year: `2026-02-03`, `3rd of February 2026`, `Feb 3, 2026`, `February 2026`. */
const DATE =
  `${YEAR}-\\d\\d-\\d\\d|` +
  `(?:\\d{1,2}(?:st|nd|rd|th)? (?:of )?)?${MONTH}\\.?(?: \\d{1,2}(?:st|nd|rd|th)?)?,? ${YEAR}`
const PHRASE = new RegExp(
  `\\(?\\b(?:valid )?(?:(until|till|since)|from) (${DATE})(?: (to|until|till) (${DATE}))?\\)?`,
  'gi',
)
/** Words that negate a statement, leave it open, or say that it began at the date where it seems to end. */
const IN_DOUBT =
  /\b(?:not|never|cannot|no|nobody|nothing|unless|if|whether|or|perhaps|maybe|might|could|would|may(?! \d)|postponed|moved|now|then|said|who|which|with|and)\b|n['’]t\b|[?"“”\n]/i

/**
 * Returns when a text says of itself that it holds: "… until 2 Feb 2026", "Since March 2026, …", "valid from 1 May 2026 to 31 May
 * 2026". The text is one English sentence that begins or ends with its only such phrase, with a whole date or a month and its year,
 * and without a word of doubt. "until" ends where the day or month begins, "to" where it is over. Cost: linear, at most 240 units.
 */
export function validityIn(text: string): Validity {
  if (text.length > 240 || !/\d{4}/.test(text) || IN_DOUBT.test(text)) return {}
  const [found, another] = text.matchAll(PHRASE)
  if (found === undefined || another !== undefined) return {}
  const [phrase, word = 'from', first = '', link = '', last = ''] = found
  const [before, behind] = [text.slice(0, found.index), text.slice(found.index + phrase.length)]
  const isAtEdge = before.trim() === '' ? /^[,:]/.test(behind) : /^[.!]?\s*$/.test(behind)
  // "The report from 1 May 2026" says when the report was made.
  const mayBeOrigin = word === 'from' && !/^\(?valid/i.test(phrase)
  if (!isAtEdge || mayBeOrigin || /[.!?;:] /.test(before + behind.slice(1))) return {}
  const [begun, ended] = [spanOf(first), spanOf(last)]
  if (begun === undefined || (link !== '' && ended === undefined)) return {}
  const end = link.toLowerCase() === 'to' ? ended?.after : ended?.start
  const read = /^(?:until|till)$/i.test(word)
    ? { validUntil: begun.start }
    : { validFrom: begun.start, ...(end && { validUntil: end }) }
  return isInOrder(read) ? read : {}
}

/** Returns the start of the day or month that a date names, and the start of the next one; undefined if there is no such day. */
function spanOf(date: string): { readonly start: string; readonly after: string } | undefined {
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date)
  const name = /[a-z]{3,}/i.exec(date.replace(/\d\w*/g, ''))?.[0].slice(0, 3).toLowerCase() ?? ''
  const year = Number(iso?.[1] ?? date.slice(-4))
  const month = Number(iso?.[2] ?? MONTHS.indexOf(name) + 1) - 1
  const day = Number(iso?.[3] ?? /\b\d{1,2}(?!\d)/.exec(date)?.[0] ?? Number.NaN)
  const start = new Date(Date.UTC(year, month, day || 1))
  if (month < 0 || start.getUTCMonth() !== month) return undefined
  const after = Number.isNaN(day) ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, day + 1)
  return { start: start.toISOString(), after: new Date(after).toISOString() }
}

/**
 * Returns the dates that order a new block behind the newest words if the clock does not. Returns none if the clock has moved on, or if
 * the block's position in the same session orders it.
 */
export function orderOfNew(
  {
    at,
    newest,
  }: { readonly at: string; readonly newest?: { readonly at: string; readonly session: string } },
  { occurredAt, session }: Pick<Block, 'occurredAt' | 'session'>,
): Pick<Block, 'lastAt' | 'lastToldAt'> {
  if (newest === undefined || newest.at < at) return {}
  if (newest.at === at && newest.session === session) return {}
  const lastToldAt = justAfter(newest.at)
  return { lastAt: occurredAt === at ? lastToldAt : occurredAt, lastToldAt }
}

/**
 * Returns a block with the dates of a further occurrence of its text. The order of the block stays if the occurrence is trusted less,
 * or if its date is before that of the newest occurrence.
 *
 * @param newest arrival of the newest words before the occurrence, ISO-8601 UTC
 */
export function datedAgain(
  block: Block,
  { at, createdAt, sourceClass }: Occurrence,
  newest = createdAt,
): Block {
  const lastToldAt = justAfter(newest > createdAt ? newest : createdAt)
  const again: Block = { ...block, lastAt: at === createdAt ? lastToldAt : at, lastToldAt }
  if (mayCover(sourceClass, block) && isNewer(again, block)) return again
  return {
    ...block,
    lastAt: block.lastAt ?? block.occurredAt,
    lastToldAt: block.lastToldAt ?? block.createdAt,
  }
}

/** Returns a block with the dates that follow from these occurrences alone. */
export function datedBy(block: Block, occurrences: readonly Occurrence[]): Block {
  const { lastAt: _at, lastToldAt: _toldAt, ...first } = block
  return occurrences.reduce((dated, each) => datedAgain(dated, each), first as Block)
}

/** Returns true if two occurrences have the same speaker and a date in the same second. */
export function isSameOccurrence(one: Occurrence, other: Occurrence): boolean {
  if (one.sourceClass !== other.sourceClass || one.source !== other.source) return false
  return one.at.slice(0, 19) === other.at.slice(0, 19)
}

/** Returns the first time a block was said, as an occurrence. */
export function firstOccurrence(block: Block): Occurrence {
  const { id, occurredAt, createdAt, source, sourceClass, session } = block
  return { blockId: id, at: occurredAt, createdAt, sourceClass, session, ...defined({ source }) }
}

function justAfter(at: string): string {
  return new Date(Date.parse(at) + 1).toISOString()
}
