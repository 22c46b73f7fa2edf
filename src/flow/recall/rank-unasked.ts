import type { FrameSettings } from '../../config/frames.ts'
import type { BlockFacts } from '../../domain/block/block.ts'
import { betaOf, confidenceOf, recency } from '../../domain/score/experience.ts'
import {
  compositeScore,
  effectiveCentrality,
  reinforcementNorm,
  renormalisedWeights,
  scoreBoost,
} from '../../domain/score/score.ts'
import type { Filter } from '../../search/index/blocks.ts'
import type { ResidentIndex } from '../../search/resident-index.ts'
import { byScore, type Candidate } from './rank.ts'

/**
 * Ranks blocks when nothing is asked: the additive score of the seeds with similarity left out (Python elfmem).
 * Reinforcement is relative to the blocks given, centrality to the whole corpus.
 */
export function rankWithoutQuery(
  blocks: readonly BlockFacts[],
  {
    frame,
    hours,
    centralityOf,
  }: { frame: FrameSettings; hours: number; centralityOf: (id: string) => number },
): Candidate[] {
  const weights = renormalisedWeights(frame.weights)
  const mostReinforced = blocks.reduce(
    (most, { reinforcementCount }) => Math.max(most, reinforcementCount),
    0,
  )
  return blocks
    .map((facts): Candidate => {
      const fresh = recency(facts.decayLambda, hours - facts.lastReinforcedAt)
      const signals = {
        similarity: 0,
        confidence: confidenceOf(facts),
        recency: fresh,
        centrality: effectiveCentrality(centralityOf(facts.id), fresh),
        reinforcement: reinforcementNorm(facts.reinforcementCount, mostReinforced),
      }
      const { score, terms } = compositeScore(signals, weights, {
        belief: betaOf(facts),
        boost: scoreBoost(facts, frame.boosts),
      })
      return { facts, score, terms }
    })
    .sort(byScore)
}

/** The best of all blocks that pass by what is known without their edges, for `rankWithoutQuery`. */
export function preselect(
  index: ResidentIndex,
  filter: Filter,
  { count, frame, hours }: { count: number; frame: FrameSettings; hours: number },
): BlockFacts[] {
  const weights = renormalisedWeights(frame.weights)
  const hasBoosts = Object.keys(frame.boosts).length > 0
  return index.likeliest(filter, count, (vitals, mostReinforced) => {
    const score =
      weights.confidence * confidenceOf(vitals) +
      weights.recency * recency(vitals.decayLambda, hours - vitals.lastReinforcedAt) +
      weights.reinforcement * reinforcementNorm(vitals.reinforcementCount, mostReinforced)
    return hasBoosts ? score * scoreBoost(vitals, frame.boosts) : score
  })
}
