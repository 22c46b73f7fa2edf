import { withoutValidity } from '../../block/validity/validity-in-text.ts'
import { derived, restOf } from '../parts.ts'
import type { Said } from '../said.ts'
import { mayTellChange, TITLE_MOST } from './changed-value.ts'
import { conflictFacts, tellsEvent } from './facts.ts'
import { namedWords } from './named-words.ts'
import { differsInLittleWord } from './other-property.ts'
import { isAside, speaksOfSame, tellsChange, tellsSameProperty } from './same-thing.ts'
import { differInOnePlace, isLaterInSlot, mayBeLater, mayDifferInOnePlace, type SlotOptions } from './slot.ts'
import { beginningOf, comparableWords } from './words.ts'

/** The part of a language that is needed to compare statements. */
interface Language {
  terms(text: string): readonly string[]
  said?(text: string, language?: string): Said
  /** The language of a text by a name that `said` takes; absent where there is only one. */
  languageOf?(text: string): string
}

interface Block {
  readonly id: string
  readonly content: string
}

interface Reading {
  readonly content: string
  /** The content less its words of when it holds. */
  readonly text: string
  readonly words: readonly string[]
  tellsEvent?: boolean
  named?: ReadonlySet<string>
  language?: string
  /** As read in each language it was read in. */
  readonly said: Map<string, Said>
  /** Each sentence by itself. */
  readonly sentences: Map<string, readonly Said[]>
}

/** The other facts about two statements. */
interface SlotContext {
  readonly cosine: number
  /** Words of the question that a statement has, by its id. */
  readonly namedIn: (id: string) => readonly string[]
  /** They were said in one session, of which no source is known. */
  readonly isOneTalk?: boolean
  /** Comparable words of the question (`termsOf`), if anything is asked. */
  readonly asked?: readonly string[]
}

/** Below this cosine one that lacks what the question asks for is about another property of the same thing, as a rule. */
export const OTHER_PROPERTY_COSINE = 0.66

/** Statements held in mind: what answers one question often answers the next. */
const KEPT_MOST = 4_000

/** The language of a text whose words identify none. */
const DEFAULT_LANGUAGE = 'english'

/** Where one sentence ends and the next begins. */
const SENTENCE_END = /(?<=[.!?…])\s+(?=\S)|(?<=[。！？])/u

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

  /** See `isLaterInSlot`. */
  isLater(
    newer: Block,
    older: Block,
    { cosine, namedIn, isOneTalk = false, asked = [] }: SlotContext,
    options: SlotOptions,
  ): boolean {
    const [ours, theirs] = [this.#read(newer), this.#read(older)]
    if (!mayBeLater(ours.words, theirs.words, cosine, options)) return false
    if (cosine < OTHER_PROPERTY_COSINE && this.isBesideAsked(newer, older, asked)) return false
    const [later, earlier] = this.#saidOf(ours, theirs)
    const pair = {
      cosine,
      newer: later,
      older: earlier,
      tellsEvent: () => this.#tellsEvent(theirs),
      olderNamed: () => namedIn(older.id),
      newerNamed: () => namedIn(newer.id),
      ...{ isOneTalk, asked },
    }
    return isLaterInSlot(pair, options)
  }

  /** True if a statement has words of change. */
  tellsChange(block: Block): boolean {
    const reading = this.#read(block)
    return tellsChange(this.#saidIn(reading, this.#languageOf(reading)))
  }

  /** True if a statement speaks of whoever says it, or may: nothing tells that of a script without spaces. */
  speaksOfSelf(block: Block): boolean {
    const reading = this.#read(block)
    const { speaksOfSelf, topic } = this.#saidIn(reading, this.#languageOf(reading))
    return speaksOfSelf === true || topic !== undefined
  }

  /** See `speaksOfSame`. */
  areOfSame(newer: Block, older: Block): boolean {
    return speaksOfSame(...this.#saidOf(this.#read(newer), this.#read(older)))
  }

  /** True if two that read alike may both hold: the later says what may be, or another number with another little word. */
  mayBothHold(newer: Block, older: Block): boolean {
    const [later, earlier] = this.#saidOf(this.#read(newer), this.#read(older))
    return (later.isOpen && !earlier.isOpen) || differsInLittleWord(later, earlier)
  }

  /** True if two statements say the same of the same thing, in whichever order they were said. */
  sayOfSame(one: Block, other: Block): boolean {
    const [first, second] = this.#saidOf(this.#read(one), this.#read(other))
    return speaksOfSame(first, second) && tellsSameProperty(first, second)
  }

  /** True if the newer of two says the same as the older but in one place, and both tell how something is; see `differInOnePlace`. */
  saysInOnePlace(newer: Block, older: Block): boolean {
    const [ours, theirs] = [this.#read(newer), this.#read(older)]
    if (!mayDifferInOnePlace(ours.words, theirs.words)) return false
    const [later, earlier] = this.#saidOf(ours, theirs)
    if (later.adds || !differInOnePlace(later, earlier) || isAside(later, earlier)) return false
    return !this.#tellsEvent(theirs)
  }

  /** See `mayTellChange`. */
  mayTellChange(
    newer: Block,
    older: Block,
    { asked, namedIn }: Pick<Required<SlotContext>, 'asked' | 'namedIn'>,
  ): boolean {
    const [later, earlier] = [this.#read(newer), this.#read(older)]
    const language = this.#languageOfBoth(later, earlier)
    return mayTellChange({
      newer: this.#saidIn(later, language),
      sentences: () => this.#sentencesIn(later, language),
      older: this.#saidIn(earlier, language),
      question: { terms: asked, newer: () => namedIn(newer.id), older: () => namedIn(older.id) },
    })
  }

  /** True if one of two statements lacks a word of the question that the other has. */
  lacksAsked(one: Block, other: Block, asked: readonly string[]): boolean {
    const [ours, theirs] = this.#saidOf(this.#read(one), this.#read(other)).map(
      ({ words }) => derived(words).terms,
    )
    return asked.some((term) => theirs?.includes(term) && !ours?.includes(term))
  }

  /**
   * True if the newer of two lacks a word of the question that the older has, and repeats nothing that the older says and the question
   * does not: then they may share no more than what they are about.
   */
  isBesideAsked(newer: Block, older: Block, asked: readonly string[]): boolean {
    if (!this.lacksAsked(newer, older, asked)) return false
    const [later, earlier] = this.#saidOf(this.#read(newer), this.#read(older))
    const has = derived(later.words).contentSet
    return !restOf(earlier).some((term) => term.length > TITLE_MOST && !asked.includes(term) && has.has(term))
  }

  /** True if the newer of two has half or more of the words with which the older tells about its subject. */
  repeatsMost(newer: Block, older: Block): boolean {
    const [later, earlier] = this.#saidOf(this.#read(newer), this.#read(older))
    const [has, rest] = [derived(later.words).contentSet, restOf(earlier)]
    return rest.length > 0 && rest.filter((term) => has.has(term)).length * 2 >= rest.length
  }

  /** The words that two statements share, without those of change. */
  sharedWords(one: Block, other: Block): string[] {
    const said = this.#saidOf(this.#read(one), this.#read(other))
    const [ours, theirs] = said.map(({ words }) => derived(words).contentSet)
    return [...(ours ?? [])].filter((word) => theirs?.has(word))
  }

  /** The comparable words of a statement in order; those of its beginning if it is long. */
  wordsOf(said: Block): readonly string[] {
    return this.#read(said).words
  }

  /** The words of a statement that a question can name; see `namedWords`. */
  namedWordsOf(said: Block): ReadonlySet<string> {
    const reading = this.#read(said)
    reading.named ??= namedWords(reading.text, this.#stem)
    return reading.named
  }

  /** The comparable words of a question. */
  termsOf(question: string): readonly string[] {
    return comparableWords(question, this.#language)
  }

  #tellsEvent(reading: Reading): boolean {
    reading.tellsEvent ??= tellsEvent(conflictFacts(beginningOf(reading.text), this.#stem).terms)
    return reading.tellsEvent
  }

  /** Both as read in one language: of a few words it is often only the other that tells it. */
  #saidOf(one: Reading, other: Reading): [Said, Said] {
    const language = this.#languageOfBoth(one, other)
    return [this.#saidIn(one, language), this.#saidIn(other, language)]
  }

  #languageOfBoth(one: Reading, other: Reading): string {
    const first = this.#languageOf(one)
    return first === DEFAULT_LANGUAGE ? this.#languageOf(other) : first
  }

  #languageOf(reading: Reading): string {
    reading.language ??= this.#language.languageOf?.(reading.text) ?? DEFAULT_LANGUAGE
    return reading.language
  }

  #sentencesIn(reading: Reading, language: string): readonly Said[] {
    const known = reading.sentences.get(language)
    if (known !== undefined) return known
    const texts = beginningOf(reading.text).split(SENTENCE_END)
    const read =
      texts.length === 1
        ? [this.#saidIn(reading, language)]
        : texts.flatMap((text) => this.#language.said?.(text, language) ?? [])
    reading.sentences.set(language, read)
    return read
  }

  #saidIn({ text, said }: Reading, language: string): Said {
    const known = said.get(language)
    if (known !== undefined) return known
    const read = this.#language.said?.(beginningOf(text), language) ?? { words: [], adds: true }
    said.set(language, read)
    return read
  }

  #read({ id, content }: Block): Reading {
    const known = this.#held.get(id)
    if (known?.content === content) return known
    const [oldest] = this.#held.size >= KEPT_MOST ? this.#held.keys() : []
    if (oldest !== undefined) this.#held.delete(oldest)
    // When it holds is told by its dates.
    const text = withoutValidity(content)
    const words = comparableWords(text, this.#language)
    const reading: Reading = { content, text, words, said: new Map(), sentences: new Map() }
    this.#held.set(id, reading)
    return reading
  }
}
