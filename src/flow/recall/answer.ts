import type { FrameSettings } from '../../config/frames.ts'
import type { Settings } from '../../config/settings.ts'
import { scoreBoost } from '../../domain/boost.ts'
import type { Edge } from '../../domain/edge.ts'
import { edgeStrength } from '../../domain/edge-strength.ts'
import { learnedScore } from '../../domain/learned-score.ts'
import { stretch } from '../../domain/stretch.ts'
import { type Filter, passesFilter } from '../../search/filter.ts'
import type { BlockFacts, Match } from '../../search/resident-index.ts'
import { byScore, type Candidate } from './candidate.ts'

export interface AnswerContext {
  readonly frame: FrameSettings
  readonly settings: Settings
  /** Active hours now. */
  readonly hours: number
  readonly filter: Filter
  /** Edges around the matches, strongest stored weight first. */
  readonly edges: readonly Edge[]
  readonly factsOf: (id: string) => BlockFacts | undefined
}

/** Edges that use or an agent made; what merely reads alike is among the matches already. */
const FOLLOWED = new Set(['outcome', 'co_retrieval', 'agent', 'llm_inferred'])

/**
 * From matches to candidates (docs/retrieval.md 6): their ranks are stretched over the pool, belief and the recency
 * of useful outcomes multiply, and the best hand part of their similarity on along edges.
 */
export function answer(matches: readonly Match[], context: AnswerContext): Candidate[] {
  // A pool that is not full ends at nothing: two good matches in a small memory are both good.
  const { pool, stretchFloor } = context.settings.recall
  const similarities = stretch(
    [...matches.map(({ rank }) => rank), ...(matches.length < pool ? [0] : [])],
    stretchFloor,
  )
  const own = new Map<string, Candidate>()
  matches.forEach((match, i) => {
    own.set(match.facts.id, score(match.facts, similarities[i] as number, context, match))
  })
  const seeds = [...own.values()].sort(byScore).slice(0, context.settings.recall.expansionSeeds)
  const found = new Map(own)
  for (const seed of seeds) {
    for (const neighbour of handOn(seed, context)) {
      const known = found.get(neighbour.facts.id)
      if (!known || known.score < neighbour.score) found.set(neighbour.facts.id, neighbour)
    }
  }
  return [...found.values()].sort(byScore)
}

function score(
  facts: BlockFacts,
  similarity: number,
  { frame, settings, hours }: AnswerContext,
  match?: Match,
  via?: string,
): Candidate {
  const learned = learnedScore(
    {
      similarity,
      successes: facts.successes,
      failures: facts.failures,
      hoursSinceUseful: hours - facts.lastUsefulAt,
      lambda: settings.decay.standard,
    },
    { beliefWeight: frame.belief, recencyWeight: frame.recency },
  )
  const boost = scoreBoost(facts, frame.boosts)
  const boosted = learned.score * boost
  return {
    facts,
    score: boosted,
    terms:
      boost === 1
        ? learned.terms
        : [...learned.terms, { name: 'boost', value: boost, amount: boosted - learned.score }],
    ...(match ? { match } : {}),
    ...(via === undefined ? {} : { via }),
  }
}

/** The neighbours of a seed with the similarity they inherit: seed's · strength of the edge · factor. */
function handOn(seed: Candidate, context: AnswerContext): Candidate[] {
  const { settings, edges, factsOf, filter } = context
  const { id } = seed.facts
  const similarity = seed.terms[0]?.value ?? 0
  return edges
    .filter(
      (edge) =>
        (edge.from === id || edge.to === id) && FOLLOWED.has(edge.origin) && edge.relation !== 'contradicts',
    )
    .map((edge) => ({ edge, strength: edgeStrength(edge) }))
    .sort((a, b) => b.strength - a.strength)
    .slice(0, settings.recall.expansionNeighbours)
    .flatMap(({ edge, strength }) => {
      const facts = factsOf(edge.from === id ? edge.to : edge.from)
      if (!facts || !passesFilter(facts, filter)) return []
      return [score(facts, similarity * strength * settings.recall.expansionFactor, context, undefined, id)]
    })
}
