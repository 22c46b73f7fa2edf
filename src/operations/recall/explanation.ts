import * as z from 'zod'
import type { Candidate } from '../../flow/recall/match.ts'

const term = z.object({
  name: z.string(),
  value: z.number().describe('The signal itself'),
  amount: z.number().describe('Its share of the score'),
})

/** How a candidate came by its score. */
export const explanation = z.object({
  terms: z.array(term).describe('Their amounts sum to the score'),
  match: z
    .object({
      rank: z.number(),
      cosine: z.number(),
      lexical: z.number(),
      source: z.number(),
      asks: z.number(),
      when: z.number(),
      coverage: z.number().describe('For having fewer words of the question than one that looks like it'),
      name: z.number().describe('For a name that it shares with a better match; foundByName says which'),
    })
    .optional(),
})

/** How an edge brought a block. */
export const path = z
  .object({ seed: z.string(), relation: z.string(), weight: z.number() })
  .optional()
  .describe('The block whose edge brought it, and the edge')

/** The score of a candidate and where it is from; the fields of `explanation` and `path` are below it. */
export function scoreOf({ score, match, path: edge }: Candidate) {
  return {
    score: rounded(score),
    ...(match ? { strength: rounded(match.strength) } : {}),
    wasExpanded: edge !== undefined,
    ...(edge === undefined ? {} : { path: { ...edge, weight: rounded(edge.weight) } }),
  }
}

/** The fields of `explanation`. */
export function explanationOf({ terms, match }: Candidate): z.output<typeof explanation> {
  const told = terms.map((each) => ({ ...each }))
  if (match === undefined) return { terms: told }
  const {
    facts: _facts,
    strength: _strength,
    isNoted: _isNoted,
    through: _through,
    name = 0,
    ...parts
  } = match
  return { terms: told, match: { ...parts, name } }
}

/** To four decimals: more says nothing. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
