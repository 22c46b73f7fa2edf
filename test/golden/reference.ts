import { createHash } from 'node:crypto'
import { contentId, estimateTokens } from '../../src/block/text.ts'
import { driftRecommendedMax, healthOf } from '../../src/dream/judgement.ts'
import { type EdgeOrigin, relationDefaultWeight } from '../../src/graph/edge.ts'
import { displaceableEdge } from '../../src/graph/linker.ts'
import {
  type Beta,
  betaMean,
  compositeEdgeScore,
  compositeScore,
  corpusCentrality,
  type DecayTier,
  decayTier,
  edgeLambda,
  edgeWeightNow,
  effectiveCentrality,
  effectiveEdgeWeight,
  explorationBonus,
  type FrameWeights,
  isWeakEdge,
  jaccard,
  outcomeEdgeWeight,
  penalisedLambda,
  recency,
  reinforcementNorm,
  renormalisedWeights,
  scoreBoost,
  temporalProximity,
  updateBeta,
  weightedDegree,
} from '../../src/outcome/formulas.ts'
import { fitLines } from '../helpers/fit-lines.ts'

/** Decay of each tier per active hour in the reference. */
export const LAMBDAS: Readonly<Record<DecayTier, number>> = {
  permanent: 0.00001,
  durable: 0.001,
  standard: 0.01,
  ephemeral: 0.05,
}

const PRUNE_BELOW = 0.1
const IMMUNE_AT = 0.001

const WEIGHTS: Readonly<Record<string, FrameWeights>> = {
  self: { similarity: 0.1, confidence: 0.3, recency: 0.05, centrality: 0.25, reinforcement: 0.3 },
  attention: { similarity: 0.35, confidence: 0.15, recency: 0.25, centrality: 0.15, reinforcement: 0.1 },
  task: { similarity: 0.2, confidence: 0.2, recency: 0.2, centrality: 0.2, reinforcement: 0.2 },
}

interface EdgeFixture {
  readonly from: string
  readonly to: string
  readonly weight: number
  readonly relation: string
  readonly origin: EdgeOrigin
  readonly reinforcementCount: number
}

/** What our rules answer to the inputs of a golden case; keys are the case's `fn`. */
export const answers: Readonly<Record<string, (inputs: never) => unknown>> = {
  contentHash: (i: { content: string; repeat: [string, number] | null }) =>
    contentId(i.repeat === null ? i.content : i.repeat[0].repeat(i.repeat[1]), sha256Hex),
  decayTier: (i: { tags: string[]; category: string }) => {
    const tier = decayTier(i.tags, i.category)
    return { tier, lambda: LAMBDAS[tier] }
  },
  recency: (i: { tier: DecayTier; hours: number }) => recency(LAMBDAS[i.tier], i.hours),
  renormalisedWeights: (i: { weights: FrameWeights }) => renormalisedWeights(i.weights),
  compositeScore: (i: CompositeInputs) => {
    const weights = WEIGHTS[i.frame]
    if (weights === undefined) throw new Error(`no weights for the frame ${i.frame}`)
    return compositeScore(i, i.renormalised ? renormalisedWeights(weights) : weights, { belief: i }).score
  },
  explorationBonus: (i: Beta) => explorationBonus(i),
  effectiveCentrality: (i: { raw: number; recency: number }) => effectiveCentrality(i.raw, i.recency),
  reinforcementNorm: (i: { count: number; max: number }) => reinforcementNorm(i.count, i.max),
  effectiveEdgeWeight: (i: EdgeFixture) => effectiveEdgeWeight(i),
  weightedDegree: (i: { ids: string[]; edges: EdgeFixture[] }) =>
    Object.fromEntries(weightedDegree(i.ids, i.edges)),
  // The original measures against the best of the blocks at hand.
  centrality: (i: { ids: string[]; edges: EdgeFixture[] }) => {
    const degrees = [...weightedDegree(i.ids, i.edges)]
    const best = Math.max(...degrees.map(([, degree]) => degree))
    return Object.fromEntries(degrees.map(([id, degree]) => [id, corpusCentrality(degree, best)]))
  },
  lambdaEdge: (i: EdgeAge) => edgeLambda(LAMBDAS[i.tierA], LAMBDAS[i.tierB], i.reinforcementCount),
  decayedEdgeWeight: (i: EdgeAge & { weight: number; hoursSince: number; threshold: number }) => {
    const edge = { ...i, origin: 'similarity', lastActiveAt: 0 } as const
    const effective = edgeWeightNow(edge, [LAMBDAS[i.tierA], LAMBDAS[i.tierB]], i.hoursSince)
    return { effective, pruned: effective < i.threshold }
  },
  jaccard: (i: { a: string[]; b: string[] }) => jaccard(i.a, i.b),
  temporalProximity: (i: { hoursA: number; hoursB: number }) => temporalProximity(i.hoursA, i.hoursB),
  compositeEdgeScore: (i: EdgeScoreInputs) =>
    compositeEdgeScore(
      i.cosine,
      { tags: i.tagsA, category: i.categoryA, hours: i.hoursA },
      { tags: i.tagsB, category: i.categoryB, hours: i.hoursB },
    ),
  betaUpdate: (i: Beta & { signal: number; weight: number }) => {
    const next = updateBeta(i, i)
    return { ...next, confidence: betaMean(next), evidence: next.alpha + next.beta - 1 }
  },
  betaSequence: (i: Beta & { signals: number[]; weight: number }) => {
    let state: Beta = i
    return i.signals.map((signal) => {
      state = updateBeta(state, { signal, weight: i.weight })
      return betaMean(state)
    })
  },
  penaliseLambda: (i: { lambda: number; factor: number; ceiling: number }) =>
    penalisedLambda(i.lambda, { ...i, immuneAt: IMMUNE_AT }),
  outcomeEdge: (i: { signal: number; existingWeight: number; delta: number }) => ({
    newWeight: outcomeEdgeWeight(i.signal, undefined, { scale: 0.8, delta: i.delta }),
    reinforcedWeight: outcomeEdgeWeight(i.signal, i.existingWeight, { scale: 0.8, delta: i.delta }),
  }),
  relationDefaultWeight: (i: { relation: string }) => relationDefaultWeight(i.relation),
  scoreBoost: (i: { category: string; tags: string[]; boosts: Record<string, number> }) =>
    scoreBoost(i, i.boosts),
  renderBudget: (i: { headingLength: number; contents: string[]; budget: number }) => {
    const lines = i.contents.map((content, at) => `[${at + 1}] ${content}`)
    const fitted = fitLines('#'.repeat(i.headingLength), lines, i.budget)
    const numbers = lines.map((_, at) => `${at + 1}`)
    return {
      textLength: fitted.text.length,
      selected: numbers.slice(0, fitted.shown.length),
      dropped: numbers.slice(fitted.shown.length),
      budgetUsed: fitted.used,
    }
  },
  estimateTokens: (i: { length: number }) => estimateTokens('x'.repeat(i.length)),
  driftRecommendedMax: (i: { drift: number }) => driftRecommendedMax(i.drift),
  health: (i: { inbox: number; threshold: number; active: number }) =>
    healthOf(i.inbox, i.threshold, i.active).health,
  displaceable: (i: { edges: EdgeFixture[]; block: string }) => {
    const edge = displaceableEdge(i.block, i.edges)
    return edge === undefined ? null : [edge.from, edge.to]
  },
  pruneWeak: (i: { edges: [string, number, number][] }) =>
    i.edges
      .filter(([, weight, reinforcementCount]) =>
        isWeakEdge({ weight, reinforcementCount, origin: 'similarity' }, PRUNE_BELOW),
      )
      .map(([label]) => label),
}

type CompositeInputs = FrameWeights & Beta & { frame: string; renormalised: boolean }

interface EdgeAge {
  readonly tierA: DecayTier
  readonly tierB: DecayTier
  readonly reinforcementCount: number
}

interface EdgeScoreInputs {
  readonly cosine: number
  readonly tagsA: string[]
  readonly tagsB: string[]
  readonly hoursA: number
  readonly hoursB: number
  readonly categoryA: string
  readonly categoryB: string
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
