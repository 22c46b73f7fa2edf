import { type NamingRules, properNamesIn } from '../../domain/text/proper-names.ts'

/** A name as it stands in a text, and its comparable words. */
export interface NameTerms {
  readonly text: string
  readonly terms: readonly string[]
}

/** Between the names of a block as they are kept; a space stands between the words of one. */
const BETWEEN_NAMES = '\n'

/**
 * Reads the names of texts by the rules of a language, each once.
 *
 * @param termsOf the comparable words of a word
 */
export function createNames(
  rules: NamingRules,
  termsOf: (word: string) => readonly string[],
): (text: string) => readonly NameTerms[] {
  return (text) => {
    const names = new Map<string, NameTerms>()
    for (const { text: name, words } of properNamesIn(text, rules)) {
      const terms = [...new Set(words.flatMap(termsOf))]
      const key = terms.join(' ')
      if (terms.length > 0 && !names.has(key)) names.set(key, { text: name, terms })
    }
    return [...names.values()]
  }
}

/** Names as they are kept of a block: their words alone. */
export function joinNames(names: readonly NameTerms[]): string {
  return names.map(({ terms }) => terms.join(' ')).join(BETWEEN_NAMES)
}

/** The words of each name that was kept. */
export function splitNames(kept: string): readonly (readonly string[])[] {
  return kept === '' ? [] : kept.split(BETWEEN_NAMES).map((name) => name.split(' '))
}
