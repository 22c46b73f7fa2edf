import type { LanguagePack } from './language.ts'
import { endsWithQuestion } from './question-end.ts'
import { identifiersOf, wordsOf } from './words.ts'

const YEAR = /\b(?:19|20)\d\d\b/

/** No language: every word counts, as it is written. For languages without a pack, or many mixed. */
export function createNeutral(): LanguagePack {
  return {
    id: 'neutral-1',
    term: (word) => word,
    terms: (text) => {
      const { wholes, parts } = identifiersOf(text)
      return [...wordsOf(text), ...parts, ...wholes]
    },
    dateTerms: (iso) =>
      iso
        .slice(0, 10)
        .split('-')
        .map((part) => String(Number(part))),
    asks: (text) => endsWithQuestion(text),
    speaksOfTime: (text) => YEAR.test(text),
    asksWhen: () => false,
    namesBoth: () => false,
  }
}
