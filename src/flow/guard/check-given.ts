import type { Settings } from '../../config/settings.ts'
import { defined, shortName, wordSet } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'

type Limits = Settings['limits']

/** Bytes of a tag, source, session, category, relation or cursor. */
export const NAME_BYTES = 1_024

/** Limits of every call that nobody turns; the others are settings. */
const FIXED = {
  /** All of a question is looked up by its words, and its first few hundred words are embedded. */
  queryBytes: 20_000,
  /** Reasons, notes and digests explain and are no contents. */
  noteBytes: 16_384,
  nameBytes: NAME_BYTES,
  /** So many items of remember_many, connects and analyses are checked in well under a second. */
  batchItems: 10_000,
  /** A list of ids costs little. */
  idsPerCall: 100_000,
  /** Any other list, such as tags. */
  listItems: 1_000,
  /** The largest budget of a recall: more than any model reads at once. */
  recallTokens: 1_000_000,
} as const
type LimitName = keyof Limits | keyof typeof FIXED

interface Limited {
  readonly limit: LimitName
  readonly recovery: string
}

const SHORTER = 'Shorten it; what there is to say at length belongs into the content of a block.'
const FEWER = 'Make several calls of it; each adds to the one before.'

const QUERY: Limited = { limit: 'queryBytes', recovery: 'Ask in a few sentences; a question is no document.' }
const NOTE: Limited = { limit: 'noteBytes', recovery: SHORTER }
const BATCH: Limited = { limit: 'batchItems', recovery: FEWER }
const ITEM: Limited = {
  limit: 'itemBytes',
  recovery: 'Part it over several items, or keep a place where the rest is to be found.',
}
const IDS: Limited = { limit: 'idsPerCall', recovery: FEWER }

/** Holds any data, as long as its JSON may be: a name in it is no argument, exempts nothing, and may be a secret itself. */
const VALUE = 'value'

/** Arguments with a limit of their own, by name: all other words are names, all other lists are short. */
const TEXTS: Readonly<Record<string, Limited>> = {
  query: QUERY,
  sourceQuery: QUERY,
  targetQuery: QUERY,
  text: {
    limit: 'documentBytes',
    recovery: 'Learn it in parts, with the same source and session, so that they stay neighbours.',
  },
  answer: { limit: 'documentBytes', recovery: 'Pass the part that cites the blocks.' },
  [VALUE]: ITEM,
  asked: QUERY,
  reply: QUERY,
  input: {
    limit: 'documentBytes',
    recovery: 'Pass its beginning: a command, or the first lines of an edit.',
  },
  edited: NOTE,
  reason: NOTE,
  note: NOTE,
  summary: NOTE,
}
const LISTS: Readonly<Record<string, Limited>> = {
  blocks: BATCH,
  edges: BATCH,
  writes: BATCH,
  places: BATCH,
  edgeLabels: BATCH,
  hostAnalyses: BATCH,
  blockIds: IDS,
  helped: IDS,
  misled: IDS,
  beside: IDS,
  without: IDS,
}
const NUMBERS: Readonly<Record<string, Limited>> = {
  tokenBudget: { limit: 'recallTokens', recovery: 'Ask for less at once, or several narrower questions.' },
}
const NAME: Limited = { limit: 'nameBytes', recovery: SHORTER }
const LIST: Limited = { limit: 'listItems', recovery: 'Name fewer.' }

/** Arguments not checked here: those of a block by `memory.max_…` where it is made, paths by the system. */
const CHECKED_ELSEWHERE = wordSet('content cue identity words values principles path')

/**
 * Throws `LIMIT_EXCEEDED` when anything a call brings is too long, too many or too much. Every text and list of every
 * operation has a limit, whether it was thought of here or not.
 */
export function checkLimits(input: Readonly<Record<string, unknown>>, limits: Limits): void {
  for (const [name, value] of Object.entries(input)) check({ name, path: name }, value, limits)
}

/** Levels that are looked into: no operation takes so many, and the schema refuses what lies deeper. */
const LEVELS = 8

/**
 * Throws `LIMIT_EXCEEDED` when a list or an object of a call has too many items, before anything looks at each: what comes
 * may be of any shape. Names may be spelled as on a wire.
 */
export function checkCounts(input: unknown, limits: Limits): void {
  if (typeof input === 'object' && input !== null) countIn({ name: '', path: '' }, input, limits, LEVELS)
}

function countIn(place: Place, value: object, limits: Limits, levels: number): void {
  if (place.name === VALUE) return
  const isList = Array.isArray(value)
  const keys = isList ? [] : Object.keys(value)
  const found = isList ? value.length : keys.length
  hold({ ...place, path: place.path || 'the call' }, { found, unit: 'items' }, LISTS, limits, LIST)
  if (levels === 0) return
  const inside = (each: unknown, at: () => Place) => {
    if (typeof each === 'object' && each !== null) countIn(at(), each, limits, levels - 1)
  }
  if (isList)
    for (const [at, each] of value.entries()) inside(each, () => ({ name: '', path: `${place.path}[${at}]` }))
  else for (const key of keys) inside((value as Record<string, unknown>)[key], () => namedPlace(place, key))
}

/** The place of what an object has under a name; a long name is cut, and no path gets longer than a line. */
function namedPlace({ path }: Place, key: string): Place {
  const name = shortName(key)
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return { name: camel, path: path === '' ? name : `${path}.${name}` }
}

interface Place {
  /** Name of the argument; an item of a list has the list's name. */
  readonly name: string
  readonly path: string
}

function check(place: Place, value: unknown, limits: Limits): void {
  if (place.name === VALUE) checkWords(place, JSON.stringify(value) ?? '', limits)
  else if (typeof value === 'string') checkWords(place, value, limits)
  else if (typeof value === 'number') hold(place, { found: value, unit: 'tokens' }, NUMBERS, limits)
  else if (Array.isArray(value)) checkList(place, value, limits)
  else if (typeof value === 'object' && value !== null) checkRecord(place, value, limits)
}

function checkList(place: Place, list: readonly unknown[], limits: Limits): void {
  hold(place, { found: list.length, unit: 'items' }, LISTS, limits, LIST)
  for (const [at, each] of list.entries()) check({ ...place, path: `${place.path}[${at}]` }, each, limits)
}

function checkRecord(place: Place, record: object, limits: Limits): void {
  const entries = Object.entries(record)
  hold(place, { found: entries.length, unit: 'items' }, LISTS, limits, LIST)
  for (const [name, each] of entries) {
    checkWords({ name: '', path: `a key of ${place.path}` }, name, limits)
    check({ ...namedPlace(place, name), name }, each, limits)
  }
}

function checkWords(place: Place, text: string, limits: Limits): void {
  if (CHECKED_ELSEWHERE.has(place.name)) return
  hold(place, { found: Buffer.byteLength(text), unit: 'bytes' }, TEXTS, limits, NAME)
}

function hold(
  { name, path }: Place,
  { found, unit }: { readonly found: number; readonly unit: string },
  known: Readonly<Record<string, Limited>>,
  limits: Limits,
  otherwise?: Limited,
): void {
  const limited = Object.hasOwn(known, name) ? known[name] : otherwise
  if (limited === undefined) return
  const { limit: by, recovery } = limited
  const limit = { ...limits, ...FIXED }[by]
  if (found <= limit) return
  throw overLimit({
    what: path,
    found,
    limit,
    unit,
    ...(by in FIXED ? {} : { setting: settingName(by) }),
    recovery,
  })
}

function settingName(limit: LimitName): string {
  return `limits.${limit.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
}

/** One limit that was exceeded, and the setting it comes from. */
interface OverLimit {
  /** The argument, or what else was counted; as the caller wrote it. */
  readonly what: string
  readonly found: number
  readonly limit: number
  /** `bytes`, `items`, `tags`. */
  readonly unit: string
  /** As configuration spells it: `limits.document_bytes`; absent of a limit that is no setting. */
  readonly setting?: string
  readonly recovery: string
}

/** The one refusal of what is too long, too many or too much: says the limit, what was found and the setting's name. */
export function overLimit({ what, found, limit, unit, setting, recovery }: OverLimit): ElfmemError {
  const message = `${what} has ${found} ${unit}; at most ${limit} are taken${setting ? ` (${setting})` : ''}.`
  return new ElfmemError('LIMIT_EXCEEDED', message, {
    recovery,
    details: { arguments: [what], found, limit, unit, ...defined({ setting }) },
  })
}
