import { wordSet } from '../block/text.ts'
import { Pauses } from '../engine/engine.ts'
import type { Settings } from '../engine/settings.ts'
import { ElfmemError } from '../errors.ts'
import type { Redacted } from '../secrets/secrets.ts'

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
  if (typeof value === 'string' && !isHarmless(value) && !isExempt(value, isData, name))
    yield { path, text: value }
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [field, each] of Object.entries(value)) {
    const at = isList ? `${path}[${field}]` : [path, field].filter(Boolean).join('.')
    if (isData && !isList && !isHarmless(field)) yield { path: at, text: field }
    yield* textsIn(each, isData || field === VALUE, at, isList ? name : field)
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
