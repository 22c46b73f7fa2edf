import { splitWhitespace, wordSet } from '../../text/text.ts'
import { isInOrder, type Validity } from './validity.ts'

/** Most words of a statement that is read; a longer text tells of many things. */
const WORDS_MOST = 40

/** The year is of this form, so that no other number is taken for one. */
const YEAR = /^(?:19|20|21)\d\d$/
/** Nearly no text has a year, and none without one is read. */
const DATED = /(?:19|20|21)\d\d|\d{4}-\d\d-\d\d/
const DAY = /^(\d{1,2})(?:st|nd|rd|th)?$/
const ISO_DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const DOTTED_DAY = /^(\d{1,2})\.(\d{1,2})\.((?:19|20|21)\d\d)$/
const MONTHS: ReadonlyMap<string, number> = new Map(
  'january february march april may june july august september october november december'
    .split(' ')
    .flatMap((name, month) => [[name, month] as const, [name.slice(0, 3), month] as const]),
).set('sept', 8)

/** Words that turn a statement round, leave it open, or say that something begins where it is said to end. */
const IN_DOUBT = wordSet(
  'not no never nothing nobody none without cannot unless if whether when maybe perhaps probably may might could ' +
    'would least latest earliest about around roughly or postponed delayed deferred rescheduled moved off ' +
    // Another clause says what holds then, or something is only counted from a day on.
    'now then today thereafter afterwards afterward currently worst best highest lowest largest twice times ' +
    'hours days weeks months years ' +
    // What is to be done, or what somebody says.
    'postpone pay hand submit store send said says thinks',
)
/** In doubt, unless it is the month. */
const MAY = 'may'
const UNTIL = wordSet('until till')
/** Names the last day or month in which it holds. */
const THROUGH = 'through'
/** Before a date alone: "effective 1 May 2026". */
const EFFECTIVE = 'effective'
const TO = wordSet('until till to through – -')
/** Before "from", which behind a statement may name an origin. */
const LASTING = wordSet('valid effective applicable applies apply force effect')

/** These begin a phrase only at the beginning of a text, or behind a comma. */
const OF_THING = wordSet('starting effective as')
/** "From 1 May 2026 on" is no origin. */
const ON = wordSet('on onward onwards forward')
/** Behind a date that begins a text these begin the statement: "From 1 May 2026 the gate …", and not "From May 2026 records …". */
const SUBJECT = wordSet('the a an my our your his her its their all every each i we you he she it they there')
/** "Since May 2026 was dry, …": the date is what is spoken of. */
const OF_DATE = wordSet('is are was were has had')
/** "From 3 May 2026 we still have a photo": what is had has its origin there. */
const HAD = wordSet('have has had own keep still only')
/** Of words before an end or a beginning these open another clause, or a thing that has one: "a fridge with a warranty until …". */
const CLAUSE = wordSet(
  'and with because whose whom who which that since extended adjourned cover covers report',
)

/** A stretch of time that words name: its start, and the end, which is not part of it. */
interface Named {
  readonly start: string
  readonly after: string
  /** How many words name it. */
  readonly length: number
}

interface Phrase extends Validity {
  readonly at: number
  readonly end: number
}

/**
 * When a text says of itself that it holds: "… until 2 Feb 2026", "since March 2026 …", "From 1 May 2026 the …", "… from 1 May
 * 2026 on", "As of May 2026 the …", "valid from 1 May 2026 to 31 May 2026". Only of one sentence in English, whose only such phrase is its beginning or its end, with a whole date or a
 * month and its year; nothing in doubt. "until" ends where the day or month begins, "to" where it is over.
 * Cost: linear in the words, and none of a text of more than 40.
 */
export function validityIn(text: string): Validity {
  const { validFrom, validUntil } = readIn(text)?.phrase ?? {}
  return { ...(validFrom && { validFrom }), ...(validUntil && { validUntil }) }
}

const mayBeRead = (text: string): boolean =>
  text.length <= WORDS_MOST * 40 && DATED.test(text) && !/[\n"“”?]/.test(text)

function readIn(text: string): { readonly phrase: Phrase; readonly raw: readonly string[] } | undefined {
  if (!mayBeRead(text)) return undefined
  const raw = splitWhitespace(text)
  if (raw.length < 3 || raw.length > WORDS_MOST) return undefined
  const words = raw.map(bare)
  const hasMore = raw.some(
    (word, i) => endsSentence(word) && i < raw.length - 1 && !MONTHS.has(words[i] ?? ''),
  )
  const isInDoubt = words.some(
    (word, i) => (IN_DOUBT.has(word) && !isMonthAt(words, i)) || word.endsWith("n't"),
  )
  const [only, another] = hasMore || isInDoubt ? [] : phrasesIn(words, raw)
  if (only === undefined || another !== undefined) return undefined
  return isOfStatement({ raw, words }, only) && isInOrder(only) ? { phrase: only, raw } : undefined
}

/** A text's words, as written and without what stands around them. */
type Words = Readonly<Record<'raw' | 'words', readonly string[]>>

/** True of a phrase that begins or ends a statement, and does not speak of a thing or a clause in it. */
function isOfStatement({ raw, words }: Words, { at, end }: Phrase): boolean {
  if (at > 0) return end === words.length && !words.slice(0, at).some((word) => CLAUSE.has(word))
  const [last = '', next = ''] = [raw[end - 1], raw[end]]
  if (OF_DATE.has(words[end] ?? '')) return false
  if (words[0] !== 'from' && words[0] !== 'as') return true
  if (HAD.has(words[end + 1] ?? '')) return false
  return last.endsWith(',') || ON.has(words[end - 1] ?? '') || SUBJECT.has(words[end] ?? '') || isName(next)
}

/** A heading is none: "From May 2026 Minutes: …" */
const isName = (word: string): boolean => /^\p{Lu}\p{L}*$/u.test(word)

function phrasesIn(words: readonly string[], raw: readonly string[]): readonly Phrase[] {
  const phrases: Phrase[] = []
  for (let at = 0; at < words.length; ) {
    const isApart = at === 0 || raw[at - 1]?.endsWith(',') === true || LASTING.has(words[at - 1] ?? '')
    // "The course starting 1 May 2026", "the budget effective 1 May 2026": the date may be that of the thing.
    const phrase = !isApart && OF_THING.has(words[at] ?? '') ? undefined : phraseAt(words, at)
    if (phrase !== undefined) phrases.push(phrase)
    at = phrase?.end ?? at + 1
  }
  return phrases
}

function endsSentence(word: string): boolean {
  return /[.!;]$/.test(word)
}

/** A word without what stands around it. */
function bare(word: string): string {
  const isAround = (sign: string | undefined) => sign !== undefined && '.,;:!()[]'.includes(sign)
  let [start, end] = [0, word.length]
  while (start < end && isAround(word[start])) start++
  while (end > start && isAround(word[end - 1])) end--
  return word.slice(start, end).toLowerCase().replaceAll('’', "'")
}

function isMonthAt(words: readonly string[], i: number): boolean {
  if (words[i] !== MAY) return false
  const [before = '', after = ''] = [words[i - 1], words[i + 1]]
  return YEAR.test(after) || ((DAY.test(before) || before === 'of') && YEAR.test(after)) || DAY.test(after)
}

function phraseAt(words: readonly string[], at: number): Phrase | undefined {
  const word = words[at] as string
  if (UNTIL.has(word) || word === THROUGH) return untilAt(words, at)
  const dated = datedAt(words, at)
  const first = dated === undefined ? undefined : dateAt(words, dated)
  if (dated === undefined || first === undefined) return undefined
  const [begun, joint] = [beginningOf(words, at), dated + first.length]
  const link = words[joint] ?? ''
  const last = TO.has(link) ? dateAt(words, joint + 1) : undefined
  const isOn = ON.has(link)
  const mayBeOrigin = word === 'from' && at > 0 && !LASTING.has(words[at - 1] ?? '')
  if (mayBeOrigin && !isOn) return undefined
  if (last === undefined) return { at: begun, end: isOn ? joint + 1 : joint, validFrom: first.start }
  const validUntil = UNTIL.has(link) ? last.start : last.after
  return { at: begun, end: joint + 1 + last.length, validFrom: first.start, validUntil }
}

/** The place of the date behind the words from a place on that let something begin; undefined if they do not. */
function datedAt(words: readonly string[], at: number): number | undefined {
  const [word = '', next = ''] = words.slice(at, at + 2)
  if (word === 'as') return next === 'of' ? at + 2 : undefined
  if (word === 'starting') return next === 'on' || next === 'from' ? at + 2 : at + 1
  return word === 'since' || word === 'from' || word === EFFECTIVE ? at + 1 : undefined
}

/** "until" ends where its date begins, "through" where it is over. */
function untilAt(words: readonly string[], at: number): Phrase | undefined {
  // "from 1 May until 31 May" has a start that is not read, without which the end says too much.
  if (words.slice(0, at).includes('from')) return undefined
  const date = dateAt(words, at + 1)
  const ends = words[at] === THROUGH ? date?.after : date?.start
  return date && ends
    ? { at: beginningOf(words, at), end: at + 1 + date.length, validUntil: ends }
    : undefined
}

/** "valid until", "effective from" and the like are one phrase. */
function beginningOf(words: readonly string[], at: number): number {
  return at === 1 && LASTING.has(words[0] as string) ? 0 : at
}

/** The day or month that the words from a place on name, with its year. */
function dateAt(words: readonly string[], at: number): Named | undefined {
  const [first = '', second = '', third = '', fourth = ''] = words.slice(at, at + 4)
  const iso = ISO_DAY.exec(first)
  if (iso) return dayOf([Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])], 1)
  const dotted = DOTTED_DAY.exec(first)
  if (dotted) return dayOf([Number(dotted[3]), Number(dotted[2]) - 1, Number(dotted[1])], 1)
  const [month, day] = [MONTHS.get(first), DAY.exec(second)?.[1]]
  if (month !== undefined && YEAR.test(second)) return monthOf(Number(second), month)
  if (month !== undefined && day !== undefined && YEAR.test(third))
    return dayOf([Number(third), month, Number(day)], 3)
  const [begins, hasOf] = [DAY.exec(first)?.[1], second === 'of']
  const [named, year] = hasOf ? [third, fourth] : [second, third]
  const number = MONTHS.get(named)
  if (begins === undefined || number === undefined || !YEAR.test(year)) return undefined
  return dayOf([Number(year), number, Number(begins)], hasOf ? 4 : 3)
}

function monthOf(year: number, month: number): Named {
  const [start, after] = [new Date(Date.UTC(year, month, 1)), new Date(Date.UTC(year, month + 1, 1))]
  return { start: start.toISOString(), after: after.toISOString(), length: 2 }
}

/** Undefined for a day that is none, such as 31 February. */
function dayOf([year, month, day]: readonly [number, number, number], length: number): Named | undefined {
  const start = new Date(Date.UTC(year, month, day))
  if (start.getUTCMonth() !== month || start.getUTCDate() !== day) return undefined
  return { start: start.toISOString(), after: new Date(Date.UTC(year, month, day + 1)).toISOString(), length }
}
