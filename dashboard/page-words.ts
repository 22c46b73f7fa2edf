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
  [/ \(see (?:restore\(\)|pendingDropped)\)/g, ''],
  [/(?:; |, which )inbox\(\{[^}]*\}\) lists(?: them)?/g, ''],
  [/\bwith resolve\(\)/g, 'in Review'],
  [/\bresolve\(\) decides about\b/g, 'you decide in Review about'],
]

const CALL = /\b([a-z]\w*)\((?:\{[^}]*\})?\)/gi

/** A sentence of the library with the names of the page in the place of calls. */
export function pageWords(text: string): string {
  const plain = PHRASES.reduce((said, [from, to]) => said.replace(from, to), text)
  return plain.replace(CALL, (call, name: string) => CALLS[name] ?? call)
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
