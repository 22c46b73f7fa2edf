import { allContentOf, isChange, isContent } from './parts.ts'
import type { Said, SaidWord } from './said.ts'
import { isAside } from './same-thing.ts'

/** Two statements near each other. */
export interface ChangePair {
  readonly newer: Said
  /** The same, sentence by sentence: what one tells as a guess another may tell as a fact. */
  readonly sentences: readonly Said[]
  readonly older: Said
  /** Words of the question that each has; names, numbers and options with a quotation mark before them. Absent where nothing is asked. */
  readonly named?: { readonly newer: readonly string[]; readonly older: readonly string[] } | undefined
}

/** Most words of a statement; a longer text tells of many things and shares words with every statement. */
const WORDS_MOST = 60

/**
 * True if the newer statement may tell what became of what the older says: it has words of change, or it repeats a value of the
 * older and has another of its kind. That is enough to show it first, or to ask somebody, and too little to hide the older.
 */
export function mayTellChange({ newer, sentences, older, named }: ChangePair): boolean {
  if (newer.adds || Math.max(newer.words.length, older.words.length) > WORDS_MOST) return false
  const told = sentences.filter((each) => !isAside(each, older))
  if (told.length === 0 || !sharesWords(newer, older)) return false
  if (named !== undefined && isOfOther(newer, named)) return false
  if (told.some(({ words }) => words.some(isChange))) return true
  return named !== undefined && repeatsValue(newer, older, named.older)
}

/** True if the question names somebody, a number or an option that only the older has. */
function isOfOther({ words }: Said, named: NonNullable<ChangePair['named']>): boolean {
  const own = named.older.filter((word) => !named.newer.includes(word) && /^"|\p{N}/u.test(word))
  return own.some((word) => {
    const plain = plainOf(word)
    return !words.some((each) => each.word === plain || each.term === plain)
  })
}

/** Least words of the older that the newer has, too: the number, and the share of all. A name or number is enough by itself. */
const SHARED_LEAST = { words: 2, share: 0.25 }

function sharesWords(newer: Said, older: Said): boolean {
  const theirs = new Set(allContentOf(older))
  const shared = new Set(allContentOf(newer).filter((term) => theirs.has(term))).size
  const isEnough = shared >= Math.max(SHARED_LEAST.words, SHARED_LEAST.share * theirs.size)
  return isEnough || valuesOf(newer).some((value) => isIn(value, valuesOf(older)))
}

/** True for "VLAN 40 grew from 10.40.0.0/24 to 10.40.0.0/22" after "… in VLAN 40, 10.40.0.0/24", unless the question names it. */
function repeatsValue(newer: Said, older: Said, asked: readonly string[]): boolean {
  const named = asked.map(plainOf)
  const isFree = ({ word, term = '' }: SaidWord) => !named.includes(word) && !named.includes(term)
  const repeated = valuesOf(older).filter((value) => isFree(value) && isIn(value, newer.words))
  const others = valuesOf(newer).filter((value) => isFree(value) && !isIn(value, older.words))
  return repeated.some((value) => others.some((other) => isNumber(other) === isNumber(value)))
}

const plainOf = (word: string): string => word.replace(/^["=]/, '').toLowerCase()
const isNumber = ({ word }: SaidWord): boolean => /\p{Nd}/u.test(word)
const isIn = ({ word }: SaidWord, words: readonly SaidWord[]): boolean =>
  words.some((each) => each.word === word)

/** Names and numbers. The first word of a text has a capital for its place alone, and a single sign says nothing. */
function valuesOf({ words }: Said): readonly SaidWord[] {
  return words.filter((each, at) => {
    const isValue = isNumber(each) || (each.isName && at > 0)
    return isValue && isContent(each) && each.word.length > 1
  })
}
