import type { Settings } from '../../config/settings.ts'
import type { Trace } from '../../domain/attribution/trace.ts'
import { settledOf, type Verdict } from '../../domain/attribution/verdicts.ts'
import type { SignalName } from '../../domain/attribution/walk.ts'
import type { BlockReport } from '../../domain/score/experience.ts'
import { count, defined } from '../../domain/text/text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { correctionRule } from '../../search/language/corrections.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { resolveIds } from '../guard/resolve-ids.ts'
import { recallsOf } from './attribution.ts'
import type { Taken } from './learn.ts'
import { applyToBlocks, keepFresh, sortBlocks } from './outcome.ts'
import type { Skipped } from './result.ts'
import { isSettled, markOf, noteSettled } from './settled-marks.ts'

/** Who wrote a trace down: hooks of a coding agent, an adapter of a framework, or a program that asks by itself. */
export type TraceOrigin = 'hooks' | 'adapters' | 'program'

/** The result of settling a trace. */
export interface SettleResult {
  /** Why nothing was done: implicit outcomes are off, or this trace was settled before. */
  readonly passedOver?: 'off' | 'before'
  /** The verdicts that were applied. */
  readonly verdicts: readonly Verdict[]
  /** Blocks that were used, of which nobody knows how it went. */
  readonly kept: readonly string[]
  /** Waiting blocks whose verdicts a dream applies. */
  readonly queued: readonly string[]
  readonly skipped: readonly Skipped[]
  /** The entry of the log; absent when nothing changed. */
  readonly operationId?: number
}

const NOTHING: SettleResult = { verdicts: [], kept: [], queued: [], skipped: [] }

/**
 * Turns a trace into reports with the source `implicit: <signal>`, in one transaction and once a message of a conversation. Blocks
 * that were used stay fresh. Nothing is written if the trace says nothing.
 */
export async function settle(
  engine: Engine,
  context: CallContext,
  trace: Trace,
  origin: TraceOrigin,
): Promise<SettleResult> {
  const { implicit, recall } = engine.settings
  if (origin !== 'program' && !implicit[origin]) return { ...NOTHING, passedOver: 'off' }
  const { terms } = engine.analysis.language
  const found = settledOf(trace, {
    weights: weightsOf(implicit),
    isCorrection: correctionRule(recall.language),
    comparing: { terms, enoughWords: implicit.enoughWords, firstBlocks: implicit.firstBlocks },
  })
  if (found.verdicts.length === 0 && found.used.length === 0) return NOTHING
  const mark = markOf(engine, trace)
  const before = await engine.store.read(async (tx) => {
    const known = await isSettled(tx, mark)
    // What replaced a block that misled is looked for in the index.
    if (!known && found.verdicts.some(({ says }) => says === 'misled')) await engine.index.refresh(tx)
    return known
  })
  if (before) return { ...NOTHING, passedOver: 'before' }
  const { taken, ...result } = await mutate(engine, context, async (mutation) => {
    // Another process may have settled it since.
    if (await isSettled(mutation.tx, mark)) return { ...NOTHING, passedOver: 'before' as const }
    await noteSettled(mutation.tx, mark)
    return apply(engine, mutation, context, { trace, ...found })
  })
  if (taken !== undefined) engine.experience.took(taken.lesson, taken.mark)
  return result
}

interface Found {
  readonly trace: Trace
  readonly verdicts: readonly Verdict[]
  readonly used: readonly string[]
}

async function apply(
  engine: Engine,
  mutation: Mutation,
  context: CallContext,
  { trace, verdicts, used }: Found,
): Promise<SettleResult & { readonly taken?: Taken | undefined }> {
  const { tx, log } = mutation
  const judged = verdicts.map(({ id }) => id)
  const { byGiven } = await resolveIds(tx, [...judged, ...used], { ambiguous: 'report' })
  const wholeIds = (ids: readonly string[]) => ids.flatMap((id) => byGiven.get(id) ?? [])
  const verdictOf = new Map(
    verdicts.flatMap((verdict) => {
      const id = byGiven.get(verdict.id)
      return id === undefined ? [] : [[id, { ...verdict, id }] as const]
    }),
  )
  const reports = new Map([...verdictOf].map(([id, verdict]) => [id, reportOf(verdict)] as const))
  const sorted = await sortBlocks(tx, { reports, unknown: judged.filter((id) => !byGiven.has(id)) }, false)
  const seen = await sortBlocks(
    tx,
    { reports: new Map(wholeIds(used).map((id) => [id, FRESH])), unknown: [] },
    false,
  )
  await keepFresh(engine, mutation, seen.active)
  const kept = seen.active.map(({ id }) => id)
  const living = [...sorted.active, ...sorted.inbox].map(({ id }) => id)
  const applied = living.flatMap((id) => verdictOf.get(id) ?? [])
  engine.session.noteTouched([...sorted.active.map(({ id }) => id), ...kept])
  if (applied.length === 0) {
    const nothing = { ...NOTHING, skipped: sorted.skipped }
    if (kept.length === 0) return nothing
    const summary = `implicit: use of ${count(kept.length, 'block')}`
    const operationId = await log({ operation: 'settle', blockIds: kept, summary, reason: 'implicit: use' })
    return { ...nothing, kept, operationId }
  }
  const recallId = await knownRecall(tx, trace)
  const asked = await recallsOf(engine, tx, { ...QUIET, ...defined({ recallId }) }, context, living)
  const { entry, queued, taken } = await applyToBlocks(engine, mutation, {
    ...{ reports, sorted, asked, uncited: new Set<string>(), operation: 'settle', isImplicit: true },
    source: sourceOf(applied.flatMap(({ signals }) => signals)),
    sourceOf: (id) => sourceOf(verdictOf.get(id)?.signals ?? []),
  })
  return { verdicts: applied, kept, queued, skipped: sorted.skipped, operationId: entry, taken }
}

const FRESH: BlockReport = { signal: 1, weight: 1, beside: false }
/** Of a report only the recall counts here. */
const QUIET = { about: 'blocks', weight: 1, source: '', allowConstitutional: false } as const

function reportOf({ says, weight }: Verdict): BlockReport {
  return { signal: says === 'helped' ? 1 : 0, weight, beside: false }
}

/** As the log and the audit of blocks have it. */
function sourceOf(signals: readonly SignalName[]): string {
  return `implicit: ${[...new Set(signals)].join(', ')}`
}

/** The recall of a trace, as long as it may be reported on; the newest that showed a block otherwise. */
async function knownRecall(tx: StoreReader, { recallId }: Trace): Promise<string | undefined> {
  if (recallId === undefined) return undefined
  const [known] = await tx.recalls({ limit: 1, id: Number(recallId) })
  return known === undefined ? undefined : recallId
}

/** The weight of each signal; 0 of one that is off. */
function weightsOf(implicit: Settings['implicit']): Readonly<Record<SignalName, number>> {
  const { tool, check, commit, citation, revert, retry, correction } = implicit
  return {
    tool: tool ? implicit.toolWeight : 0,
    check: check ? implicit.checkWeight : 0,
    commit: commit ? implicit.commitWeight : 0,
    citation: citation ? implicit.citationWeight : 0,
    revert: revert ? implicit.revertWeight : 0,
    retry: retry ? implicit.retryWeight : 0,
    correction: correction ? implicit.correctionWeight : 0,
  }
}
