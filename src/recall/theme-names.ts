import { takeCodePoints } from '../block/text.ts'
import { createLanguage, detectLanguage } from '../language/question.ts'

/** Number of code points of a text that are read. */
const TEXT_MOST = 2_000
const WORD = /\p{L}[\p{L}\p{M}\p{N}'’-]{3,23}(?![\p{L}\p{M}\p{N}])/gu

/**
 * Returns a name for each group of texts: the three words that they have more often than others, by share · log(share / share of all).
 * The name of a group without such words is empty. Terms of `asked` name none.
 */
export function namesOf(
  texts: readonly string[],
  groups: readonly (readonly number[])[],
  asked: readonly string[] = [],
): string[] {
  const spelled = new Map<string, string>()
  const words = texts.map((whole) => {
    const text = takeCodePoints(whole, TEXT_MOST)
    const { term } = createLanguage(detectLanguage(text))
    const own = new Set<string>()
    for (const [said] of text.matchAll(WORD)) {
      const word = said.replace(/['’]s$/, '')
      const key = term(word.toLowerCase())
      if (key === undefined || asked.includes(key)) continue
      if (!spelled.has(key) || word === word.toLowerCase()) spelled.set(key, word)
      own.add(key)
    }
    return own
  })
  const overall = countsOf(words.flatMap((own) => [...own]))
  return groups.map((members) =>
    [...countsOf(members.flatMap((i) => [...(words[i] as Set<string>)]))]
      .filter(([, times]) => times > 1)
      .map(([key, times]) => {
        const share = times / members.length
        return { key, score: share * Math.log((share * texts.length) / (overall.get(key) ?? 1)) }
      })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || (one.key < other.key ? -1 : 1))
      .slice(0, 3)
      .map(({ key }) => spelled.get(key))
      .join(', '),
  )
}

function countsOf(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
