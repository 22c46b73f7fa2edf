import { LANGUAGES } from './choose.ts'
import { patternOf, wordsOf } from './words.ts'

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
  if (language === 'neutral') return () => false
  const all = [...LANGUAGES.values()].map(({ data }) => data.corrections)
  const named = LANGUAGES.get(language)?.data.corrections
  const known = named ? [named] : all
  const begins = patternOf(known.map((phrases) => phrases.begins).join('|'), '^ ')
  const holds = patternOf(known.map((phrases) => phrases.holds).join('|'))
  // Who thanks in another language corrects nothing either.
  const others = patternOf(all.map((phrases) => phrases.others).join('|'), '^ ')
  return (message) => {
    const words = wordsOf(message.slice(0, READ_MOST)).slice(0, FIRST_WORDS)
    const sentence = ` ${words.join(' ')} `
    return !others.test(sentence) && (begins.test(sentence) || holds.test(sentence))
  }
}
