import { driftAllowed, isDrifting } from '../../domain/advice/health.ts'
import type { JudgementCounts, PendingJudgementFilter } from '../../ports/store/queries.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'

const DAY_MS = 86_400_000

/** More pairs without a label than these are not counted. */
const PAIRS_COUNTED = 1_000

/** Constants of judging old blocks anew. */
export const RESCORE = {
  /** Blocks that one call judges anew. */
  mostPerRun: 20,
  /** Hours in which a judged block is left alone. */
  restHours: 24,
  /** Days after which a judgement counts as drift. */
  staleDays: 90,
  /** Drifting blocks above which a word is worth it, once a model is configured. */
  driftCount: 25,
  /** Percent of active blocks, for small memories. */
  driftPercent: 25,
  /** Categories whose blocks say nothing of who the agent is. */
  excludeCategories: ['message', 'mind', 'decision', 'prediction'],
  /** The way out for a single block. */
  excludeTags: ['system/no-rescore'],
} as const

/** Which active blocks want a judgement: those a model did not judge, never judged, or judged longer ago than `RESCORE.staleDays`. */
export function pendingJudgementFilter(
  { clock }: Pick<Engine, 'clock'>,
  limit: number,
): PendingJudgementFilter {
  return {
    pendingOnly: false,
    judgedBefore: staleBefore(clock.now()),
    excludeCategories: RESCORE.excludeCategories,
    excludeTags: RESCORE.excludeTags,
    limit,
  }
}

/** Counts of what is still to be judged, and the model that is to do it. */
export interface JudgingState extends JudgementCounts {
  /** Of the configured model, if there is one. */
  readonly model?: string
  /** Pairs of active blocks without a label, up to 1,000. */
  readonly unlabelledPairs: number
  /** Too many blocks lack a fresh judgement. */
  readonly drift: boolean
}

/**
 * Counts what is still to be judged, from indexes, with the blocks that are never judged anew. Only when that
 * says drift and a model could do something about it, as many blocks as the limits allow are looked at.
 *
 * @param active how many active blocks there are
 */
export async function judgingState(
  engine: Pick<Engine, 'clock' | 'languageModel'>,
  tx: StoreReader,
  active: number,
): Promise<JudgingState> {
  const { clock, languageModel } = engine
  const counts = await tx.judgementCounts(staleBefore(clock.now()))
  const limits = { count: RESCORE.driftCount, percent: RESCORE.driftPercent }
  let drift = isDrifting({ active, ...counts }, limits)
  if (drift && languageModel) {
    const allowed = driftAllowed(active, limits)
    drift = (await tx.pendingJudgements(pendingJudgementFilter(engine, allowed + 1))).length > allowed
  }
  return {
    ...(languageModel ? { model: languageModel.model } : {}),
    pending: counts.pending,
    unjudged: counts.unjudged,
    stale: counts.stale,
    unlabelledPairs: (await tx.unlabelledPairs(PAIRS_COUNTED)).length,
    drift,
  }
}

/** ISO-8601 UTC. */
function staleBefore(now: number): string {
  return new Date(now - RESCORE.staleDays * DAY_MS).toISOString()
}
