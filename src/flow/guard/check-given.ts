import type { Settings } from '../../config/settings.ts'
import type { Redacted } from '../../domain/safety/secrets/secrets.ts'
import { defined, shortName, wordSet } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import { Pauses } from '../engine/engine.ts'

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

/** Questions are looked through where they are kept; an answer is only read; a file is found by its own name only. */
const NOT_KEPT = wordSet('query sourceQuery targetQuery answer path name')
/** No pattern needs less. */
const SHORTEST_SECRET = 8
/** Fields that hold ids, of calls and of exports; `source` is none of them, because a block's is text. */
const ID_FIELDS = wordSet(
  'id blockId block_id blockIds block_ids helped misled beside target question a b from to from_id to_id supersedes superseded_by supersededBy',
)
/** An id may be all digits by chance, and then look like the number of a card. */
const ID = /^[0-9a-f]{16}$/
/** One plain word, as the names of frames and kinds are: no rule takes it for a secret. */
const WORD = /^[a-z_]{1,24}$/
/** A text from this length on is looked through part by part, with pauses. */
const LONG_TEXT = 16_384

/** Loaded when there is something to look through: the many rules would cost every start some 20 ms. */
let finder: Finder | undefined

type Finder = typeof import('../../domain/safety/secrets/secrets.ts')

/**
 * Takes out of all a call brings what looks like a secret, or throws `SECRET_REFUSED`, as `memory.secrets` says, before
 * any stage sees it: so it is neither in a block nor in the log. Others get their turn while a long text is looked
 * through.
 */
export async function guardSecrets<T>(input: T, mode: Settings['memory']['secrets']): Promise<Guarded<T>> {
  if (mode === 'keep') return { input, redacted: [] }
  if (typeof input === 'object' && input !== null && wordsOf(input, { most: 1, names: [] }) === '')
    return { input, redacted: [] }
  const redacted: RedactedSecrets[] = []
  const onFound = (path: string, found: Redacted) => {
    if (mode === 'refuse') throw refused(path, found)
    redacted.push(...found.found.map((each) => ({ ...each, field: path })))
  }
  finder ??= await import('../../domain/safety/secrets/secrets.ts')
  const named = new Map<string, Redacted>()
  const look = { onFound, named, ...finder }
  const kept = await stepwise(rewritten(input, { name: '', path: '', names: [] }, look))
  if (named.size === 0) return { input: kept as T, redacted }
  return { input: withoutNamed(kept, { name: '', path: '', names: [] }, look) as T, redacted }
}

async function stepwise(steps: Generator<number, unknown>): Promise<unknown> {
  const pauses = new Pauses()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    await pauses.after(step.value)
  }
}

/** The end of a summary that tells of what was taken out; empty when nothing was. */
export function redactedSentence(redacted: readonly RedactedSecrets[]): string {
  if (redacted.length === 0) return ''
  const kinds = new Map<string, number>()
  for (const { kind, count } of redacted) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  const said = [...kinds].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`))
  return `What looked like a secret was not kept: ${said.join(', ')}.`
}

interface TextPlace {
  readonly name: string
  readonly path: string
  /** Names that say what a text here is; none outside data, where names are those of arguments. */
  readonly names: readonly string[]
  /** True inside data. */
  readonly isData?: boolean
}

interface Look extends Finder {
  readonly onFound: (path: string, redacted: Redacted) => void
  /** Values that their names gave away, and what became of each. */
  readonly named: Map<string, Redacted>
}

/** The same value without secrets; the very same when it has none. Each step is the work done since, in signs looked at. */
function* rewritten(value: unknown, place: TextPlace, look: Look): Generator<number, unknown> {
  if (typeof value === 'string') return yield* rewrittenText(value, place, look)
  if (typeof value !== 'object' || value === null) return value
  const words = wordsOf(value, { ...place, most: LONG_TEXT, finder: look })
  if (words.length < LONG_TEXT) {
    yield words.length
    if (look.redactSecrets(words).found.length === 0) return value
  }
  const isList = Array.isArray(value)
  const kept: [string, unknown][] = []
  let isSame = true
  for (const [key, each] of Object.entries(value)) {
    const within = isList ? itemOf(place, key) : fieldOf(place, key, look.namesOf(key, value))
    const name = place.isData && !isList ? yield* rewrittenText(key, { ...within, names: [] }, look) : key
    const inside = yield* rewritten(each, within, look)
    isSame &&= inside === each && name === key
    kept.push([name, inside])
  }
  return rebuilt(value, kept, isSame)
}

function rebuilt(value: object, kept: readonly [string, unknown][], isSame: boolean): unknown {
  if (isSame) return value
  return Array.isArray(value) ? kept.map(([, each]) => each) : Object.fromEntries(kept)
}

/** Fields of texts that an item is found by, which may repeat a value of it without its name. */
const SAID = wordSet('content cue')

/** The same without the values that were secrets by their names, where a text says them as a line or a word of its own. */
function withoutNamed(value: unknown, place: TextPlace, look: Look): unknown {
  if (typeof value === 'string')
    return SAID.has(place.name) && !place.isData ? unnamed(value, place, look) : value
  if (typeof value !== 'object' || value === null || place.isData) return value
  const isList = Array.isArray(value)
  const kept = Object.entries(value).map(([key, each]): [string, unknown] => [
    key,
    withoutNamed(each, isList ? itemOf(place, key) : fieldOf(place, key, []), look),
  ])
  return rebuilt(
    value,
    kept,
    kept.every(([key, each]) => each === (value as Record<string, unknown>)[key]),
  )
}

function unnamed(text: string, { path }: TextPlace, { named, onFound }: Look): string {
  const found: Redacted['found'][number][] = []
  const markOf = (part: string) => {
    const redacted = named.get(part.trim())
    found.push(...(redacted?.found ?? []))
    return redacted?.text
  }
  const without = (line: string) =>
    markOf(line) ?? line.replace(/\S+/g, (word) => (WORD.test(word) ? word : (markOf(word) ?? word)))
  const kept = markOf(text) ?? text.split('\n').map(without).join('\n')
  if (found.length === 0) return text
  onFound(path, { text: kept, found })
  return kept
}

/** No value that a name stands before goes over this. */
const BETWEEN = '\n;\n'

/** How far a value is looked through. */
interface Reach {
  /** No more signs than that are wanted. */
  readonly most: number
  /** Names that say what a text directly in it is. */
  readonly names: readonly string[]
  /** Its names are data, too. */
  readonly isData?: boolean | undefined
  /** Without it, names make nothing more of a value. */
  readonly finder?: Finder
}

/**
 * All that is said in a value, to look through at once: nearly always there is nothing to be found. Goes no further than so
 * many signs, since a list of many things is looked through thing by thing.
 */
function wordsOf(value: object, reach: Reach): string {
  const { most, isData = false, finder } = reach
  const isList = Array.isArray(value)
  let words = ''
  const add = (text: string) => {
    if (text !== '') words = words === '' ? text : words + BETWEEN + text
  }
  for (const [name, each] of Object.entries(value)) {
    if (isData && !isList) add(name)
    const names = isList ? reach.names : (finder?.namesOf(name, value) ?? [])
    add(saidIn(name, each, { ...reach, most: most - words.length, names }))
    if (words.length >= most) break
  }
  return words
}

function saidIn(name: string, value: unknown, reach: Reach): string {
  const isData = reach.isData || name === VALUE
  if (typeof value === 'string') {
    const { names, finder } = reach
    const bare = isHarmless(name, value, isData) ? '' : value
    if (!isData) return bare
    if (finder === undefined) return value
    const texts = [bare, ...names.map((each) => finder.fieldText(each, value))]
    return texts.filter((text) => text !== '').join(BETWEEN)
  }
  if (typeof value !== 'object' || value === null) return ''
  return wordsOf(value, { ...reach, isData })
}

/** Nothing of it is kept, or no secret is as it is. */
function isHarmless(name: string, text: string, isData = false): boolean {
  return (
    text.length < SHORTEST_SECRET ||
    WORD.test(text) ||
    (!isData && NOT_KEPT.has(name)) ||
    (ID_FIELDS.has(name) && ID.test(text))
  )
}

/** Returns the place of one item of a list; it goes by the list's name. */
function itemOf({ path, ...place }: TextPlace, at: string): TextPlace {
  return { ...place, path: `${path}[${at}]` }
}

function fieldOf({ path, isData = false }: TextPlace, name: string, names: readonly string[]): TextPlace {
  return { name, path: path === '' ? name : `${path}.${name}`, names, isData: isData || name === VALUE }
}

function* rewrittenText(text: string, place: TextPlace, look: Look): Generator<number, string> {
  const { name, path, isData } = place
  let kept = text
  if (!isHarmless(name, text, isData)) {
    const redacted = yield* redactedText(text, look)
    if (redacted.found.length > 0) look.onFound(path, redacted)
    kept = redacted.text
  }
  return isData ? yield* withoutItsName(kept, place, look) : kept
}

/** A text of data without what the names around it say is a secret. */
function* withoutItsName(text: string, { path, names }: TextPlace, look: Look): Generator<number, string> {
  for (const name of names) {
    yield look.fieldText(name, text).length
    const redacted = look.redactField(name, text)
    if (redacted === undefined) continue
    look.onFound(path, redacted)
    look.named.set(text.trim(), redacted)
    return redacted.text
  }
  return text
}

function* redactedText(text: string, { redactInSteps, redactSecrets }: Look): Generator<number, Redacted> {
  if (text.length < LONG_TEXT) {
    const redacted = redactSecrets(text)
    yield text.length
    return redacted
  }
  return yield* redactInSteps(text)
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
