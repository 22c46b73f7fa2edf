import {
  type Block,
  type BlockFacts,
  type BlockIndex,
  type ContentVectors,
  PassageFlag,
} from '../block/block.ts'
import { passagesOf } from '../block/text.ts'
import { joinNames, type LanguagePack, type NameTerms, type PastAsked, wordsOf } from './pack.ts'

const POSSESSIVE = /['’]s$/
const NOT_WORD = /[^\p{L}\p{N}_’']/gu
const CAPITAL = /^\p{Lu}/u
/** How the one who asks is called where blocks say who said them. */
const USERS = new Set(['user', 'human', 'owner'])

/** A question as the index reads it: its words, and what it wants to know. */
export interface Question {
  readonly text: string
  readonly terms: readonly string[]
  /** Text to embed: the question without names that too many blocks share to tell anything. */
  readonly toEmbed: string
  readonly asksWhen: boolean
  /** Which earlier version of what it asks about it wants. */
  readonly past?: PastAsked
  /** The end of the date to come that it asks for, ISO-8601 UTC. */
  readonly ahead?: string
}

/** A block found for a question, with every term of its rank. */
export interface Match {
  readonly facts: BlockFacts
  /** Match strength, 0..1; comparable within a store: the best of more blocks is stronger by chance. */
  readonly strength: number
  /** strength + source + asks + when + standing + chances + coverage, and name where there is one: what it is ordered by. */
  readonly rank: number
  /** Cosine after the session's window, -1..1. */
  readonly cosine: number
  /** Cosine without its neighbours; of a block that waits for a vector, as its words let expect. */
  readonly ownCosine: number
  /** Lexical share, 0..1. */
  readonly lexical: number
  readonly source: number
  readonly asks: number
  readonly when: number
  /** Raise of a standing instruction or a preference, at least 0. */
  readonly standing: number
  /** Loss of a block of several passages, at most 0. */
  readonly chances: number
  /** Loss to a block that looks like it and has more of the question's words; at most 0. */
  readonly coverage: number
  /** For a name that it shares with a better match and the question does not give; absent where none leads to it. */
  readonly name?: number
  /** That match, and the words of the name; with `name` only. */
  readonly through?: { readonly block: string; readonly terms: readonly string[] }
  /** The number of its best passage from 0 on (`passagesOf` of its content); absent for a block of one. */
  readonly passage?: number
  /** Present where the note of an edge of it has words of the question. */
  readonly isNoted?: true
}

/**
 * Reads a question against what the memory knows.
 *
 * @param shareOf the share of blocks whose own words hold a term, 0..1
 * @param now milliseconds since 1970; without it the question asks for no version of the past
 * @param nameShare above this share a capitalised word inside the question is left out of `toEmbed`
 */
export function readQuestion(
  text: string,
  language: LanguagePack,
  {
    shareOf,
    nameShare,
    now,
  }: { shareOf: (term: string) => number; nameShare: number; now: number | undefined },
): Question {
  const kept = text.split(/\s+/).filter((raw, i) => {
    if (i === 0 || !CAPITAL.test(raw)) return true
    const word = raw.replace(NOT_WORD, '').replace(POSSESSIVE, '').toLowerCase()
    const term = language.term(word)
    return term === undefined || shareOf(term) <= nameShare
  })
  const then = now === undefined || text.length > ASKS_MOST ? undefined : language.pastAsked?.(text, now)
  const terms = language.terms(text)
  const isAhead = typeof then === 'object' && 'from' in then && now !== undefined && then.from > now
  return {
    text,
    ...(isAhead ? { ahead: new Date(then.to - 1).toISOString() } : {}),
    ...(then === undefined || isAhead ? {} : { past: then }),
    terms: withoutRepeats(terms),
    toEmbed: kept.join(' ').trim() || text,
    asksWhen: language.asksWhen(text),
  }
}

/** Who gives a longer text as a question looks for what is like it and asks for no version of it. In characters. */
const ASKS_MOST = 1_000

/** Said more often in one question, a word says no more, but each time costs all the places where it stands. */
const REPEATS_MOST = 8

function withoutRepeats(terms: readonly string[]): readonly string[] {
  if (terms.length <= REPEATS_MOST) return terms
  const said = new Map<string, number>()
  return terms.filter((term) => {
    const times = (said.get(term) ?? 0) + 1
    said.set(term, times)
    return times <= REPEATS_MOST
  })
}

/** Which sources blocks have, and which of them a question names. */
export class SourceIndex {
  readonly #language: LanguagePack
  /** The words of each source, by its number. */
  readonly #words: (readonly string[])[] = []
  readonly #known = new Set<string>()

  constructor(language: LanguagePack) {
    this.#language = language
  }

  /** Takes in all sources of a list that only grows, each by its place. */
  take(sources: { readonly end: number; textOf(number: number): string }): void {
    while (this.#words.length < sources.end) {
      const all = wordsOf(sources.textOf(this.#words.length))
      const words = [...new Set(all)].filter((word) => this.#language.term(word) !== undefined)
      for (const word of words) this.#known.add(word)
      this.#words.push(words)
    }
  }

  /**
   * Returns for each source what a question says of it: 1 it is named, -1 another one is, 0 nothing is said or it has no name.
   * Of two sources named in a question that does not list them, the first is meant and the second left alone. A question about the
   * one who asks means what the user said, and says nothing against other sources. Undefined if it names none.
   */
  mentions(question: string): Int8Array | undefined {
    const asked = new Set(wordsOf(question.replace(/['’]s\b/g, '')))
    const [first, second] = [...asked].filter((word) => this.#known.has(word))
    if (first === undefined) {
      if (!this.#language.isAboutAsker?.(question)) return undefined
      const mentions = Int8Array.from(this.#words, (words) => Number(words.some((word) => USERS.has(word))))
      return mentions.includes(1) ? mentions : undefined
    }
    const all = second === undefined || this.#language.namesBoth(question, first, second)
    return Int8Array.from(this.#words, (words) => {
      const isNamed = words.some((word) => asked.has(word))
      if (all ? isNamed : words.includes(first)) return 1
      return isNamed || words.length === 0 ? 0 : -1
    })
  }
}

/** Changes whenever passages, flags or names of a text would come out differently. */
const PASSAGES = 'passages-1'

type IndexedText = Pick<Block, 'id' | 'content' | 'summary' | 'cue' | 'source'>

/** Analysis of texts into the terms and marks by which recall finds and ranks them. */
export interface Analysis {
  /** Changes whenever stored terms would come out differently; the store remembers it. */
  readonly id: string
  readonly language: LanguagePack
  /** Makes a block's index entry; without vectors only words find it. Cost: one pass over the text. */
  entry(block: IndexedText, vectors?: ContentVectors): BlockIndex
}

/** Times that a word of a cue counts, where one of the content counts once: a cue says what the block is for. */
const CUE_WEIGHT = 2

/** Returns the analysis of texts in a language. */
export function createAnalysis(language: LanguagePack): Analysis {
  return {
    id: `${language.id}/cue-${CUE_WEIGHT}/${PASSAGES}`,
    language,
    entry: (block, vectors) => ({ ...read(block, language), ...(vectors && { vectors }) }),
  }
}

function read(block: IndexedText, language: LanguagePack): BlockIndex {
  const { id, content, summary, cue, source } = block
  const isOfAssistant = source?.toLowerCase() === ASSISTANT
  const [terms, names]: [string[], string[]] = [[], []]
  let flags = ''
  for (const [i, { from, to }] of passagesOf(content).entries()) {
    const passage = content.slice(from, to)
    // A cue and a summary are found with the first passage.
    const beside = i === 0 ? [...Array<string | undefined>(CUE_WEIGHT).fill(cue), summary] : []
    const line = [source, ...beside, passage].filter(isGiven).join('\n')
    terms.push(language.terms(line).join(' '))
    flags += flagsOf(passage, language, isOfAssistant).toString(16)
    names.push(joinNames(namesOf(i === 0 ? { ...block, content: passage } : { content: passage }, language)))
  }
  const named = names.join('\n')
  return { id, terms: terms.join('\n'), flags, ...(named.trim() === '' ? {} : { names: named }) }
}

const isGiven = (part: string | undefined) => part !== undefined

/** The source of the words of an assistant, whose instructions and preferences are nobody's. */
const ASSISTANT = 'assistant'

function flagsOf(passage: string, language: LanguagePack, isOfAssistant: boolean): number {
  const flags =
    (language.asks(passage) ? PassageFlag.asks : 0) | (language.speaksOfTime(passage) ? PassageFlag.timed : 0)
  if (isOfAssistant) return flags
  return (
    flags |
    (language.isStanding?.(passage) ? PassageFlag.standing : 0) |
    (language.statesPreference?.(passage) ? PassageFlag.prefers : 0)
  )
}

/** The names in what a block says and is said to be for, each once; its source is a label and no name. */
export function namesOf(
  { cue, summary, content }: Pick<Block, 'cue' | 'summary' | 'content'>,
  language: LanguagePack,
): readonly NameTerms[] {
  return language.names?.([cue, summary, content].filter(isGiven).join('\n')) ?? []
}
