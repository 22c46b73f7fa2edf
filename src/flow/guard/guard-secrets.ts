import type { Settings } from '../../config/settings.ts'
import type { Redacted } from '../../domain/safety/secrets/secrets.ts'
import { ElfmemError } from '../../errors.ts'
import { Pauses } from '../engine/engine.ts'

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
const NOT_KEPT: ReadonlySet<string> = new Set([
  ...['query', 'sourceQuery', 'targetQuery', 'answer', 'path', 'name'],
])
/** Any data, all of which is kept: a name in it exempts nothing, and may be a secret itself. */
const DATA = 'value'
/** No pattern needs less. */
const SHORTEST_SECRET = 8
/** Fields that hold ids, of calls and of exports; `source` is none of them, because a block's is text. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  ...[
    'id',
    'blockId',
    'block_id',
    'blockIds',
    'block_ids',
    'helped',
    'misled',
    'beside',
    'notHelped',
    'target',
    'question',
  ],
  ...['a', 'b', 'from', 'to', 'from_id', 'to_id', 'supersedes', 'superseded_by', 'supersededBy'],
])
/** An id may be all digits by chance, and then look like the number of a card. */
const ID = /^[0-9a-f]{16}$/
/** One plain word, as the names of frames and kinds are: no rule takes it for a secret. */
const WORD = /^[a-z_]{1,24}$/
/** A text from this length on is looked through part by part, with pauses. */
const LONG_TEXT = 16_384

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
  if (typeof input === 'object' && input !== null && wordsOf(input, { most: 1 }) === '')
    return { input, redacted: [] }
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
  /** True inside data. */
  readonly isData?: boolean
}

interface Look extends Finder {
  readonly onFound: (path: string, redacted: Redacted) => void
}

/** The same value without secrets; the very same when it has none. Each step is the work done since, in signs looked at. */
function* rewritten(value: unknown, place: Place, look: Look): Generator<number, unknown> {
  if (typeof value === 'string') return yield* rewrittenText(value, place, look)
  if (typeof value !== 'object' || value === null) return value
  const words = wordsOf(value, { most: LONG_TEXT, isData: place.isData })
  if (words.length < LONG_TEXT) {
    yield words.length
    if (look.redactSecrets(words).found.length === 0) return value
  }
  const isList = Array.isArray(value)
  const kept: [string, unknown][] = []
  let isSame = true
  for (const [key, each] of Object.entries(value)) {
    const within = isList ? itemOf(place, key) : fieldOf(place, key)
    const name = place.isData && !isList ? yield* rewrittenText(key, within, look) : key
    const inside = yield* rewritten(each, within, look)
    isSame &&= inside === each && name === key
    kept.push([name, inside])
  }
  if (isSame) return value
  return isList ? kept.map(([, each]) => each) : Object.fromEntries(kept)
}

/** No value that a name stands before goes over this. */
const BETWEEN = '\n;\n'

/** How far a value is looked through. */
interface Reach {
  /** No more signs than that are wanted. */
  readonly most: number
  /** Its names are data, too. */
  readonly isData?: boolean | undefined
}

/**
 * All that is said in a value, to look through at once: nearly always there is nothing to be found. Goes no further than so
 * many signs, since a list of many things is looked through thing by thing.
 */
function wordsOf(value: object, { most, isData = false }: Reach): string {
  let words = ''
  const add = (text: string) => {
    if (text !== '') words = words === '' ? text : words + BETWEEN + text
  }
  for (const [name, each] of Object.entries(value)) {
    if (isData && !Array.isArray(value)) add(name)
    add(saidIn(name, each, { most: most - words.length, isData }))
    if (words.length >= most) break
  }
  return words
}

function saidIn(name: string, value: unknown, { most, isData = false }: Reach): string {
  if (typeof value === 'string') return isHarmless(name, value, isData) ? '' : value
  if (typeof value !== 'object' || value === null) return ''
  return wordsOf(value, { most, isData: isData || name === DATA })
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
function itemOf({ path, ...place }: Place, at: string): Place {
  return { ...place, path: `${path}[${at}]` }
}

function fieldOf({ path, isData = false }: Place, name: string): Place {
  return { name, path: path === '' ? name : `${path}.${name}`, isData: isData || name === DATA }
}

function* rewrittenText(text: string, { name, path, isData }: Place, look: Look): Generator<number, string> {
  if (isHarmless(name, text, isData)) return text
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
