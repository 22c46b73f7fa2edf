import { type Conflict, type ConflictOptions, conflictBetween } from './conflict.ts'
import { ENGLISH_CONFLICT_WORDS } from './english.ts'
import { type ConflictFacts, conflictFacts } from './facts.ts'
import { mayDifferInOnePlace, mayTellChange, wordsOf } from './first-look.ts'
import { tellsChange } from './supersession.ts'
import type { ConflictWords } from './words.ts'

/** Statements held in mind; a dream over a large memory meets most neighbours once. */
const KEPT_MOST = 4_000

/** A statement that is compared with others: its words for a first look, and all it states only when that is asked for. */
export class Statement {
  readonly content: string
  readonly words: readonly string[]
  readonly #read: () => ConflictFacts
  readonly #language: ConflictWords
  #facts: ConflictFacts | undefined
  #tellsChange: boolean | undefined

  constructor(content: string, stem: (word: string) => string, language: ConflictWords) {
    this.content = content
    this.words = wordsOf(content, language)
    this.#read = () => conflictFacts(content, stem, language)
    this.#language = language
  }

  get facts(): ConflictFacts {
    this.#facts ??= this.#read()
    return this.#facts
  }

  get tellsChange(): boolean {
    this.#tellsChange ??= mayTellChange(this.content, this.words, this.#language) && tellsChange(this.facts)
    return this.#tellsChange
  }
}

/** Compares statements, reading each once while it is held in mind, and most not at all: a first look is enough. */
export class ConflictReader {
  readonly #stem: (word: string) => string
  readonly #language: ConflictWords
  readonly #held = new Map<string, Statement>()

  /** @param stem maps a lower-case word to its stem */
  constructor(stem: (word: string) => string, language: ConflictWords = ENGLISH_CONFLICT_WORDS) {
    this.#stem = stem
    this.#language = language
  }

  /**
   * A block's content, to be compared with others.
   *
   * @param id whose content it is; held in mind until it has another
   */
  statement({ id, content }: { readonly id: string; readonly content: string }): Statement {
    const known = this.#held.get(id)
    if (known?.content === content) return known
    if (this.#held.size >= KEPT_MOST) this.#held.clear()
    const made = new Statement(content, this.#stem, this.#language)
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
    return conflictBetween(newer.facts, older.facts, { cosine }, options)
  }
}
