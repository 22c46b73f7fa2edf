import { type Conflict, type ConflictOptions, conflictBetween } from '../conflict.ts'
import { ENGLISH_CONFLICT_WORDS } from './english.ts'
import { type ConflictFacts, conflictFacts } from './facts.ts'
import { mayDifferInOnePlace, mayTellChange, wordsOf } from './first-look.ts'
import { tellsChange } from './supersession.ts'
import type { ConflictWords } from './words.ts'

/** Statements held in mind; a dream over a large memory meets most neighbours once. */
const KEPT_MOST = 4_000

/** Compares statements, reading each once while it is held in mind, and most not at all: a first look is enough. */
export class ConflictReader {
  readonly #stem: (word: string) => string
  readonly #language: ConflictWords
  readonly #words = new Map<string, readonly string[]>()
  readonly #facts = new Map<string, ConflictFacts>()
  readonly #telling = new Map<string, boolean>()

  /** @param stem maps a lower-case word to its stem */
  constructor(stem: (word: string) => string, language: ConflictWords = ENGLISH_CONFLICT_WORDS) {
    this.#stem = stem
    this.#language = language
  }

  /** The conflict of two statements, if there is one (`conflictBetween`). */
  between(
    newer: string,
    older: string,
    { cosine, ...options }: ConflictOptions & { readonly cosine: number },
  ): Conflict | undefined {
    if (!(cosine >= options.cosineFloor) || !this.#mayConflict(newer, older)) return undefined
    return conflictBetween(this.#factsOf(newer), this.#factsOf(older), { cosine }, options)
  }

  #mayConflict(newer: string, older: string): boolean {
    return this.#tellsChange(newer) || mayDifferInOnePlace(this.#wordsOf(newer), this.#wordsOf(older))
  }

  #tellsChange(content: string): boolean {
    return known(
      this.#telling,
      content,
      () =>
        mayTellChange(content, this.#wordsOf(content), this.#language) && tellsChange(this.#factsOf(content)),
    )
  }

  #factsOf(content: string): ConflictFacts {
    return known(this.#facts, content, () => conflictFacts(content, this.#stem, this.#language))
  }

  #wordsOf(content: string): readonly string[] {
    return known(this.#words, content, () => wordsOf(content, this.#language))
  }
}

function known<T>(kept: Map<string, T>, content: string, make: () => T): T {
  const before = kept.get(content)
  if (before !== undefined) return before
  const made = make()
  if (kept.size >= KEPT_MOST) kept.clear()
  kept.set(content, made)
  return made
}
