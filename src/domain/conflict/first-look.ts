import type { ConflictWords } from './words.ts'

/** So many words at the two ends must be common before a pair is read; the rules ask for as many. */
const COMMON_LEAST = 2

/** So many words may stand in the one place where two texts differ; the rules know none that is longer. */
const DIFFERENT_MOST = 6

/** Words that begin alike for so many letters may be forms of one. */
const SAME_LETTERS = 3

/** The words of a text as written, without fillers, for a first look that spares reading most pairs. */
export function wordsOf(text: string, { fillers }: ConflictWords): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !fillers.has(word))
}

/** True if two texts could say the same but for one place: they begin or end alike. */
export function mayDifferInOnePlace(one: readonly string[], other: readonly string[]): boolean {
  const shorter = Math.min(one.length, other.length)
  const longer = Math.max(one.length, other.length)
  let common = 0
  while (common < shorter && isAlike(one[common], other[common])) common++
  const start = common
  while (common < shorter && isAlike(one.at(start - 1 - common), other.at(start - 1 - common))) common++
  return common >= COMMON_LEAST && longer - common <= DIFFERENT_MOST
}

function isAlike(one = '', other = ''): boolean {
  return one === other || one.slice(0, SAME_LETTERS) === other.slice(0, SAME_LETTERS)
}

/** True if a text of these words could say that something changed: it has a phrase for it, a contrast, or a place left. */
export function mayTellChange(text: string, said: readonly string[], language: ConflictWords): boolean {
  const { ended, oldValue, change, origin, moving } = language
  if (said.some((word) => origin.has(word)) && said.some((word) => moving.has(word))) return true
  if ([ended, oldValue, change].some((phrases) => phrases.some((phrase) => hasPhrase(said, phrase))))
    return true
  return contrastIn(language).test(text)
}

function hasPhrase(said: readonly string[], phrase: readonly string[]): boolean {
  const [first = ''] = phrase
  for (let at = said.indexOf(first); at >= 0; at = said.indexOf(first, at + 1))
    if (phrase.every((word, i) => said[at + i] === word)) return true
  return false
}

const kept = new WeakMap<ConflictWords, RegExp>()

/** A negation that begins a clause: "Tuesday, not Monday". */
function contrastIn(language: ConflictWords): RegExp {
  const known = kept.get(language)
  if (known) return known
  const made = new RegExp(`[,;:.!?][)"'\`\\]}»”’]*\\s+(?:${[...language.negations].join('|')})\\b`, 'iu')
  kept.set(language, made)
  return made
}
