import type { Engine } from '../engine/engine.ts'
import type { JudgementCounts, PendingJudgementFilter } from '../store/database.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** The judgement of the inbox and the size of a memory; `attention` if it needs its agent (Python elfmem). */
interface Health {
  readonly health: 'good' | 'attention'
  readonly finding: 'inbox_full' | 'inbox_nearly_full' | 'empty' | 'fine'
}

const NEARLY = 0.8

/** Judges an inbox of `inbox` blocks against the threshold from which a dream is due (> 0). */
export function healthOf(inbox: number, threshold: number, active: number): Health {
  if (inbox >= threshold) return { health: 'attention', finding: 'inbox_full' }
  if (inbox >= threshold * NEARLY) return { health: 'good', finding: 'inbox_nearly_full' }
  return { health: 'good', finding: active === 0 && inbox === 0 ? 'empty' : 'fine' }
}

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

/** More pairs without a label than these are not counted. */
export const PAIRS_COUNTED = 1_000

const HOUR_MS = 3_600_000

/** Selects the active blocks to judge: left pending by a model, and with `pendingOnly` false also never judged ones and those judged `hours` ago. */
export function pendingJudgementFilter(
  { clock }: Pick<Engine, 'clock'>,
  limit: number,
  { pendingOnly = false, hours = 24 * RESCORE.staleDays } = {},
): PendingJudgementFilter {
  const { excludeCategories, excludeTags } = RESCORE
  const judgedBefore = new Date(clock.now() - hours * HOUR_MS).toISOString()
  return { pendingOnly, judgedBefore, excludeCategories, excludeTags, limit }
}

/** Counts of what is still to be judged, and the model that is to do it. */
export interface JudgingState extends JudgementCounts {
  /** Name of the configured model. */
  readonly model?: string
  /** Pairs of active blocks without a label, up to 1,000. */
  readonly unlabelledPairs: number
  /** True if too many blocks lack a fresh judgement. */
  readonly drift: boolean
  /** The step to take when judgements drift. */
  readonly advice: string
}

/**
 * Counts what is still to be judged, from indexes, with the blocks that are never judged anew. Only if that says drift and
 * a model could judge, as many blocks as the limits allow are looked at: the lower of a count and a share of the `active`
 * blocks (Python elfmem).
 */
export async function judgingState(
  engine: Pick<Engine, 'clock' | 'languageModel'>,
  tx: ReadTransaction,
  active: number,
): Promise<JudgingState> {
  const { languageModel } = engine
  const allowed = Math.min(RESCORE.driftCount, Math.floor((active * RESCORE.driftPercent) / 100))
  const filter = pendingJudgementFilter(engine, allowed + 1)
  const { pending, unjudged, stale } = await tx.queries.judgementCounts(filter.judgedBefore)
  const waiting = unjudged + stale
  const seemsDrifting = waiting > allowed
  const isLookedAt = seemsDrifting && languageModel !== undefined
  return {
    ...(languageModel ? { model: languageModel.model } : {}),
    ...{ pending, unjudged, stale },
    unlabelledPairs: (await tx.queries.unlabelledPairs(PAIRS_COUNTED)).length,
    drift: isLookedAt ? (await tx.queries.pendingJudgements(filter)).length > allowed : seemsDrifting,
    advice: `Call dream({ rescore: true, rescoreMax: ${driftRecommendedMax(waiting)} }) at a pause, which has them judged.`,
  }
}

const RESCORE_LEAST = 20
const RESCORE_STEP = 50

/** Returns how many blocks a model should judge again in one go: those that wait, rounded up; 20 if none does (Python elfmem). */
export function driftRecommendedMax(waiting: number): number {
  if (waiting <= 0) return RESCORE_LEAST
  return Math.ceil(Math.max(waiting, RESCORE_LEAST) / RESCORE_STEP) * RESCORE_STEP
}
