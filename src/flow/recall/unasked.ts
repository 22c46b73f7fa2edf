import type { FrameSettings } from '../../config/frames.ts'
import { betaOf, confidenceOf } from '../../domain/belief.ts'
import { scoreBoost } from '../../domain/boost.ts'
import {
  compositeScore,
  effectiveCentrality,
  reinforcementNorm,
  renormalisedWeights,
} from '../../domain/composite-score.ts'
import { recency } from '../../domain/decay.ts'
import type { BlockFacts } from '../../search/match.ts'
import { topSlots } from '../../search/top.ts'
import { byScore, type Candidate } from './candidate.ts'

/**
 * Ranks blocks when nothing is asked: the additive score of the seeds with similarity left out (Python elfmem).
 * Reinforcement is relative to the blocks given, centrality to the whole corpus.
 */
export function unasked(
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

/**
 * The likeliest of many blocks by what is known without their edges, for `unasked` to rank. Cost: one pass, no
 * allocation a block.
 */
export function preselect(
  blocks: readonly BlockFacts[],
  count: number,
  { frame, hours }: { frame: FrameSettings; hours: number },
): BlockFacts[] {
  if (blocks.length <= count) return [...blocks]
  const weights = renormalisedWeights(frame.weights)
  const hasBoosts = Object.keys(frame.boosts).length > 0
  const mostReinforced = blocks.reduce(
    (most, { reinforcementCount }) => Math.max(most, reinforcementCount),
    0,
  )
  const scores = Float32Array.from(blocks, (facts) => {
    const score =
      weights.confidence * confidenceOf(facts) +
      weights.recency * recency(facts.decayLambda, hours - facts.lastReinforcedAt) +
      weights.reinforcement * reinforcementNorm(facts.reinforcementCount, mostReinforced)
    return hasBoosts ? score * scoreBoost(facts, frame.boosts) : score
  })
  return topSlots(scores, count, { allowed: () => true }).map((at) => blocks[at] as BlockFacts)
}
