import { createAuto } from './auto.ts'
import { createDetector } from './detect.ts'
import type { LanguagePack } from './language.ts'
import { createNeutral } from './neutral.ts'
import { createPack, type LanguageData } from './pack.ts'
import { DUTCH } from './packs/dutch.ts'
import { createEnglish } from './packs/english.ts'
import { FRENCH } from './packs/french.ts'
import { GERMAN } from './packs/german.ts'
import { ITALIAN } from './packs/italian.ts'
import { PORTUGUESE } from './packs/portuguese.ts'
import { RUSSIAN } from './packs/russian.ts'
import { SPANISH } from './packs/spanish.ts'

const DATA: Readonly<Record<string, LanguageData>> = {
  german: GERMAN,
  french: FRENCH,
  spanish: SPANISH,
  portuguese: PORTUGUESE,
  italian: ITALIAN,
  dutch: DUTCH,
  russian: RUSSIAN,
}

/** The language of a text, by the names of `recall.language`. */
export const detectLanguage = createDetector(
  Object.fromEntries(Object.entries(DATA).map(([language, { stopWords }]) => [language, stopWords])),
)

/** The pack of a language as `recall.language` names it. */
export function createLanguage(name: string): LanguagePack {
  if (name === 'neutral') return createNeutral()
  const english = createEnglish()
  const others = Object.entries(DATA).map(
    ([language, data]) => [language, createPack(data, english.dateTerms)] as const,
  )
  const packs: Readonly<Record<string, LanguagePack>> = { english, ...Object.fromEntries(others) }
  return packs[name] ?? createAuto(packs, detectLanguage)
}
