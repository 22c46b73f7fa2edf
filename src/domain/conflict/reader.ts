import { type Conflict, type ConflictOptions, conflictBetween } from './conflict.ts'
import { WORDS } from './english.ts'
import { type ConflictFacts, conflictFacts } from './facts.ts'
import { tellsChange } from './supersession.ts'

/** Statements held in mind; a dream over a large memory meets most neighbours once. */
const KEPT_MOST = 4_000

interface Said {
  readonly id: string
  readonly content: string
}

/** A statement that is compared with others: its words for a first look, and all it states only when that is asked for. */
class Statement {
  readonly id: string
  readonly content: string
  readonly words: readonly string[]
  readonly #read: () => ConflictFacts
  #facts: ConflictFacts | undefined
  #tellsChange: boolean | undefined

  constructor({ id, content }: Said, stem: (word: string) => string) {
    this.id = id
    this.content = content
    this.words = wordsOf(content)
    this.#read = () => conflictFacts(content, stem)
  }

  get facts(): ConflictFacts {
    this.#facts ??= this.#read()
    return this.#facts
  }

  get tellsChange(): boolean {
    this.#tellsChange ??= mayTellChange(this.content, this.words) && tellsChange(this.facts)
    return this.#tellsChange
  }
}

/** Compares statements, reading each once while it is held in mind, and most not at all: a first look is enough. */
export class ConflictReader {
  readonly #stem: (word: string) => string
  readonly #areOfSame: (newer: Said, older: Said) => boolean
  readonly #held = new Map<string, Statement>()

  /**
   * @param stem maps a lower-case word to its stem
   * @param areOfSame false of statements of two things, of which the newer takes nothing from the older
   */
  constructor(stem: (word: string) => string, areOfSame: (newer: Said, older: Said) => boolean) {
    this.#stem = stem
    this.#areOfSame = areOfSame
  }

  /**
   * A block's content, to be compared with others.
   *
   * @param id whose content it is; held in mind until it has another
   */
  statement({ id, content }: Said): Statement {
    const known = this.#held.get(id)
    if (known?.content === content) return known
    if (this.#held.size >= KEPT_MOST) this.#held.clear()
    const made = new Statement({ id, content }, this.#stem)
    this.#held.set(id, made)
    return made
  }

  /** The conflict of two statements, if there is one (`conflictBetween`). */
  between(
    newer: Statement,
    older: Statement,
    { cosine, ...options }: ConflictOptions & { readonly cosine: number },
  ): Conflict | undefined {
    if (!(cosine >= options.cosineFloor)) return undefined
    if (!newer.tellsChange && !mayDifferInOnePlace(newer.words, older.words)) return undefined
    const found = conflictBetween(newer.facts, older.facts, { cosine }, options)
    return found?.kind === 'supersession' && !this.#areOfSame(newer, older) ? undefined : found
  }
}

/** So many words at the two ends must be common before a pair is read; the rules ask for as many. */
const COMMON_LEAST = 2

/** So many words may stand in the one place where two texts differ; the rules know none that is longer. */
const DIFFERENT_MOST = 6

/** Words that begin alike for so many letters may be forms of one. */
const SAME_LETTERS = 3

/** The words of a text as written, without fillers, for a first look that spares reading most pairs. */
function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !WORDS.fillers.has(word))
}

/** True if two texts could say the same but for one place: they begin or end alike. */
function mayDifferInOnePlace(one: readonly string[], other: readonly string[]): boolean {
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
function mayTellChange(text: string, said: readonly string[]): boolean {
  const { ended, oldValue, change, origin, moving } = WORDS
  if (said.some((word) => origin.has(word)) && said.some((word) => moving.has(word))) return true
  if ([ended, oldValue, change].some((phrases) => phrases.some((phrase) => hasPhrase(said, phrase))))
    return true
  return CONTRAST.test(text)
}

function hasPhrase(said: readonly string[], phrase: readonly string[]): boolean {
  const [first = ''] = phrase
  for (let at = said.indexOf(first); at >= 0; at = said.indexOf(first, at + 1))
    if (phrase.every((word, i) => said[at + i] === word)) return true
  return false
}

/** A negation that begins a clause: "Tuesday, not Monday". */
const CONTRAST = new RegExp(`[,;:.!?][)"'\`\\]}»”’]*\\s+(?:${[...WORDS.negations].join('|')})\\b`, 'iu')
