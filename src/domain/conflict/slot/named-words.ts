import { factsOf } from '../../text/facts.ts'

/** Scripts that are written without spaces, so that a word is found only by its parts. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}]/u
/** Numbers and words of other scripts in between, and pairs of their own characters. */
const PARTS =
  /\p{N}+(?:[.,:-]\p{N}+)*|[\p{Script=Latin}\p{Script=Cyrl}\p{Script=Grek}]+|(?=(\p{L}\p{L}))\p{L}/gu

/** Options of a command differ by case. */
const OPTION = /^-{1,2}\p{L}[\p{L}\p{N}-]*$/u

/**
 * The words of a text as stems; as they are, behind `=`; and its names and options as written, behind a quotation mark: what a
 * question can share with it.
 *
 * @param stem maps a lower-case English word to its stem
 */
export function namedWords(text: string, stem: (word: string) => string): Set<string> {
  const words = new Set<string>()
  const { terms, names } = factsOf(text, (word) => {
    words.add(`=${word}`)
    return stem(word)
  })
  for (const term of terms) words.add(term)
  if (SPACELESS.test(text)) for (const [part, pair] of text.matchAll(PARTS)) words.add(`=${pair ?? part}`)
  const options = text.includes('-') ? text.split(/[\s`'"(),]+/).filter((word) => OPTION.test(word)) : []
  for (const name of [...names, ...options]) words.add(`"${name}`)
  return words
}

/** The words of a question that a statement has, sorted. "One approval" has the word of "How many approvals?". */
export function commonWords(ofStatement: ReadonlySet<string>, ofQuestion: ReadonlySet<string>): string[] {
  const common = new Set<string>()
  for (const word of ofStatement)
    for (const form of ofQuestion.has(word) ? [word] : inOtherNumber(word))
      if (ofQuestion.has(form)) common.add(form)
  return [...common].sort()
}

/** Plurals of most languages of Latin script differ so. Two things differ by more. */
function inOtherNumber(word: string): string[] {
  if (!word.startsWith('=')) return []
  const plurals = [`${word}s`, `${word}es`]
  if (!word.endsWith('s')) return plurals
  return word.endsWith('es')
    ? [...plurals, word.slice(0, -1), word.slice(0, -2)]
    : [...plurals, word.slice(0, -1)]
}
