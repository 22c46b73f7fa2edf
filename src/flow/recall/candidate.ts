import type { ScoreTerm } from '../../domain/score-term.ts'
import type { BlockFacts, Match } from '../../search/resident-index.ts'

/** A block on its way into an answer. */
export interface Candidate {
  readonly facts: BlockFacts
  readonly score: number
  /** What the score is made of; the amounts sum to it. */
  readonly terms: readonly ScoreTerm[]
  /** How it matched the question; absent without one, or when only the graph brought it. */
  readonly match?: Match
  /** The block whose edge brought it, when its own match would not have. */
  readonly via?: string
}

type DropReason = 'top_k' | 'token_budget' | 'near_twin' | 'weak_match'

export interface Dropped {
  readonly id: string
  readonly reason: DropReason
  readonly score: number
}

/** Best score first; ties newest first, then by id, so that an answer never depends on chance. */
export function byScore(a: Candidate, b: Candidate): number {
  return (
    b.score - a.score ||
    b.facts.createdAt.localeCompare(a.facts.createdAt) ||
    (a.facts.id < b.facts.id ? -1 : 1)
  )
}
