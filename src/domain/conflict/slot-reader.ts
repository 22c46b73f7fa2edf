import { tellsEvent } from './contradiction.ts'
import { conflictFacts } from './facts.ts'
import { isLaterInSlot, type SlotOptions } from './slot.ts'

/** What of a language is needed to compare statements. */
interface Language {
  terms(text: string): readonly string[]
  tellsChange?(text: string): boolean
}

interface Said {
  readonly id: string
  readonly content: string
}

interface Reading {
  readonly content: string
  readonly words: readonly string[]
  tellsChange?: boolean
  tellsEvent?: boolean
}

/** Statements held in mind: what answers one question often answers the next. */
const KEPT_MOST = 4_000

/** A statement of one fact is shorter; of a longer text only the beginning is read. In characters. */
const READ_MOST = 1_000

/** An identifier as a whole, which a language adds behind the words of a text. */
const WHOLE = /[^\p{L}\p{N}\p{M}]/u

/** Tells whether one statement is a later word than another about what is asked, reading each once while it is held in mind. */
export class SlotReader {
  readonly #language: Language
  readonly #stem: (word: string) => string
  readonly #held = new Map<string, Reading>()

  /** @param stem maps a lower-case English word to its stem */
  constructor(language: Language, stem: (word: string) => string) {
    this.#language = language
    this.#stem = stem
  }

  /**
   * See `isLaterInSlot`.
   *
   * @param namedIn words of the question that a statement has, by its id
   */
  isLater(
    newer: Said,
    older: Said,
    { cosine, namedIn }: { readonly cosine: number; readonly namedIn: (id: string) => readonly string[] },
    options: SlotOptions,
  ): boolean {
    const [ours, theirs] = [this.#read(newer), this.#read(older)]
    const pair = {
      cosine,
      tellsChange: () => (ours.tellsChange ??= this.#language.tellsChange?.(newer.content) ?? false),
      tellsEvent: () =>
        (theirs.tellsEvent ??= tellsEvent(
          conflictFacts(older.content.slice(0, READ_MOST), this.#stem).terms,
        )),
      olderNamed: () => namedIn(older.id),
      newerNamed: () => namedIn(newer.id),
      olderWords: theirs.words,
      newerWords: ours.words,
    }
    return isLaterInSlot(pair, options)
  }

  /** The comparable words of a statement in order; those of its beginning if it is long. */
  wordsOf(said: Said): readonly string[] {
    return this.#read(said).words
  }

  #read({ id, content }: Said): Reading {
    const known = this.#held.get(id)
    if (known?.content === content) return known
    if (this.#held.size >= KEPT_MOST) this.#held.clear()
    const words = this.#language.terms(content.slice(0, READ_MOST)).filter((word) => !WHOLE.test(word))
    const reading: Reading = { content, words }
    this.#held.set(id, reading)
    return reading
  }
}
