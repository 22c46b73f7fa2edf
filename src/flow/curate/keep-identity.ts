import type { SignalWeights } from '../../config/frames.ts'
import type { Block } from '../../domain/block/block.ts'
import { CONSTITUTIONAL_TAG, isConstitutional } from '../../domain/block/tags.ts'
import {
  betaOf,
  compositeScore,
  confidenceOf,
  recency,
  reinforcementNorm,
  renormalisedWeights,
} from '../../domain/score/formulas.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { type Centrality, readCentrality } from '../graph/read-graph.ts'

/** More identity than this is not looked at; the least recently used is left out. */
const IDENTITY_MAX = 1_000

/** Identity blocks that stay fresh besides the principles: those that carry most. */
const KEPT_FRESH = 5

/** The numbers of identity blocks that a curation kept fresh. */
export interface KeptIdentity {
  readonly constitutional: number
  /** Other identity blocks, at most `KEPT_FRESH`. */
  readonly others: number
}

/**
 * Keeps the principles and the identity that carries most from fading: each block once (W44). Four statements to
 * choose, without a lock, and one to keep them, which need not be durable before the curation is.
 *
 * @param at.active number of active blocks
 */
export async function keepIdentity(
  engine: Engine,
  context: CallContext,
  { hours, active }: { readonly hours: number; readonly active: number },
): Promise<KeptIdentity> {
  const { frames } = engine.settings
  const { principles, top } = await engine.store.read(async (tx) => {
    const principles = await tagged(tx, CONSTITUTIONAL_TAG)
    const others = (await tagged(tx, 'self/*')).filter(({ tags }) => !isConstitutional(tags))
    const central = await readCentrality(tx, { active, limit: 0 })
    const scores = await identityScores(tx, others, { weights: frames.self.weights, hours, central })
    const top = [...others]
      .sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0) || (a.id < b.id ? -1 : 1))
      .slice(0, KEPT_FRESH)
    return { principles, top }
  })
  const kept = [...principles, ...top].map(({ id }) => id)
  if (kept.length > 0)
    await mutate(
      engine,
      context,
      async ({ tx, moment, log }) => {
        await tx.reinforceBlocks(kept, moment.hours)
        await log({ operation: 'keep', blockIds: kept, summary: `${kept.length} of the identity kept fresh` })
      },
      { durable: false },
    )
  return { constitutional: principles.length, others: top.length }
}

async function tagged(tx: StoreReader, tag: string): Promise<readonly Block[]> {
  return (await tx.page({ status: 'active', tag, order: 'recent', limit: IDENTITY_MAX })).blocks
}

/** The additive score of the self frame without a question (Python elfmem). */
async function identityScores(
  tx: StoreReader,
  blocks: readonly Block[],
  {
    weights,
    hours,
    central,
  }: {
    readonly weights: SignalWeights
    readonly hours: number
    readonly central: Centrality
  },
): Promise<Map<string, number>> {
  const ids = blocks.map(({ id }) => id)
  const strengths = await tx.strengths(ids)
  const most = blocks.reduce((max, { reinforcementCount }) => Math.max(max, reinforcementCount), 0)
  const queryless = renormalisedWeights(weights)
  const scoreOf = (block: Block): number => {
    const signals = {
      similarity: 0,
      confidence: confidenceOf(block),
      recency: recency(block.decayLambda, hours - block.lastReinforcedAt),
      centrality: central.of(strengths.get(block.id) ?? 0),
      reinforcement: reinforcementNorm(block.reinforcementCount, most),
    }
    return compositeScore(signals, queryless, { belief: betaOf(block) }).score
  }
  return new Map(blocks.map((block) => [block.id, scoreOf(block)]))
}
