import type { Block } from '../block.ts'

/** When something holds, ISO-8601 UTC: from the first time on, and no more from the second on. An absent end is open. */
export interface Validity {
  readonly validFrom?: string
  readonly validUntil?: string
}

type Begun = Pick<Block, 'validFrom' | 'occurredAt' | 'createdAt'>
type Ended = Pick<Block, 'validUntil' | 'supersededAt'>

/** When a block began to hold: as given or read, else when it was said; undefined, at some time, if it had ended by then. */
export function startOf(block: Begun & Ended): string | undefined {
  const [said, end] = [saidAt(block), endOf(block)]
  return block.validFrom ?? (end !== undefined && end < said ? undefined : said)
}

/** The first time at which a block holds no more: its own end, or when what took its place began, whichever is earlier. */
export function endOf({ validUntil, supersededAt }: Ended): string | undefined {
  return earlier(validUntil, supersededAt)
}

/** True if a block held, or will hold, at a time. */
export function holdsAt(block: Begun & Ended, at: string): boolean {
  return hasBegun(block, at) && !hasEnded(block, at)
}

/** True if a block began to hold at a time or before, whether it has ended since or not. */
export function hasBegun(block: Begun & Ended, at: string): boolean {
  const start = startOf(block)
  return start === undefined || start <= at
}

/**
 * Which of two blocks began to hold later, as far as their dates say: the one that began when the other had ended, or of two
 * with given beginnings the one with the later, or the one that was to begin only after both were said; undefined where the
 * dates say nothing of it.
 */
export function begunLater<T extends Begun & Ended>(one: T, other: T): T | undefined {
  const isAfter = (later: T, before: T) => {
    const [start, end] = [startOf(later), endOf(before)]
    return start !== undefined && end !== undefined && end <= start
  }
  const [isOneAfter, isOtherAfter] = [isAfter(one, other), isAfter(other, one)]
  if (isOneAfter !== isOtherAfter) return isOneAfter ? one : other
  const [first, second] = [begunOf(one, other), begunOf(other, one)]
  if (isOneAfter || first === undefined || second === undefined || first === second) return undefined
  return first > second ? one : other
}

/** When a block began, as it is given, or else if the other was to begin only after both were said. */
function begunOf(block: Begun, other: Begun): string | undefined {
  if (block.validFrom !== undefined) return block.validFrom
  const said = saidAt(block)
  const isAhead = other.validFrom !== undefined && other.validFrom > said && other.validFrom > saidAt(other)
  return isAhead ? said : undefined
}

/** False of two blocks of which the one had ended when the other began. */
export function mayHoldTogether(one: Begun & Ended, other: Begun & Ended): boolean {
  const [start, another] = [startOf(one), startOf(other)]
  return (
    !(start !== undefined && hasEnded(other, start)) && !(another !== undefined && hasEnded(one, another))
  )
}

/** False of a block that ended when it began, such as one that only said again what was known. */
export function everHeld(block: Begun & Ended): boolean {
  const end = endOf(block)
  return end === undefined || startOf(block) !== end
}

/** True if a block held no more at a time. */
export function hasEnded(block: Ended, at: string): boolean {
  const end = endOf(block)
  return end !== undefined && end <= at
}

/**
 * When a block ends whose place another takes: when that one begins, as it says itself, else when it was said; never before
 * it began itself.
 */
export function endBy(older: Begun, newer: Begun): string {
  const end = newer.validFrom ?? saidAt(newer)
  // That it was said later is no sign that it began then, when it is known from when on the other holds.
  const start = older.validFrom ?? (newer.validFrom === undefined ? saidAt(older) : end)
  return end < start ? start : end
}

/** A date-time as ISO 8601 allows it, with its seconds and a zone of hours and minutes: `2026-02-01T10:00+02` gains both. */
export function wholeInstant(text: string): string {
  const [, date = '', time = '', seconds = ':00', zone = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(text.toUpperCase()) ?? []
  if (date === '') return text
  const [, sign = '', minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? []
  return `${date}T${time}${seconds}${sign === '' ? zone : `${sign}:${minutes}`}`
}

/** The earlier of two times, of which either may be missing. */
export function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

/** True of two ends in their order; something may end when it begins, and then never held. */
export function isInOrder({ validFrom, validUntil }: Validity): boolean {
  return validFrom === undefined || validUntil === undefined || validFrom <= validUntil
}

/** The given dates of when a text holds, and those read from its words where none were given. */
export function completed(given: Validity, read: Validity): Validity {
  const { validFrom = read.validFrom, validUntil = read.validUntil } = given
  const both = { ...(validFrom && { validFrom }), ...(validUntil && { validUntil }) }
  return isInOrder(both) ? both : given
}

/** How it is known when a block ends: it was given, its own text says so, or another took its place. */
export type EndKnownBy = 'given' | 'text' | 'superseded'

/** When a block holds and how that is known, for whoever looks at it. */
export function knownValidity(
  block: Ended & Pick<Block, 'validFrom'>,
  read: Validity,
): Validity & { readonly fromBy?: 'given' | 'text'; readonly untilBy?: EndKnownBy } {
  const { validFrom } = block
  const validUntil = endOf(block)
  const own = validUntil === read.validUntil ? 'text' : 'given'
  return {
    ...(validFrom && { validFrom, fromBy: validFrom === read.validFrom ? 'text' : 'given' }),
    ...(validUntil && { validUntil, untilBy: validUntil === block.validUntil ? own : 'superseded' }),
  }
}

/**
 * The words for when a block holds, at a time: `until 2026-02-02` if it holds no more, `from 2026-05-01` if it has not begun, and
 * `since 2026-05-01` if it began on another day than it was said; else undefined.
 */
export function markAt(block: Begun & Ended, at: string): string | undefined {
  const end = endOf(block)
  if (end !== undefined && end <= at) return `until ${momentWords(end)}`
  const { validFrom } = block
  if (validFrom === undefined) return undefined
  if (validFrom > at) return `from ${momentWords(validFrom)}`
  return validFrom.slice(0, 10) === saidAt(block).slice(0, 10) ? undefined : `since ${momentWords(validFrom)}`
}

/** When something holds, in words: `from 2026-05-01 until 2026-06-01`; empty when nothing is said of it. */
export function validityWords({
  validFrom,
  validUntil,
}: { readonly [K in keyof Validity]?: string | undefined }): string {
  return [
    ...(validFrom === undefined ? [] : [`from ${momentWords(validFrom)}`]),
    ...(validUntil === undefined ? [] : [`until ${momentWords(validUntil)}`]),
  ].join(' ')
}

/** A time as people read it, UTC: a day alone when it is its beginning, else with the minute. */
export function momentWords(at: string): string {
  return at.endsWith('T00:00:00.000Z') ? at.slice(0, 10) : at.slice(0, 16).replace('T', ' ')
}

type Times = Pick<Block, 'occurredAt' | 'createdAt' | 'lastAt' | 'lastToldAt'>
/** The fields that order a block among others. */
export type Dated = Times & Pick<Block, 'id' | 'session' | 'position'>

/**
 * True if the first of two blocks says the later thing by its newest occurrence: by when that happened, but never later
 * than it was remembered, then by when it was remembered, then by its place in the session. A total order.
 */
export function isNewer(one: Dated, other: Dated): boolean {
  const [first, second] = [lastSaidAt(one), lastSaidAt(other)]
  if (first !== second) return first > second
  return isToldLater(one, other)
}

/**
 * True if the first of two blocks is the later word, where a date ahead says nothing: if one of them is planned, the one remembered
 * later is, whatever its date; otherwise as `isNewer`. It is no order: among three blocks each may be later than another.
 */
export function isLaterWord(one: Dated, other: Dated): boolean {
  return isPlanned(one) || isPlanned(other) ? isToldLater(one, other) : isNewer(one, other)
}

/** True if two blocks were said at the same time, as far as clocks tell. */
export function isAtOnce(one: Dated, other: Dated): boolean {
  return lastSaidAt(one) === lastSaidAt(other) && toldAt(one) === toldAt(other)
}

/** True if a block is dated after the time it was remembered, such as an appointment. */
export function isPlanned(block: Times): boolean {
  return (block.lastAt ?? block.occurredAt) > toldAt(block)
}

/** True if a block is dated ahead and another was remembered after it: then its date says nothing of that one. */
export function isOvertaken(one: Times, other: Times): boolean {
  return isPlanned(one) && toldAt(one) < toldAt(other)
}

/** When a block was said first, ISO-8601 UTC: no date given by hand is later than the time it was remembered. */
export function saidAt({ occurredAt, createdAt }: Pick<Times, 'occurredAt' | 'createdAt'>): string {
  return occurredAt < createdAt ? occurredAt : createdAt
}

/** When a block was said last, ISO-8601 UTC: no date given by hand is later than the time it was remembered. */
export function lastSaidAt(block: Times): string {
  const [at, told] = [block.lastAt ?? block.occurredAt, toldAt(block)]
  return at < told ? at : told
}

/** When the newest words of a block arrived. */
function toldAt({ createdAt, lastToldAt = createdAt }: Times): string {
  return lastToldAt
}

function isToldLater(one: Dated, other: Dated): boolean {
  const [first, second] = [toldAt(one), toldAt(other)]
  if (first !== second) return first > second
  if (one.session !== other.session) return one.session > other.session
  return one.position === other.position ? one.id > other.id : one.position > other.position
}
