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

/** The words of a question that a statement has, sorted. */
export function commonWords(ofStatement: ReadonlySet<string>, ofQuestion: ReadonlySet<string>): string[] {
  return [...ofStatement].filter((word) => ofQuestion.has(word)).sort()
}
