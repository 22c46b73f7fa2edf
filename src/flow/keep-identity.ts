import type { Settings } from '../config/settings.ts'
import { betaOf, confidenceOf } from '../domain/belief.ts'
import type { Block } from '../domain/block.ts'
import { compositeScore, reinforcementNorm, renormalisedWeights } from '../domain/composite-score.ts'
import { recency } from '../domain/decay.ts'
import { centrality } from '../domain/edge-strength.ts'
import { CONSTITUTIONAL_TAG, isConstitutional } from '../domain/tags.ts'
import type { StoreReader, StoreWriter } from '../ports/store.ts'

/** More identity than this is not looked at; the least recently used is left out. */
const IDENTITY_MAX = 1_000

export interface KeptIdentity {
  readonly constitutional: number
  /** Other identity blocks, at most `curateReinforceTop`. */
  readonly others: number
}

/** Keeps the principles and the identity that carries most from fading: each block once (W44). Four statements. */
export async function keepIdentity(
  tx: StoreWriter,
  { memory, frames }: Pick<Settings, 'memory' | 'frames'>,
  hours: number,
): Promise<KeptIdentity> {
  const principles = await tagged(tx, CONSTITUTIONAL_TAG)
  const others = (await tagged(tx, 'self/*')).filter(({ tags }) => !isConstitutional(tags))
  const scores = await identityScores(tx, others, { weights: frames.self.weights, hours })
  const top = [...others]
    .sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0) || (a.id < b.id ? -1 : 1))
    .slice(0, memory.curateReinforceTop)
  const kept = [...principles, ...top].map(({ id }) => id)
  if (kept.length > 0) await tx.reinforceBlocks(kept, hours)
  return { constitutional: principles.length, others: top.length }
}

async function tagged(tx: StoreReader, tag: string): Promise<readonly Block[]> {
  return (await tx.page({ status: 'active', tag, order: 'recent', limit: IDENTITY_MAX })).blocks
}

/** The additive score of the self frame without a question (Python elfmem). */
async function identityScores(
  tx: StoreReader,
  blocks: readonly Block[],
  { weights, hours }: { readonly weights: Settings['frames']['self']['weights']; readonly hours: number },
): Promise<Map<string, number>> {
  const ids = blocks.map(({ id }) => id)
  const central = centrality(ids, ids.length === 0 ? [] : (await tx.links(ids)).edges)
  const most = blocks.reduce((max, { reinforcementCount }) => Math.max(max, reinforcementCount), 0)
  const queryless = renormalisedWeights(weights)
  const scoreOf = (block: Block): number => {
    const signals = {
      similarity: 0,
      confidence: confidenceOf(block),
      recency: recency(block.decayLambda, hours - block.lastReinforcedAt),
      centrality: central.get(block.id) ?? 0,
      reinforcement: reinforcementNorm(block.reinforcementCount, most),
    }
    return compositeScore(signals, queryless, { belief: betaOf(block) }).score
  }
  return new Map(blocks.map((block) => [block.id, scoreOf(block)]))
}
