import { actWords, momentWords, plural } from './format.ts'

/** Calls of the library, by the words that the page has for them. */
const CALLS: Readonly<Record<string, string>> = {
  ...{ recall: 'Recall lab', ls: 'Memory', show: 'Memory', facets: 'Memory' },
  ...{ resolve: 'Review', decide: 'Review', decisions: 'Review', inbox: 'Review' },
  ...{ history: 'Journal', diff: 'Journal', doctor: 'Doctor', status: 'Overview', graph: 'Graph' },
  ...{
    restore: 'Restore',
    undo: 'Undo',
    edit: 'Correct',
    forget: 'Forget',
    dream: 'Dream now',
    curate: 'Tidy up',
  },
}

/** What a summary says of a call more shortly on the page, or not at all. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/ \(see resolve\(\)\)/g, ', for you to decide'],
  [/ \(see restore\(\)\)/g, ''],
  [/(?:; |, which )inbox\(\{[^}]*\}\) lists(?: them)?/g, ''],
  [/\bwith resolve\(\)/g, 'in Review'],
  [/\bresolve\(\) decides about\b/g, 'you decide in Review about'],
]

const CALL = /\b([a-z]\w*)\((?:\{[^}]*\})?\)/gi

/** Fields that a correction changes, as the words of a sentence. */
const CHANGED: Readonly<Record<string, string>> = {
  ...{ content: 'its words', cue: 'what brings it to mind', tags: 'its tags', category: 'its category' },
  ...{ sourceClass: 'whose words it counts as', derivedFrom: 'what it rests on' },
  ...{ validFrom: 'from when it holds', validUntil: 'until when it holds' },
}

const CHANGES = /^changed (\w+(?:, \w+)*)/

/** Fields of the library that have a name on the page. */
const FIELDS = /\b(validFrom|validUntil)\b/g
const FIELD_NAMES: Readonly<Record<string, string>> = {
  validFrom: '“Holds from”',
  validUntil: '“Holds until”',
}

/** A date alone, not in the name of a file and not one that says how dates are written. */
const MOMENT = /(?<![\w./\\-]|like |or )\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)?(?![\w/\\-]|\.\w)/g

/** A sentence of the library with the names of the page in the place of calls and fields, and dates as people read them. */
export function pageWords(text: string): string {
  const plain = PHRASES.reduce((said, [from, to]) => said.replace(from, to), text)
  return plain
    .replace(CHANGES, (_all, fields: string) => `changed ${fields.split(', ').map(changedWords).join(', ')}`)
    .replace(FIELDS, (field) => FIELD_NAMES[field] ?? field)
    .replace(CALL, (call, name: string) => CALLS[name] ?? call)
    .replace(MOMENT, (at) => (Number.isNaN(Date.parse(at)) ? at : momentWords(at)))
}

function changedWords(field: string): string {
  return CHANGED[field] ?? field
}

/** The sentence about secrets that an answer's words were cleaned of, as the library says it; empty where there were none. */
export function redactedWords(value: object): string {
  const { redacted } = value as { readonly redacted?: unknown }
  // A dream's own is about what models were shown.
  if (!Array.isArray(redacted) || redacted.length === 0) return ''
  const kinds = new Map<string, number>()
  for (const { kind, count } of redacted as readonly { readonly kind: string; readonly count: number }[])
    kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  const said = [...kinds].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`))
  return `What looked like a secret was not kept: ${said.join(', ')}.`
}

const TAKEN_BACK = /^took back (\w+) \(operation \d+\)(?: and all of its run, (\d+) transactions)?/

/** A summary of the log with ids as short as people read them, and without names of calls. */
export function withShortIds(text: string): string {
  const said = text.replace(
    TAKEN_BACK,
    (_all, act: string, run?: string) =>
      `“${actWords(act)}”${run === undefined ? '' : ` and ${plural(Number(run) - 1, 'entry', 'entries')} of its run`}`,
  )
  return pageWords(said).replace(/\b([0-9a-f]{8})[0-9a-f]{8}(?:[0-9a-f]{16})?\b/g, '$1')
}
