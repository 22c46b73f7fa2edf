import type { Settings } from '../../config/settings.ts'
import type { Redacted } from '../../domain/safety/secrets/secrets.ts'
import { ElfmemError } from '../../errors.ts'
import { Pauses } from '../engine/pauses.ts'

type Limits = Settings['limits']
type LimitName = keyof Limits

interface Limited {
  readonly limit: LimitName
  readonly recovery: string
}

const SHORTER = 'Shorten it; what there is to say at length belongs into the content of a block.'
const FEWER = 'Make several calls of it; each adds to the one before.'

const QUERY: Limited = { limit: 'queryBytes', recovery: 'Ask in a few sentences; a question is no document.' }
const NOTE: Limited = { limit: 'noteBytes', recovery: SHORTER }
const BATCH: Limited = { limit: 'batchItems', recovery: FEWER }
const IDS: Limited = { limit: 'idsPerCall', recovery: FEWER }

/** Arguments with a limit of their own, by name: all other words are names, all other lists are short. */
const TEXTS: Readonly<Record<string, Limited>> = {
  query: QUERY,
  sourceQuery: QUERY,
  targetQuery: QUERY,
  text: {
    limit: 'documentBytes',
    recovery: 'Learn it in parts, with the same source and session, so that they stay neighbours.',
  },
  reason: NOTE,
  note: NOTE,
  summary: NOTE,
}
const LISTS: Readonly<Record<string, Limited>> = {
  blocks: BATCH,
  edges: BATCH,
  edgeLabels: BATCH,
  hostAnalyses: BATCH,
  blockIds: IDS,
  helped: IDS,
  notHelped: IDS,
}
const NUMBERS: Readonly<Record<string, Limited>> = {
  tokenBudget: { limit: 'recallTokens', recovery: 'Ask for less at once, or several narrower questions.' },
}
const NAME: Limited = { limit: 'nameBytes', recovery: SHORTER }
const LIST: Limited = { limit: 'listItems', recovery: 'Name fewer.' }

/** Arguments not checked here: those of a block by `memory.max_…` where it is made, paths by the system. */
const CHECKED_ELSEWHERE: ReadonlySet<string> = new Set([
  'content',
  'cue',
  'identity',
  'values',
  'principles',
  'path',
])

/**
 * Throws `LIMIT_EXCEEDED` when anything a call brings is too long, too many or too much. Every text and list of every
 * operation has a limit, whether it was thought of here or not.
 */
export function checkLimits(input: Readonly<Record<string, unknown>>, limits: Limits): void {
  for (const [name, value] of Object.entries(input)) check({ name, path: name }, value, limits)
}

interface Place {
  /** Of the argument; what a list holds goes by the list's name. */
  readonly name: string
  readonly path: string
}

function check(place: Place, value: unknown, limits: Limits): void {
  if (typeof value === 'string') checkWords(place, value, limits)
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
    check({ name, path: `${place.path}.${name}` }, each, limits)
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
  if (limited === undefined || found <= limits[limited.limit]) return
  const { limit, recovery } = limited
  throw overLimit({ what: path, found, limit: limits[limit], unit, setting: settingName(limit), recovery })
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
  /** As configuration spells it: `limits.query_bytes`. */
  readonly setting: string
  readonly recovery: string
}

/** The one refusal of what is too long, too many or too much: says the limit, what was found and the setting's name. */
export function overLimit({ what, found, limit, unit, setting, recovery }: OverLimit): ElfmemError {
  const message = `${what} has ${found} ${unit}; at most ${limit} are taken (${setting}).`
  return new ElfmemError('LIMIT_EXCEEDED', message, {
    recovery,
    details: { arguments: [what], found, limit, unit, setting },
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

/** Questions are kept nowhere, and a file is found by its own name only. */
const NOT_KEPT: ReadonlySet<string> = new Set(['query', 'sourceQuery', 'targetQuery', 'path', 'name'])
/** No pattern needs less. */
const SHORTEST_SECRET = 8
/** Fields that hold ids, of calls and of exports; `source` is none of them, because a block's is text. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'blockId', 'block_id', 'blockIds', 'block_ids', 'helped', 'notHelped', 'target'],
  ...['a', 'b', 'from', 'to', 'from_id', 'to_id', 'supersedes', 'superseded_by', 'supersededBy'],
])
/** An id may be all digits by chance, and then look like the number of a card. */
const ID = /^[0-9a-f]{16}$/
/** One plain word, as the names of frames and kinds are: no rule takes it for a secret. */
const WORD = /^[a-z_]{1,24}$/
/** A text from this length on is looked through part by part, with pauses. */
const LONG_TEXT = 65_536

/** Loaded when there is something to look through: the many rules would cost every start some 20 ms. */
let finder: Finder | undefined

type Finder = Pick<typeof import('../../domain/safety/secrets/secrets.ts'), 'redactInSteps' | 'redactSecrets'>

/**
 * Takes out of all a call brings what looks like a secret, or throws `SECRET_REFUSED`, as `memory.secrets` says, before
 * any stage sees it: so it is neither in a block nor in the log. Others get their turn while a long text is looked
 * through.
 */
export async function guardSecrets<T>(input: T, mode: Settings['memory']['secrets']): Promise<Guarded<T>> {
  if (mode === 'keep') return { input, redacted: [] }
  if (typeof input === 'object' && input !== null && wordsOf(input) === '') return { input, redacted: [] }
  const redacted: RedactedSecrets[] = []
  const onFound = (path: string, found: Redacted) => {
    if (mode === 'refuse') throw refused(path, found)
    redacted.push(...found.found.map((each) => ({ ...each, field: path })))
  }
  finder ??= await import('../../domain/safety/secrets/secrets.ts')
  const steps = rewritten(input, { name: '', path: '' }, { onFound, ...finder })
  const pauses = new Pauses()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { input: step.value as T, redacted }
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

interface Place {
  readonly name: string
  readonly path: string
}

interface Look extends Finder {
  readonly onFound: (path: string, redacted: Redacted) => void
}

/** The same value without secrets; the very same when it has none. Each step is the work done since, in signs looked at. */
function* rewritten(value: unknown, place: Place, look: Look): Generator<number, unknown> {
  if (typeof value === 'string') return yield* rewrittenText(value, place, look)
  if (typeof value !== 'object' || value === null) return value
  const words = wordsOf(value)
  if (words.length < LONG_TEXT) {
    yield words.length
    if (look.redactSecrets(words).found.length === 0) return value
  }
  const isList = Array.isArray(value)
  const kept: [string, unknown][] = []
  let isSame = true
  for (const [key, each] of Object.entries(value)) {
    const inside = yield* rewritten(each, isList ? itemOf(place, key) : fieldOf(place, key), look)
    isSame &&= inside === each
    kept.push([key, inside])
  }
  if (isSame) return value
  return isList ? kept.map(([, each]) => each) : Object.fromEntries(kept)
}

/** No value that a name stands before goes over this. */
const BETWEEN = '\n;\n'

/** All that is said in a value, to look through at once: nearly always there is nothing to be found. */
function wordsOf(value: object): string {
  const texts = Object.entries(value).map(([name, each]) => {
    if (typeof each === 'string') return isHarmless(name, each) ? '' : each
    return typeof each === 'object' && each !== null ? wordsOf(each) : ''
  })
  return texts.filter((text) => text !== '').join(BETWEEN)
}

/** Nothing of it is kept, or no secret is as it is. */
function isHarmless(name: string, text: string): boolean {
  return (
    text.length < SHORTEST_SECRET ||
    WORD.test(text) ||
    NOT_KEPT.has(name) ||
    (ID_FIELDS.has(name) && ID.test(text))
  )
}

/** Returns the place of one item of a list; it goes by the list's name. */
function itemOf({ name, path }: Place, at: string): Place {
  return { name, path: `${path}[${at}]` }
}

function fieldOf({ path }: Place, name: string): Place {
  return { name, path: path === '' ? name : `${path}.${name}` }
}

function* rewrittenText(text: string, { name, path }: Place, look: Look): Generator<number, string> {
  if (isHarmless(name, text)) return text
  const redacted = yield* redactedText(text, look)
  if (redacted.found.length > 0) look.onFound(path, redacted)
  return redacted.text
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
