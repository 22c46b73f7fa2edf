import type { FrameName } from '../../config/frames.ts'
import { MEANT } from '../../config/match-calibration.ts'
import type { Block } from '../../domain/block/block.ts'
import { meantProbability } from '../../domain/score/score.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { frameFilter } from '../recall/effects.ts'
import { match } from '../recall/match.ts'
import type { ConnectResult, ConnectSpec } from './claim.ts'
import { connect } from './connect.ts'

export interface ConnectByQueryInput extends Omit<ConnectSpec, 'source' | 'target'> {
  readonly sourceQuery: string
  readonly targetQuery: string
  /** Chance that the match is the block meant, 0..1, below which nothing is written. */
  readonly minConfidence: number
  /** Only blocks this frame would show. */
  readonly frame: FrameName
  readonly dryRun: boolean
}

/** A block that may be the one described. */
export interface DescribedBlock {
  readonly block: Block
  /** Chance that it is the one meant, 0..1. */
  readonly confidence: number
}

/** The blocks found for one description: the best match and the runners-up. */
export interface Described {
  readonly best?: DescribedBlock
  readonly runnersUp: readonly DescribedBlock[]
}

export interface ConnectByQueryResult {
  readonly source: Described
  readonly target: Described
  readonly action: 'connected' | 'insufficient_confidence' | 'same_block' | 'dry_run_preview'
  /** Absent when nothing was written. */
  readonly connection?: ConnectResult
}

/** Runners-up shown for each description. */
const RUNNERS_UP = 3

/**
 * Joins two blocks that are described instead of named. What was found is always told with its full content; it is
 * joined only when both matches are likely enough to be the ones meant (W17). Two embeddings.
 */
export async function connectByQuery(
  engine: Engine,
  context: CallContext,
  input: ConnectByQueryInput,
): Promise<ConnectByQueryResult> {
  const { sourceQuery, targetQuery, minConfidence, frame, dryRun, ...said } = input
  await engine.store.read((tx) => engine.index.refresh(tx))
  const source = await describe(engine, context, sourceQuery, frame)
  const target = await describe(engine, context, targetQuery, frame)
  const [one, other] = [source.best, target.best]
  if (!one || !other) return { source, target, action: 'insufficient_confidence' }
  if (one.block.id === other.block.id) return { source, target, action: 'same_block' }
  if (Math.min(one.confidence, other.confidence) < minConfidence)
    return { source, target, action: 'insufficient_confidence' }
  if (dryRun) return { source, target, action: 'dry_run_preview' }
  const connection = await connect(engine, context, {
    ...said,
    source: one.block.id,
    target: other.block.id,
  })
  return { source, target, action: 'connected', connection }
}

async function describe(
  engine: Engine,
  context: CallContext,
  query: string,
  frame: FrameName,
): Promise<Described> {
  const topK = 1 + RUNNERS_UP
  const filter = await frameFilter(engine, engine.settings.frames[frame], {})
  const { matches, blocks: held, constants } = await match(engine, query, { topK, filter, context })
  // By strength alone: that a block answers questions or names its source says nothing about which block is meant.
  const likeliest = [...matches].sort((a, b) => b.strength - a.strength).slice(0, topK)
  // Whoever was archived since the index was refreshed is told all the same; connecting says so.
  const blocks = await engine.store.read((tx) => tx.blocks(likeliest.map(({ facts }) => facts.id)))
  const [first, second] = likeliest
  const described = likeliest.flatMap((found): DescribedBlock[] => {
    const block = blocks.find(({ id }) => id === found.facts.id)
    // Whoever comes after the best is measured against the best.
    const runnerUp = (found === first ? second : first)?.strength ?? 0
    return block
      ? [{ block, confidence: meantProbability({ ...found, runnerUp, blocks: held }, constants, MEANT) }]
      : []
  })
  const [best, ...runnersUp] = described
  return { ...(best ? { best } : {}), runnersUp }
}
