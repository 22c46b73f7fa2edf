import type { LanguagePack } from './language.ts'

/**
 * Reads every text in the language it is written in. An English store comes out exactly as with the English pack.
 *
 * @param packs by the names that `detect` gives; `english` must be among them
 */
export function createAuto(
  packs: Readonly<Record<string, LanguagePack>>,
  detect: (text: string) => string,
): LanguagePack {
  const english = packs.english as LanguagePack
  const of = (text: string): LanguagePack => packs[detect(text)] ?? english
  return {
    id: `auto-1(${Object.values(packs)
      .map(({ id }) => id)
      .join(',')})`,
    terms: (text) => of(text).terms(text),
    term: english.term,
    dateTerms: english.dateTerms,
    asks: (text) => of(text).asks(text),
    speaksOfTime: (text) => of(text).speaksOfTime(text),
    asksWhen: (question) => of(question).asksWhen(question),
    namesBoth: (question, one, other) => of(question).namesBoth(question, one, other),
    spanOf: (question, now) => of(question).spanOf?.(question, now),
    isAboutAsker: (question) => of(question).isAboutAsker?.(question) ?? false,
  }
}
