import type { Match } from '../../search/match.ts'
import { holdsPhrases, phrasesOf } from '../../search/rank/question.ts'
import type { Engine } from '../engine/engine.ts'

/** So many of the best matches are looked into for the exact words; whoever holds them matches by its words. */
const LOOKED_INTO = 200

/** How many matches a question needs before `preferQuoted` cuts them to `pool`. */
export function poolFor(text: string, pool: number): number {
  return phrasesOf(text).length === 0 ? pool : Math.max(pool, LOOKED_INTO)
}

/**
 * Prefers blocks that hold the quoted words of a question exactly. A preference, not a condition: a quotation may be
 * misremembered. One statement when something is quoted, none otherwise.
 */
export async function preferQuoted(
  { store, settings }: Engine,
  text: string,
  { matches, pool }: { readonly matches: readonly Match[]; readonly pool: number },
): Promise<readonly Match[]> {
  const phrases = phrasesOf(text)
  if (phrases.length === 0 || matches.length === 0) return matches
  const blocks = await store.read((tx) => tx.blocks(matches.map(({ facts }) => facts.id)))
  const holding = new Set(
    blocks
      .filter(({ cue, summary, content }) =>
        [content, summary, cue].some((part) => part !== undefined && holdsPhrases(part, phrases)),
      )
      .map(({ id }) => id),
  )
  const phrase = settings.recall.phraseBonus
  return matches
    .map((match) => (holding.has(match.facts.id) ? { ...match, phrase, rank: match.rank + phrase } : match))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, pool)
}
