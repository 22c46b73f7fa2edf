import { normalised, trimWhitespace } from './text.ts'

/** Words from which on a text is a statement, not a command, a line of a change, or a name. */
const WORDS_LEAST = 4

/**
 * A text without its formatting: two texts say the same exactly when these are equal. Case, other punctuation,
 * brackets, articles, word order, inflection and the layout of several lines all stay, since each of them can change
 * what is said. Wrongly apart costs a second block; wrongly the same loses a fact. One pass a rule, linear in the text.
 */
export function undressed(text: string): string {
  const composed = normalised(text, 'NFC')
  const trimmed = trimWhitespace(composed)
  // The indentation of a first line says how the others belong to it.
  if (/[\n\r\u2028\u2029]/.test(trimmed)) return withoutEmptyEnds(composed)
  const sentence = withoutLeadIn(withoutEmphasis(trimmed.replace(MARKS, '')))
  if (CAPITAL.test(sentence) && hasSomeWords(sentence)) return withoutFullStop(withoutWideBlanks(sentence))
  const words = withoutLeadIn(EMPHASIS.reduce(withoutEmphasisOfAll, trimmed.replace(LIST_MARKS, '')))
  return PLAIN_WORDS.test(words) && hasSomeWords(words) ? withoutFullStop(words) : trimmed
}

/** A letter of a script without case counts as one. */
const CAPITAL = /^["'“‘«(]*[\p{Lu}\p{Lt}\p{Lo}]/u

/**
 * Plain words that begin in lower case. Others may be a command or a line of code, where nearly every sign says
 * something.
 */
const PLAIN_WORDS = /^\p{Ll}[\p{L}\p{M}\p{N} ,.;:!?'’()@%€£&-]*$/u

function hasSomeWords(text: string): boolean {
  return text.split(/[ \t]+/, WORDS_LEAST).length === WORDS_LEAST
}

/** True if two texts are the same but for their formatting. */
export function isSameText(one: string, other: string): boolean {
  return one === other || undressed(one) === undressed(other)
}

/** Lines before the first that says something go, and white space behind the last. */
function withoutEmptyEnds(text: string): string {
  let start = 0
  for (let at = 0; at < text.length && trimWhitespace(text.charAt(at)) === ''; at++)
    if (text[at] === '\n' || text[at] === '\r') start = at + 1
  return text.slice(start).trimEnd()
}

/** List, quote and heading marks. Before a number one may be a sign: `> 5 GB`, `- 3 °C`. */
const MARKS = /^(?:(?:[-*+>]|#{1,6})[ \t]+)+(?=[\p{L}*_"'“‘«`([])/u

/** Before lower case the others mark a prompt, a comment or a line of a change. */
const LIST_MARKS = /^(?:[-*][ \t]+)+(?=[\p{L}*_])/u

/** Words before a statement that say no more than that it follows. */
const LEAD_IN = /^(?:note|remember|reminder|fyi):[ \t]+(?=\S)/iu

function withoutLeadIn(text: string): string {
  return text.replace(LEAD_IN, '')
}

const EMPHASIS = ['**', '__', '*', '_'] as const

/**
 * Marks around two or more whole words, where no number or bracket touches them: globs, products and pointers keep
 * theirs, as do code and what stands in quotation marks.
 */
function withoutEmphasis(text: string): string {
  if (text.includes('`')) return text
  if (/["“”«»]/.test(text)) return EMPHASIS.reduce(withoutEmphasisOfAll, text)
  return EMPHASIS.reduce(withoutEmphasisOf, text)
}

/** Two words at least; between underscores names in capitals are names. */
function isEmphasised(inner: string, mark: string): boolean {
  return /\S[ \t]+\S/.test(inner) && !(mark.startsWith('_') && /\p{Lu}{2}/u.test(inner))
}

function withoutEmphasisOfAll(text: string, mark: string): string {
  const inner = text.slice(mark.length, -mark.length)
  const isMarked =
    text.startsWith(mark) && text.endsWith(mark) && !inner.includes(mark) && isEmphasised(inner, mark)
  return isMarked ? inner : text
}

function withoutEmphasisOf(text: string, mark: string): string {
  const parts: string[] = []
  let from = 0
  for (let open = openingAt(text, mark, 0); open >= 0; open = openingAt(text, mark, from)) {
    const start = open + mark.length
    const close = text.indexOf(mark, start)
    if (close < 0) break
    const inner = text.slice(start, close)
    const isMarked = isClosing(text, mark, close) && isEmphasised(inner, mark)
    parts.push(text.slice(from, open), isMarked ? inner : text.slice(open, close + mark.length))
    from = close + mark.length
  }
  return parts.join('') + text.slice(from)
}

/** Where a mark stands before a word and behind none, from `from` on; -1 where none does. */
function openingAt(text: string, mark: string, from: number): number {
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + mark.length)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + mark.length]]
    if (/\s/.test(before) && /[\p{L}'‘]/u.test(after)) return at
  }
  return -1
}

function isClosing(text: string, mark: string, at: number): boolean {
  const [before = ' ', after] = [text[at - 1], text[at + mark.length]]
  if (after === undefined) return /[^\s*_]/.test(before)
  return /[\p{L}\p{M}.,;:!?'’…]/u.test(before) && /[\s.,;:!?…]/.test(after)
}

/** Blanks count inside quotation marks and code, and in whatever does not end as a sentence. */
function withoutWideBlanks(text: string): string {
  if (!(text.includes('  ') || text.includes('\t')) || /["'“”‘’«»`<>=|\\{}[\]]/.test(text)) return text
  return /^\p{L}/u.test(text) && /[.!?]$/.test(text) ? text.split(/[ \t]+/).join(' ') : text
}

/** A word of letters, apostrophes and inner hyphens, or a whole number: no path, host, version, decimal or option. */
const WORD = /^[(["'“‘«]*\p{L}[\p{L}\p{M}]*(?:['’-][\p{L}\p{M}]+)*$/u
const WHOLE_NUMBER = /^\p{Nd}+$/u

/** A full stop behind a number may end a sentence; an exclamation mark there is a factorial. */
function withoutFullStop(text: string): string {
  const end = text.at(-1)
  if (end !== '.' && end !== '!') return text
  const body = text.slice(0, -1)
  const last = body.slice(Math.max(body.lastIndexOf(' '), body.lastIndexOf('\t')) + 1)
  const isWord = WORD.test(last) && !(end === '!' && last.length === 1)
  return isWord || (end === '.' && WHOLE_NUMBER.test(last)) ? body : text
}
