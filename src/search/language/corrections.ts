import data from './corrections.json' with { type: 'json' }
import { wordsOf } from './words.ts'

/** Phrases of a language by which a message says that the one before it was wrong, with bars between them. */
interface CorrectionWords {
  /** A correction begins with one of them, */
  readonly begins: string
  /** or holds one of these in its first words. */
  readonly holds: string
  /** Messages that begin so are none. */
  readonly others: string
}

const LANGUAGES: Readonly<Record<string, CorrectionWords>> = data

/** Who corrects says so at once; what comes later is the next task. */
const FIRST_WORDS = 40
/** Characters in which so many words stand. */
const READ_MOST = 1_000

/**
 * The rule that tells a correction from other messages, by the name that `recall.language` has. Without a language all are taken
 * together, because "no" and "non" are too short to tell one; `neutral` knows no word for it. Cost: the first words of a
 * message.
 */
export function correctionRule(language: string): (message: string) => boolean {
  const named = Object.hasOwn(LANGUAGES, language) ? [LANGUAGES[language] as CorrectionWords] : undefined
  const all = named ?? (language === 'neutral' ? [] : Object.values(LANGUAGES))
  const rules = all.map((words) => ({ begins: sentences(words.begins), holds: sentences(words.holds) }))
  // Who thanks in another language corrects nothing either.
  const others = Object.values(LANGUAGES).flatMap((words) => sentences(words.others))
  return (message) => {
    const words = sentence(wordsOf(message.slice(0, READ_MOST)).slice(0, FIRST_WORDS))
    const begins = (phrases: readonly string[]) => phrases.some((phrase) => words.startsWith(phrase))
    if (begins(others)) return false
    return rules.some((rule) => begins(rule.begins) || rule.holds.some((phrase) => words.includes(phrase)))
  }
}

function sentences(list: string): readonly string[] {
  return list.split('|').map((phrase) => sentence(wordsOf(phrase)))
}

function sentence(words: readonly string[]): string {
  return ` ${words.join(' ')} `
}
