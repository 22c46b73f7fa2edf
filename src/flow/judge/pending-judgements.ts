import type { Settings } from '../../config/settings.ts'
import { driftAllowed, isDrifting } from '../../domain/advice/health.ts'
import type { JudgementCounts, PendingJudgementFilter } from '../../ports/store/queries.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'

const DAY_MS = 86_400_000

/** More pairs without a label than these are not counted. */
const PAIRS_COUNTED = 1_000

/** Which active blocks want a judgement: those a model did not judge, never judged, or judged longer ago than `rescore.targetMaxAgeDays`. */
export function pendingJudgementFilter(
  { settings: { rescore }, clock }: Pick<Engine, 'settings' | 'clock'>,
  limit: number,
): PendingJudgementFilter {
  return {
    pendingOnly: false,
    judgedBefore: staleBefore(rescore, clock.now()),
    excludeCategories: rescore.excludeCategories,
    excludeTags: rescore.excludeTags,
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
  engine: Pick<Engine, 'settings' | 'clock' | 'languageModel'>,
  tx: StoreReader,
  active: number,
): Promise<JudgingState> {
  const { settings, clock, languageModel } = engine
  const counts = await tx.judgementCounts(staleBefore(settings.rescore, clock.now()))
  const limits = { count: settings.rescore.driftWarningCount, percent: settings.rescore.driftWarningPercent }
  let drift = isDrifting({ active, ...counts }, limits)
  if (drift && languageModel) {
    const allowed = driftAllowed(active, limits)
    drift =
      settings.rescore.enabled &&
      (await tx.pendingJudgements(pendingJudgementFilter(engine, allowed + 1))).length > allowed
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
function staleBefore({ targetMaxAgeDays }: Settings['rescore'], now: number): string {
  return new Date(now - targetMaxAgeDays * DAY_MS).toISOString()
}
