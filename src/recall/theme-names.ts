import type { LanguagePack } from '../language/pack.ts'

const WORD = /\p{L}[\p{L}\p{M}\p{N}'’-]{3,23}(?![\p{L}\p{M}\p{N}])/gu

/**
 * Returns a name for each group of texts: the three words that they have more often than others, by share · log(share / share of all). The
 * name of a group without such words is empty.
 */
export function themeNames(
  notes: readonly { readonly content: string; readonly terms: readonly string[] }[],
  groups: readonly (readonly number[])[],
  language: Pick<LanguagePack, 'term'>,
): string[] {
  const spelled = new Map<string, string>()
  const words = notes.map(({ content, terms }) => {
    const found = content.slice(0, 2_000).matchAll(WORD)
    const own = new Set<string>()
    for (const [said] of found) {
      const word = said.replace(/['’]s$/, '')
      const term = language.term(word.toLowerCase())
      // A word that is no term of its text is a stop word of its language.
      if (term === undefined || !terms.includes(term)) continue
      if (!spelled.has(term) || word === word.toLowerCase()) spelled.set(term, word)
      own.add(term)
    }
    return [...own]
  })
  const overall = countsOf(words.flat())
  return groups.map((members) =>
    [...countsOf(members.flatMap((i) => words[i] ?? []))]
      .filter(([, times]) => times > 1)
      .map(([term, times]): [string, number] => {
        const share = times / members.length
        return [term, share * Math.log((share * notes.length) / (overall.get(term) ?? 1))]
      })
      .filter(([, score]) => score > 0)
      .sort(([one, score], [other, more]) => more - score || (one < other ? -1 : 1))
      .slice(0, 3)
      .map(([term]) => spelled.get(term))
      .join(', '),
  )
}

function countsOf(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
