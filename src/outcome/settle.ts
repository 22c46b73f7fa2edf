import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { resolveIds } from '../intake/check-input.ts'
import { correctionRule } from '../language/choose.ts'
import { readRecalls } from '../store/evidence.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { applyToBlocks, recallsOf, type Skipped, sortBlocks, type Taken } from './outcome.ts'
import type { Trace } from './trace.ts'
import { type SignalName, type Verdict, verdictsOf } from './verdicts.ts'

/** Who wrote a trace down: hooks of a coding agent, an adapter of a framework, or a program that asks by itself. */
type TraceOrigin = 'hooks' | 'adapters' | 'program'

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

type Settled = SettleResult & { readonly taken?: Taken | undefined }

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
  const verdicts = verdictsOf(trace, correctionRule(recall.language))
  if (verdicts.length === 0) return NOTHING
  const mark = markOf(engine, trace)
  const before: Settled = { ...NOTHING, passedOver: 'before' }
  if (await engine.store.read((tx) => isSettled(tx, mark))) return before
  const { taken, ...result } = await mutate(engine, context, async (mutation) => {
    // Another process may have settled it since.
    if (await isSettled(mutation.tx, mark)) return before
    await noteSettled(mutation.tx, mark)
    return apply(engine, mutation, { context, trace, verdicts })
  })
  if (taken !== undefined) engine.experience.took(taken.lesson, taken.mark)
  return result
}

async function apply(
  engine: Engine,
  mutation: Mutation,
  {
    context,
    trace,
    verdicts,
  }: { readonly context: CallContext; readonly trace: Trace; readonly verdicts: readonly Verdict[] },
): Promise<Settled> {
  const { tx } = mutation
  const judged = verdicts.map(({ id }) => id)
  const { byGiven } = await resolveIds(tx, judged, { ambiguous: 'report' })
  const verdictOf = new Map(
    verdicts.flatMap((verdict) => {
      const id = byGiven.get(verdict.id)
      return id === undefined ? [] : [[id, { ...verdict, id }] as const]
    }),
  )
  const reports = new Map(
    [...verdictOf].map(([id, { says, weight }]) => [
      id,
      { signal: says === 'helped' ? 1 : 0, weight, beside: false },
    ]),
  )
  const sorted = await sortBlocks(tx, { reports, unknown: judged.filter((id) => !byGiven.has(id)) }, false)
  const living = [...sorted.active, ...sorted.inbox].map(({ id }) => id)
  const applied = living.flatMap((id) => verdictOf.get(id) ?? [])
  engine.session.noteTouched(sorted.active.map(({ id }) => id))
  if (applied.length === 0) return { ...NOTHING, skipped: sorted.skipped }
  const recallId = await knownRecall(tx, trace)
  const { entry, queued, taken } = await applyToBlocks(engine, mutation, {
    ...{ reports, sorted, operation: 'settle', isImplicit: true },
    asked: await recallsOf(engine, tx, { recallId, context }, living),
    source: sourceOf(applied.flatMap(({ signals }) => signals)),
    sourceOf: (id) => sourceOf(verdictOf.get(id)?.signals ?? []),
  })
  return { verdicts: applied, queued, skipped: sorted.skipped, operationId: entry, taken }
}

/** As the log and the audit of blocks have it. */
function sourceOf(signals: readonly SignalName[]): string {
  return `implicit: ${[...new Set(signals)].join(', ')}`
}

/** Returns the recall of a trace while it may be reported on; undefined stands for the newest that showed a block. */
async function knownRecall(tx: ReadTransaction, { recallId }: Trace): Promise<string | undefined> {
  if (recallId === undefined) return undefined
  const [known] = await readRecalls(tx, { limit: 1, id: Number(recallId) })
  return known === undefined ? undefined : recallId
}

/** Characters of a mark: enough to tell all traces of a memory apart. */
const MARK_LENGTH = 16
/** Characters that choose the row of a mark. */
const ROW_LENGTH = 2
/** Marks in one of 256 rows: the newest 8,192 traces or so are known. */
const MARKS_MOST = 32

/** A trace that is settled once: nothing of it is kept but a hash, in a row of `meta`. */
interface SettledMark {
  readonly key: string
  readonly mark: string
}

/** Returns the mark of a message of a conversation in a scope. */
function markOf({ ids, scope = '' }: Engine, { conversation, message }: Trace): SettledMark {
  const mark = ids.sha256(JSON.stringify([scope, conversation, message])).slice(0, MARK_LENGTH)
  return { key: `settled_traces ${mark.slice(0, ROW_LENGTH)}`, mark }
}

/** True if that trace was settled before; an undo changes nothing of that. */
async function isSettled(tx: ReadTransaction, { key, mark }: SettledMark): Promise<boolean> {
  return (await readMeta(tx, key))?.split(' ').includes(mark) ?? false
}

/** Notes that a trace is settled; the oldest mark of a full row goes. */
async function noteSettled(tx: Mutation['tx'], { key, mark }: SettledMark): Promise<void> {
  const marks = [...((await readMeta(tx, key))?.split(' ') ?? []), mark]
  await saveMeta(tx, key, marks.slice(-MARKS_MOST).join(' '))
}
