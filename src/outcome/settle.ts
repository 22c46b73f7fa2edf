import { preview, shownLine } from '../block/text.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../engine/engine.ts'
import { guardSecrets, resolveIds } from '../intake/check-input.ts'
import { correctionRule } from '../language/question.ts'
import { readMeta, readRecalls, saveMeta } from '../store/log.ts'
import type { BlockReport } from './experience.ts'
import { applyToBlocks, recallsOf, type Skipped, sortBlocks, type Taken } from './outcome.ts'
import { type Lesson, lessonOf, type SignalName, type Trace, type Verdict, verdictsOf } from './trace.ts'

/** The writer of a trace: hooks of a coding agent, or a program that calls by itself. */
type TraceOrigin = 'hooks' | 'program'

/** A proposed strategy is what a trace teaches, and a draft of the words; nothing is stored. */
interface ProposedStrategy extends Lesson {
  readonly draft: string
}

/** The result of settling a trace has the verdicts that count. */
export interface SettleResult {
  /** Reason why nothing was done: implicit outcomes are off, or this trace was settled before. */
  readonly passedOver?: 'off' | 'before'
  /** The verdicts that were applied. */
  readonly verdicts: readonly Verdict[]
  /** Waiting blocks whose verdicts a dream applies. */
  readonly queued: readonly string[]
  readonly skipped: readonly Skipped[]
  /** Number of the log entry; absent if nothing changed. */
  readonly operationId?: number
  /** Present if a check that failed passes after a change. */
  readonly strategy?: ProposedStrategy
}

type Settled = SettleResult & { readonly taken?: Taken | undefined }

const NOTHING: SettleResult = { verdicts: [], queued: [], skipped: [] }

/**
 * Turns a trace into reports with the source `implicit: <signal>`, in one transaction and once for each message of a conversation. Writes
 * nothing if the trace has no verdict.
 */
export async function settle(
  engine: Engine,
  context: CallContext,
  trace: Trace,
  origin: TraceOrigin,
): Promise<SettleResult> {
  const { implicit, recall } = engine.settings
  if (origin === 'hooks' && !implicit.hooks) return { ...NOTHING, passedOver: 'off' }
  const verdicts = verdictsOf(trace, correctionRule(recall.language))
  const proposed = await proposedBy(engine, trace)
  if (verdicts.length === 0) return { ...NOTHING, ...proposed }
  const mark = markOf(engine, trace)
  const before: Settled = { ...NOTHING, passedOver: 'before' }
  const { taken, ...result } = await mutate(engine, context, async (mutation) => {
    const marks = (await readMeta(mutation.tx, SETTLED))?.split(' ') ?? []
    if (marks.includes(mark)) return before
    await saveMeta(mutation.tx, SETTLED, [...marks, mark].slice(-512).join(' '))
    return apply(engine, mutation, { context, trace, verdicts })
  })
  if (taken !== undefined) engine.experience.took(taken.lesson, taken.mark)
  return result.passedOver === undefined ? { ...result, ...proposed } : result
}

/** Bounds of a proposal: characters of a command or a path, and number of paths. */
const PROPOSED = { characters: 200, paths: 5 } as const

/** Returns the strategy that a trace suggests, without secrets, each text on one line. */
async function proposedBy({ settings }: Engine, trace: Trace): Promise<Pick<SettleResult, 'strategy'>> {
  const lesson = lessonOf(trace)
  if (lesson === undefined) return {}
  const { failed, changed } = lesson
  const secrets = settings.memory.secrets === 'keep' ? 'keep' : 'redact'
  const { input } = await guardSecrets({ failed, changed: changed.slice(0, PROPOSED.paths) }, secrets)
  const line = (text: string) => preview(shownLine(text), PROPOSED.characters)
  const told = { ...lesson, failed: line(input.failed), changed: input.changed.map(line) }
  return { strategy: { ...told, draft: `when ${told.failed} fails, look at ${told.changed.join(', ')}` } }
}

async function apply(
  engine: Engine,
  mutation: Mutation,
  given: { readonly context: CallContext; readonly trace: Trace; readonly verdicts: readonly Verdict[] },
): Promise<Settled> {
  const { context, trace, verdicts } = given
  const { tx } = mutation
  const judged = verdicts.map(({ id }) => id)
  const { byGiven } = await resolveIds(tx, judged, { ambiguous: 'report' })
  const verdictOf = new Map<string, Verdict>()
  const reports = new Map<string, BlockReport>()
  for (const verdict of verdicts) {
    const id = byGiven.get(verdict.id)
    if (id === undefined) continue
    verdictOf.set(id, { ...verdict, id })
    reports.set(id, { signal: verdict.says === 'helped' ? 1 : 0, weight: verdict.weight, beside: false })
  }
  const sorted = await sortBlocks(
    tx,
    reports,
    judged.filter((id) => !byGiven.has(id)),
    false,
  )
  const living = [...sorted.active, ...sorted.inbox].map(({ id }) => id)
  const applied = living.flatMap((id) => verdictOf.get(id) ?? [])
  engine.session.noteTouched(sorted.active.map(({ id }) => id))
  if (applied.length === 0) return { ...NOTHING, skipped: sorted.skipped }
  // If its recall is not known any more, the trace is about the newest recall that showed a block.
  const isKnown =
    trace.recallId !== undefined &&
    (await readRecalls(tx, { limit: 1, id: Number(trace.recallId) })).length > 0
  const recallId = isKnown ? trace.recallId : undefined
  const { entry, queued, taken } = await applyToBlocks(engine, mutation, {
    ...{ reports, sorted, operation: 'settle', isImplicit: true },
    asked: await recallsOf(engine, tx, { recallId, context }, living),
    source: sourceOf(applied.flatMap(({ signals }) => signals)),
    sourceOf: (id) => sourceOf(verdictOf.get(id)?.signals ?? []),
  })
  return { verdicts: applied, queued, skipped: sorted.skipped, operationId: entry, taken }
}

/** Returns the source of a verdict in the log and in the audit of blocks. */
function sourceOf(signals: readonly SignalName[]): string {
  return `implicit: ${[...new Set(signals)].join(', ')}`
}

/** Key of `meta` for the marks of the newest settled traces. An undo does not change them. */
const SETTLED = 'settled_traces'

/** Returns the mark of a trace, a hash, by which it is settled only once. */
function markOf({ ids, scope = '' }: Engine, { conversation, message }: Trace): string {
  return ids.sha256(JSON.stringify([scope, conversation, message])).slice(0, 16)
}
