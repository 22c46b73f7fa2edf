import type { Trace } from '../../domain/attribution/trace.ts'
import { type SignalName, type Verdict, verdictsOf } from '../../domain/attribution/verdicts.ts'
import type { BlockReport } from '../../domain/score/experience.ts'
import { defined } from '../../domain/text/text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { correctionRule } from '../../search/language/corrections.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { resolveIds } from '../guard/check-input.ts'
import { recallsOf } from './attribution.ts'
import type { Taken } from './learn.ts'
import { applyToBlocks, sortBlocks } from './outcome.ts'
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
  /** Waiting blocks whose verdicts a dream applies. */
  readonly queued: readonly string[]
  readonly skipped: readonly Skipped[]
  /** The entry of the log; absent when nothing changed. */
  readonly operationId?: number
}

const NOTHING: SettleResult = { verdicts: [], queued: [], skipped: [] }

/**
 * Turns a trace into reports with the source `implicit: <signal>`, in one transaction and once a message of a conversation.
 * Nothing is written if the trace says nothing.
 */
export async function settle(
  engine: Engine,
  context: CallContext,
  trace: Trace,
  origin: TraceOrigin,
): Promise<SettleResult> {
  const { implicit, recall } = engine.settings
  if (origin !== 'program' && !implicit[origin]) return { ...NOTHING, passedOver: 'off' }
  const { checkWeight: check, citationWeight: citation, correctionWeight: correction } = implicit
  const verdicts = verdictsOf(trace, {
    weights: { check, citation, correction },
    isCorrection: correctionRule(recall.language),
  })
  if (verdicts.length === 0) return NOTHING
  const mark = markOf(engine, trace)
  const before = await engine.store.read(async (tx) => {
    const known = await isSettled(tx, mark)
    // What replaced a block that misled is looked for in the index.
    if (!known && verdicts.some(({ says }) => says === 'misled')) await engine.index.refresh(tx)
    return known
  })
  if (before) return { ...NOTHING, passedOver: 'before' }
  const { taken, ...result } = await mutate(engine, context, async (mutation) => {
    // Another process may have settled it since.
    if (await isSettled(mutation.tx, mark)) return { ...NOTHING, passedOver: 'before' as const }
    await noteSettled(mutation.tx, mark)
    return apply(engine, mutation, context, { trace, verdicts })
  })
  if (taken !== undefined) engine.experience.took(taken.lesson, taken.mark)
  return result
}

async function apply(
  engine: Engine,
  mutation: Mutation,
  context: CallContext,
  { trace, verdicts }: { readonly trace: Trace; readonly verdicts: readonly Verdict[] },
): Promise<SettleResult & { readonly taken?: Taken | undefined }> {
  const { tx } = mutation
  const judged = verdicts.map(({ id }) => id)
  const { byGiven } = await resolveIds(tx, judged, { ambiguous: 'report' })
  const verdictOf = new Map(
    verdicts.flatMap((verdict) => {
      const id = byGiven.get(verdict.id)
      return id === undefined ? [] : [[id, { ...verdict, id }] as const]
    }),
  )
  const reports = new Map([...verdictOf].map(([id, verdict]) => [id, reportOf(verdict)] as const))
  const sorted = await sortBlocks(tx, { reports, unknown: judged.filter((id) => !byGiven.has(id)) }, false)
  const living = [...sorted.active, ...sorted.inbox].map(({ id }) => id)
  const applied = living.flatMap((id) => verdictOf.get(id) ?? [])
  engine.session.noteTouched(sorted.active.map(({ id }) => id))
  if (applied.length === 0) return { ...NOTHING, skipped: sorted.skipped }
  const recallId = await knownRecall(tx, trace)
  const asked = await recallsOf(engine, tx, { ...QUIET, ...defined({ recallId }) }, context, living)
  const { entry, queued, taken } = await applyToBlocks(engine, mutation, {
    ...{ reports, sorted, asked, uncited: new Set<string>(), operation: 'settle', isImplicit: true },
    source: sourceOf(applied.flatMap(({ signals }) => signals)),
    sourceOf: (id) => sourceOf(verdictOf.get(id)?.signals ?? []),
  })
  return { verdicts: applied, queued, skipped: sorted.skipped, operationId: entry, taken }
}

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
