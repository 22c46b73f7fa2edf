import { type Facts, factsOf } from './facts.ts'

/** What of a text is compared when it may be one that a recall showed. */
export interface EchoFacts extends Pick<Facts, 'numbers' | 'names' | 'negations'> {
  /** Stems of the words that carry meaning. */
  readonly content: ReadonlySet<string>
}

/** So much of what was shown must come back for a text to be its echo. */
const SHARE_LEAST = 0.8
/** Shorter texts are said again by chance. */
const WORDS_LEAST = 4

/** Words that come and go with the wording and change nothing; when in doubt a word is not among them. */
const LIGHT: ReadonlySet<string> = new Set(
  'is are was were be been being am has have had it its that which who of and also so'.split(' '),
)

/** How a frame begins an entry, and how it stamps one. */
const ENTRY_MARK = /^\s*(?:\[(?:\d{1,4}|!)\]|\d{1,4}\.|[-*>])\s+/
const STAMP = /\s*\(\d{4}-\d{2}-\d{2}(?:, [^()\n]{1,256})?\)\s*$/
const CONTINUED = /\n\| ?/g

/** An entry as a frame shows it, without what the frame put around it; any other text as it is. */
export function unframed(text: string): string {
  return text.replace(ENTRY_MARK, '').replace(STAMP, '').replaceAll(CONTINUED, '\n').trim()
}

/** Reads a text for `isEcho`; `stem` maps a lower-case word to its stem. */
export function echoFacts(text: string, stem: (word: string) => string): EchoFacts {
  const { terms, numbers, names, negations } = factsOf(unframed(text), stem)
  const content = terms.filter((term) => /[\p{L}\p{N}]/u.test(term) && !LIGHT.has(term.toLowerCase()))
  return { numbers, names, negations, content: new Set(content.map((term) => stem(term.toLowerCase()))) }
}

/**
 * Whether a text says what was shown and nothing else: all of its words are there, and nearly all of those come back, with
 * every number, name and negation. A word more is a fact more, so such a text is no echo.
 */
export function isEcho(said: EchoFacts, shown: EchoFacts): boolean {
  const { size } = said.content
  if (size < WORDS_LEAST || size > shown.content.size || size < SHARE_LEAST * shown.content.size) return false
  for (const word of said.content) if (!shown.content.has(word)) return false
  return (['numbers', 'names', 'negations'] as const).every((part) => sameSet(said[part], shown[part]))
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)]
  return a.size === b.size && [...a].every((each) => b.has(each))
}
