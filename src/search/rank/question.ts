import type { LanguagePack, TimeSpan } from '../language/language.ts'

const POSSESSIVE = /['’]s$/
const NOT_WORD = /[^\p{L}\p{N}_’']/gu
const CAPITAL = /^\p{Lu}/u

export interface Question {
  readonly text: string
  readonly terms: readonly string[]
  /** What is embedded: the question without names that so many blocks share that they tell nothing. */
  readonly toEmbed: string
  readonly asksWhen: boolean
  /** The time it names by its distance from now. */
  readonly span?: TimeSpan
}

/**
 * Reads a question against what the memory knows.
 *
 * @param shareOf the share of blocks whose own words hold a term, 0..1
 * @param now milliseconds since 1970, for times named by their distance from it
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
  const span = now === undefined ? undefined : language.spanOf?.(text, now)
  return {
    text,
    ...(span === undefined ? {} : { span }),
    terms: language.terms(text),
    toEmbed: kept.join(' ').trim() || text,
    asksWhen: language.asksWhen(text),
  }
}
