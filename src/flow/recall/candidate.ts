import type { BlockFacts } from '../../domain/block/block.ts'
import type { ScoreTerm } from '../../domain/score/score-term.ts'
import type { Match } from '../../search/match.ts'

/** A block on its way into an answer. */
export interface Candidate {
  readonly facts: BlockFacts
  readonly score: number
  /** What the score is made of; the amounts sum to it. */
  readonly terms: readonly ScoreTerm[]
  /** How it matched the question; absent without one, or when only the graph brought it. */
  readonly match?: Match
  /** How an edge brought it, when its own match would not have. */
  readonly path?: ExpansionPath
}

/** The match an edge started from, and the edge. */
interface ExpansionPath {
  readonly seed: string
  readonly relation: string
  /** As stored, 0..1. */
  readonly weight: number
}

type DropReason = 'top_k' | 'token_budget' | 'near_twin' | 'contradicted' | 'weak_match'

export interface Dropped {
  readonly id: string
  readonly reason: DropReason
  readonly score: number
}

/** Scores that agree so far are the same: what is left is rounding and the seconds between two promotions. */
const SAME_SCORE = 1e4

/** Best score first; of equal ones the older, so that an answer never depends on chance. */
export function byScore(a: Candidate, b: Candidate): number {
  return (
    Math.round(b.score * SAME_SCORE) - Math.round(a.score * SAME_SCORE) ||
    a.facts.createdAt.localeCompare(b.facts.createdAt) ||
    a.facts.position - b.facts.position ||
    (a.facts.id < b.facts.id ? -1 : 1)
  )
}
