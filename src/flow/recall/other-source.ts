import type { Match } from '../../search/match.ts'

/** The strongest match, when it belongs to another source than the question names. */
export interface OtherSource {
  readonly id: string
  readonly source: string
  /** How much stronger it is than the strongest of a named source, 0..1. */
  readonly margin: number
}

/**
 * Tells that what was found is said by, or of, somebody else than was asked for: a sign that the memory knows the topic
 * but not of this source, and nothing to refuse for (docs/retrieval.md 5). Undefined when no known source is named.
 */
export function otherSourceOf(matches: readonly Match[], least: number): OtherSource | undefined {
  const strongest = (wanted: (match: Match) => boolean) =>
    matches.filter(wanted).reduce<Match | undefined>((best, match) => {
      return best && best.strength >= match.strength ? best : match
    }, undefined)
  const other = strongest(({ source }) => source < 0)
  const named = strongest(({ source }) => source > 0)
  if (other?.facts.source === undefined) return undefined
  const margin = other.strength - (named?.strength ?? 0)
  return margin >= least ? { id: other.facts.id, source: other.facts.source, margin } : undefined
}
