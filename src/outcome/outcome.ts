import { type Block, isConstitutional } from '../block/block.ts'
import { count, defined } from '../block/text.ts'
import { embedOptionsOf } from '../engine/embedding.ts'
import {
  actorOf,
  type CallContext,
  type Engine,
  type Moment,
  type Mutation,
  mutate,
} from '../engine/engine.ts'
import type { Settings } from '../engine/settings.ts'
import { ElfmemError } from '../errors.ts'
import { GRAPH, pairsAmong } from '../graph/edge.ts'
import { joinHelped, NO_OUTCOME_EDGES, type OutcomeEdges } from '../graph/joins.ts'
import { recalledAmong } from '../graph/weeks.ts'
import { packUnit } from '../index/columns.ts'
import { resolveIds } from '../intake/check-input.ts'
import { type BlockRow, readBlocks, readRows, reinforceBlocks, saveBlocks } from '../store/blocks.ts'
import { stagePairs } from '../store/graph.ts'
import {
  appendOutcomes,
  type OutcomeRecord,
  type QueuedOutcome,
  queueOutcomes,
  REPORTS_MARK,
  type ReportableRecall,
  readRecalls,
  type StoredQuestion,
  saveEvidence,
  saveMeta,
  takeQueuedOutcomes,
} from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { type BlockReport, LEARNING, type Lesson, roundedProof } from './experience.ts'
import {
  BELIEF,
  confidenceOf,
  penalisedLambda,
  recoveredLambda,
  tierLambda,
  updateEvidence,
} from './formulas.ts'
import { settlePredictions } from './predictions.ts'
import { noteMisled } from './principles.ts'
import { citedIn } from './trace.ts'

/** The input of `outcome` names blocks and says how they did. */
export interface OutcomeInput {
  /** Ids of the blocks that `signal` is about. */
  readonly blockIds?: readonly string[] | undefined
  /** Signal from 0 (misled) to 1 (helped). */
  readonly signal?: number | undefined
  readonly helped?: readonly string[] | undefined
  /** Ids of blocks that were wrong or out of date. */
  readonly misled?: readonly string[] | undefined
  /** Ids of blocks that were not about this question. */
  readonly beside?: readonly string[] | undefined
  /** The recall that the reports are about. */
  readonly recallId?: string | undefined
  /** The text that was said or done with the result of a recall. */
  readonly answer?: string | undefined
  /** `set` says how a whole answer did, not which block did it; `prediction` says with signal 1 or 0 whether predictions came true. */
  readonly about: 'blocks' | 'set' | 'prediction'
  readonly weight: number
  readonly source: string
  readonly allowConstitutional: boolean
}

/** A skipped block is one to which nothing was applied, with the reason. */
export interface Skipped {
  readonly id: string
  readonly reason: 'constitutional' | 'archived' | 'unknown' | 'unpredicted'
}

/** The result of a report counts its changes in blocks and edges; the output of the operation says what each field means. */
export type OutcomeResult = Omit<Awaited<ReturnType<typeof apply>>, 'taken'>

/** Turns a report into belief, decay and edges. A report about a set moves only clocks and staging. Asks no model. */
export async function outcome(
  engine: Engine,
  context: CallContext,
  input: OutcomeInput,
): Promise<OutcomeResult> {
  checkReport(input)
  if (input.about === 'prediction' && !Number.isInteger(input.signal))
    throw refused('A prediction came true or did not.', 'Pass signal: 1 or signal: 0.')
  const { taken, ...result } = await mutate(engine, context, (mutation) =>
    apply(engine, mutation, { input, context }),
  )
  if (taken !== undefined) engine.experience.took(taken.lesson, taken.mark)
  return result
}

async function apply(
  engine: Engine,
  mutation: Mutation,
  { input, context }: { readonly input: OutcomeInput; readonly context: CallContext },
) {
  const { tx } = mutation
  const { weight, source, answer } = input
  const reported = reportsOf(tx, input)
  const named = reported.then(({ reports }) => [...reports.keys()])
  const [{ reports: said, unknown }, asked] = await Promise.all([
    reported,
    recallsOf(engine, tx, { ...input, context }, named),
  ])
  const recall = asked[0]?.recall
  const cited = answer === undefined || recall === undefined ? [] : citedIn(answer, recall.blockIds)
  // A report counts more than a citation.
  const reports = new Map([
    ...cited.map((id) => [id, { signal: 1, weight, beside: false }] as const),
    ...said,
  ])
  const isPrediction = input.about === 'prediction'
  const judged = isPrediction ? new Map<string, BlockReport>() : reports
  const sorted = await sortBlocks(tx, judged, unknown, input.allowConstitutional)
  const isMisled = [...judged.values()].some(({ signal }) => signal < BELIEF.misledBelow)
  const misled = isMisled && (await noteMisled(engine, mutation, { ...sorted, reports: judged, source }))
  const { entry, hasChanged, ...applied }: Applied = isPrediction
    ? await applyToPredictions(mutation, { source, reports, sorted })
    : input.about === 'set'
      ? await applyToSet(engine, mutation, { source, reports, sorted })
      : await applyToBlocks(engine, mutation, { reports, sorted, asked, operation: 'outcome', source })
  engine.session.noteTouched(sorted.active.map(({ id }) => id))
  const living = new Set([...sorted.active, ...sorted.inbox].map(({ id }) => id))
  const isCredited = (id: string): boolean =>
    living.has(id) && (reports.get(id)?.signal ?? 0) > BELIEF.usefulAbove
  return {
    ...applied,
    skipped: sorted.skipped,
    rewordingsAsked: misled ? misled.asked : 0,
    ...defined({ recallId: recall?.id, operationId: hasChanged || misled ? entry : undefined }),
    ...(answer !== undefined && { cites: cited.length > 0, credited: cited.filter(isCredited) }),
  }
}

/** Returns one report a block, in the order given; throws `INVALID_INPUT` for two different ones about the same block. */
async function reportsOf(tx: ReadTransaction, input: OutcomeInput) {
  const { blockIds = [], signal = 1, helped = [], misled = [], beside = [], weight } = input
  const credit = signal > BELIEF.usefulAbove ? signal : 1
  const say = (ids: readonly string[], given: number, isBeside = false) =>
    ids.map((id) => ({ id, report: { signal: given, weight, beside: isBeside } }))
  const given = [...say(blockIds, signal), ...say(helped, credit), ...say(misled, 0), ...say(beside, 0, true)]
  const named = given.map(({ id }) => id)
  const { byGiven, unknown } = await resolveIds(tx, named)
  const reports = new Map<string, BlockReport>()
  for (const { id: said, report } of given) {
    const id = byGiven.get(said.trim())
    if (id === undefined) continue
    const before = reports.get(id) ?? report
    if (before.signal !== report.signal || before.beside !== report.beside)
      throw new ElfmemError('INVALID_INPUT', `Two different things are said about block ${id}.`, {
        recovery: 'Name each block once: in helped, in misled, in beside, or in blockIds.',
        details: { blockId: id },
      })
    reports.set(id, report)
  }
  return { reports, unknown }
}

/** Throws `INVALID_INPUT` for a report that says nothing or contradicts itself; needs no store. */
function checkReport(input: OutcomeInput): void {
  const { blockIds, signal, answer, about, weight } = input
  const byName = [input.helped, input.misled, input.beside].some((ids) => ids !== undefined)
  if (blockIds === undefined && !byName && answer === undefined)
    throw refused(
      'An outcome needs blocks.',
      'Pass helped and misled, the answer that cites them, or blockIds with signal.',
    )
  if (blockIds !== undefined && signal === undefined)
    throw refused('blockIds need a signal.', 'Add signal: 1 for helped, 0 for misled, or anything between.')
  if (about !== 'blocks' && (byName || answer !== undefined))
    throw refused(
      `A report about a ${about} does not say which block helped.`,
      'Pass blockIds with signal, or leave about out.',
    )
  if (blockIds === undefined && signal !== undefined && signal <= BELIEF.usefulAbove)
    throw refused(
      `A signal of ${signal} does not say that a block helped.`,
      `Leave signal out or give one above ${BELIEF.usefulAbove}; name what was wrong in misled.`,
    )
  const isSignal = signal === undefined || (signal >= 0 && signal <= 1)
  if (!isSignal || !(weight > 0 && Number.isFinite(weight)))
    throw refused(
      'A signal lies between 0 and 1 and a weight is a finite number above 0.',
      'Correct the numbers.',
    )
}

function refused(message: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery })
}

/**
 * Returns the recalls that a report is about, newest first: the one that it names; else for an answer the latest of this session and
 * caller; else for each block the newest that returned it. A block that no recall returned goes with the newest of them. Runs two
 * statements.
 */
export async function recallsOf(
  engine: Engine,
  tx: ReadTransaction,
  asked: Pick<OutcomeInput, 'recallId' | 'answer'> & { readonly context: CallContext },
  given: readonly string[] | Promise<readonly string[]>,
): Promise<readonly ReportedRecall[]> {
  const { recallId, answer, context } = asked
  const wanted =
    recallId === undefined ? { limit: LEARNING.reportedWithin } : { limit: 1, id: Number(recallId) }
  const [recalls, blockIds] = await Promise.all([readRecalls(tx, wanted), given])
  if (recallId !== undefined) {
    const [named] = recalls
    if (named !== undefined) return [{ recall: named, blockIds }]
    throw new ElfmemError('NOT_FOUND', `No recall ${recallId} is known any more.`, {
      recovery: `Pass the recallId of one of the last ${LEARNING.recallsKept} recalls with a question, or name the blocks in helped and misled without it.`,
      details: { recallId },
    })
  }
  if (answer !== undefined) {
    const session = engine.session.current?.id
    const isOwn = (each: ReportableRecall) =>
      each.actor === actorOf(engine, context) && each.session === session
    const own = recalls.find(isOwn)
    if (own !== undefined) return [{ recall: own, blockIds }]
    throw new ElfmemError('NOT_FOUND', 'This session has recalled nothing that an answer could cite.', {
      recovery:
        'Pass the recallId of the recall the answer was made of, or name the blocks in helped and misled.',
    })
  }
  const newest = new Map(
    recalls.toReversed().flatMap((recall) => recall.blockIds.map((id) => [id, recall] as const)),
  )
  const first = recalls.find((recall) => blockIds.some((id) => newest.get(id) === recall))
  return [...Map.groupBy(blockIds, (id) => newest.get(id) ?? first)]
    .map(([recall, ids]) => ({ recall, blockIds: ids }))
    .sort((one, other) => (other.recall?.id ?? 0) - (one.recall?.id ?? 0))
}

type Sorted = Awaited<ReturnType<typeof sortBlocks>>

/** Sorts the reported blocks by status, and skips those that take no report. Runs one statement. */
export async function sortBlocks(
  tx: Transaction,
  reports: ReadonlyMap<string, BlockReport>,
  unknown: readonly string[],
  allowConstitutional: boolean,
) {
  const skipped = unknown.map((id): Skipped => ({ id, reason: 'unknown' }))
  const sorted: Record<'active' | 'inbox', BlockRow[]> = { active: [], inbox: [] }
  for (const block of await readRows(tx, reports.keys())) {
    const { id, status, tags } = block
    if (status === 'archived') skipped.push({ id, reason: status })
    else if (!allowConstitutional && isConstitutional(tags)) skipped.push({ id, reason: 'constitutional' })
    else sorted[status].push(block)
  }
  return { ...sorted, skipped }
}

/** Reports that are to be applied to blocks, and the names for the log. */
interface Application {
  /** Name of the operation in the log. */
  readonly operation: string
  /** Source of the reports, for the log and the audit of each block. */
  readonly source: string
  /** The reports were derived from a trace; the log then names their source. */
  readonly isImplicit?: true
  /** Returns the source in the audit of a single block, if it is another. */
  readonly sourceOf?: (id: string) => string
  readonly reports: ReadonlyMap<string, BlockReport>
  readonly sorted: Sorted
  /** Recalls that the reports are about, newest first. */
  readonly asked: readonly ReportedRecall[]
}

/** The changes of a report, and its entry in the log; `hasChanged` is false if there is nothing to undo. */
interface Applied extends ReturnType<typeof countsOf> {
  readonly queued: readonly string[]
  readonly entry: number
  readonly hasChanged: boolean
  readonly taken?: Taken | undefined
  readonly clocksMoved?: number
  readonly predictionsSettled?: number
}

/** Applies reports about single blocks in an open transaction, and logs them as one entry. */
export async function applyToBlocks(
  engine: Engine,
  mutation: Mutation,
  application: Application,
): Promise<Applied> {
  const { operation, source, sourceOf = () => source, reports, sorted, asked } = application
  const { settings } = engine
  const { tx, moment, log } = mutation
  const { active, inbox } = sorted
  const reportOf = ({ id }: Block) => reports.get(id) as BlockReport
  const isBeside = (block: Block): boolean => reportOf(block).beside
  const believed = active.map((block) =>
    believe(block, { ...reportOf(block), source: sourceOf(block.id) }, { settings, moment }),
  )
  const [blocks, records] = [believed.map(({ block }) => block), believed.map(({ record }) => record)]
  const queued = inbox.filter((block) => !isBeside(block))
  const waiting = queued.map((block) => {
    const { signal, weight } = reportOf(block)
    return { blockId: block.id, signal, weight, source: sourceOf(block.id) }
  })
  const living = new Map([...active, ...inbox].map((block) => [block.id, reportOf(block)]))
  const ids = [...living.keys()]
  const helped = [...living].flatMap(([id, { signal, beside }]) =>
    !beside && signal > BELIEF.usefulAbove ? [[id, signal] as const] : [],
  )
  const beside = [...active, ...inbox].filter(isBeside).length
  const changed = believed.filter((_, i) => !isBeside(active[i] as Block))
  const entryOf = ({ displaced }: OutcomeEdges) => ({
    operation,
    blockIds: ids,
    summary: `${application.isImplicit ? `${source}; ` : ''}${count(changed.length, 'block')} updated, ${queued.length} queued${beside > 0 ? `, ${beside} beside the point` : ''}`,
    ...reasonOf(source),
    before: { displaced, ...recalledAmong(helped, asked) },
  })
  const joining = joinHelped(engine, mutation, helped)
  const [{ edges }, entry, taken] = await Promise.all([
    joining,
    joining.then((joined) => log(entryOf(joined.edges))),
    learnByRecall(engine, mutation, living, asked),
    joining.then(({ save }) => save()),
    saveBlocks(tx, blocks, active),
    appendOutcomes(tx, records, BELIEF.reportsKept),
    queueOutcomes(tx, waiting, BELIEF.reportsKept),
  ])
  const counts = countsOf(changed, active, { edges, beside })
  return { ...counts, queued: queued.map(({ id }) => id), entry, hasChanged: taken !== undefined, taken }
}

/**
 * Moves the clocks of a set's blocks and stages their pairs. It adds no evidence and no edge, since nobody said which block helped
 * (lifecycle bench: crediting whole sets cost 2.8 points of recall).
 */
async function applyToSet(
  engine: Engine,
  mutation: Mutation,
  { source, reports, sorted }: Pick<Application, 'source' | 'reports' | 'sorted'>,
): Promise<Applied> {
  const { tx, moment, session } = mutation
  const isUsed = ({ id }: Block) => (reports.get(id)?.signal ?? 0) > BELIEF.usefulAbove
  const used = sorted.active.filter(isUsed)
  const blockIds = used.map(({ id }) => id)
  await saveBlocks(
    tx,
    used.map((block) => useful(block, moment.hours)),
  )
  await stagePairs(tx, pairsAmong(blockIds.slice(0, GRAPH.togetherBlocks)), {
    mark: session,
    threshold: engine.settings.memory.coRetrievalThreshold,
    limit: GRAPH.togetherPairs,
    disconnectedSince: moment.hours - GRAPH.disconnectHours,
  })
  const summary = `a set of ${reports.size} was reported; ${count(used.length, 'clock')} moved`
  return { ...(await noEvidence(mutation, { source, blockIds, summary })), clocksMoved: used.length }
}

/** Settles predictions, which is no evidence about their blocks. Adds the blocks without one to the skipped ones. */
async function applyToPredictions(
  mutation: Mutation,
  { source, reports, sorted }: Pick<Application, 'source' | 'reports' | 'sorted'>,
): Promise<Applied> {
  const verdicts = new Map([...reports].map(([id, { signal }]) => [id, signal === 1]))
  const blockIds = (await settlePredictions(mutation, verdicts)).map(({ blockId }) => blockId)
  const without = [...reports.keys()].filter((id) => !blockIds.includes(id))
  sorted.skipped.push(...without.map((id): Skipped => ({ id, reason: 'unpredicted' })))
  const summary = `${count(blockIds.length, 'prediction')} settled`
  return {
    ...(await noEvidence(mutation, { source, blockIds, summary })),
    predictionsSettled: blockIds.length,
  }
}

/** Logs a report that is no evidence about single blocks. */
async function noEvidence(
  { log }: Mutation,
  {
    source,
    ...entry
  }: { readonly source: string; readonly blockIds: readonly string[]; readonly summary: string },
): Promise<Applied> {
  const counts = countsOf([], [], { edges: NO_OUTCOME_EDGES, beside: 0 })
  const id = await log({ operation: 'outcome', ...entry, ...reasonOf(source) })
  return { ...counts, queued: [], entry: id, hasChanged: entry.blockIds.length > 0 }
}

/** Returns the source of a report as the reason of a log entry; nothing for an empty one. */
function reasonOf(source: string): { readonly reason?: string } {
  return source === '' ? {} : { reason: source }
}

/** Counts the effects of a report on blocks and edges. */
function countsOf(
  believed: readonly Believed[],
  before: readonly Block[],
  { edges, beside }: { readonly edges: OutcomeEdges; readonly beside: number },
) {
  const lambdas = new Map(before.map(({ id, decayLambda }) => [id, decayLambda]))
  const deltas = believed.map(({ record }) => record.confidenceAfter - record.confidenceBefore)
  return {
    ...edges,
    blocksUpdated: believed.length,
    blocksBeside: beside,
    meanConfidenceDelta: deltas.reduce((sum, delta) => sum + delta, 0) / Math.max(1, deltas.length),
    blocksPenalized: believed.filter(({ block }) => block.decayLambda > (lambdas.get(block.id) ?? 0)).length,
  }
}

/** Notes that active blocks informed an answer: their clocks start anew. It never changes belief. Runs four statements. */
export function recordUse(
  engine: Engine,
  context: CallContext,
  { blockIds, source }: { readonly blockIds: readonly string[]; readonly source: string },
) {
  return mutate(engine, context, async ({ tx, moment, log }) => {
    const { ids, unknown } = await resolveIds(tx, blockIds)
    const used = new Set(await reinforceBlocks(tx, ids, moment.hours))
    const unused = ids.filter((id) => !used.has(id))
    const others = await readBlocks(tx, unused)
    await log({
      operation: 'record_use',
      blockIds: [...used],
      summary: `use of ${count(used.size, 'block')}`,
      ...reasonOf(source),
    })
    return {
      blocksReinforced: used.size,
      skipped: [
        ...unknown.map((id) => ({ id, reason: 'unknown' as const })),
        ...others.map(({ id, status }) => ({
          id,
          reason: status === 'inbox' ? status : ('archived' as const),
        })),
      ],
    }
  })
}

type Believed = ReturnType<typeof believe>

/**
 * Returns a block after a report, and the record of it. Evidence always counts. If the block helped, its clocks start anew and a penalty
 * lessens; if it misled, it fades faster; if it was beside the point, nothing changes.
 */
function believe(
  block: Block,
  { signal, weight, source, beside = false }: Omit<QueuedOutcome, 'blockId'> & { readonly beside?: boolean },
  { settings, moment }: { readonly settings: Settings; readonly moment: Moment },
) {
  const updated = { ...block, ...updateEvidence(block, { signal, weight }) }
  const after = beside ? block : moved(updated, signal, { settings, moment })
  const [confidenceBefore, confidenceAfter] = [confidenceOf(block), confidenceOf(after)]
  const said = { blockId: block.id, signal, weight, source, at: moment.at }
  const record: OutcomeRecord = { ...said, confidenceBefore, confidenceAfter }
  return { block: after, record }
}

/** Returns the block with its clocks at `hours`, as after every act that says that it was useful. */
function useful(block: Block, hours: number): Block {
  const reinforcementCount = block.reinforcementCount + 1
  return { ...block, reinforcementCount, lastReinforcedAt: hours, lastUsefulAt: hours }
}

function moved(
  block: Block,
  signal: number,
  { settings: { decay }, moment }: { readonly settings: Settings; readonly moment: Moment },
): Block {
  if (signal > BELIEF.usefulAbove) {
    const decayLambda = recoveredLambda(block.decayLambda, tierLambda(block, decay), BELIEF.penaltyFactor)
    return { ...useful(block, moment.hours), decayLambda }
  }
  if (signal >= BELIEF.misledBelow) return block
  const { penaltyFactor: factor, decayMost: ceiling, immuneAt } = BELIEF
  return { ...block, decayLambda: penalisedLambda(block.decayLambda, { factor, ceiling, immuneAt }) }
}

/**
 * Applies the reports about blocks that came while they waited, oldest first, and writes the audit. Returns the given blocks, in their
 * order, changed where a report was queued; dream saves them. Runs two statements.
 */
export async function applyQueuedOutcomes(
  tx: Transaction,
  blocks: readonly Block[],
  stamp: { readonly settings: Settings; readonly moment: Moment },
): Promise<Block[]> {
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const queued = await takeQueuedOutcomes(tx, [...byId.keys()])
  if (queued.length === 0) return [...blocks]
  const records: OutcomeRecord[] = []
  for (const report of queued) {
    const block = byId.get(report.blockId)
    if (block === undefined) continue
    const believed = believe(block, report, stamp)
    byId.set(block.id, believed.block)
    records.push(believed.record)
  }
  await appendOutcomes(tx, records, BELIEF.reportsKept)
  return blocks.map((block) => byId.get(block.id) ?? block)
}

/** A recall of a report, and the blocks of the report that it returned. */
interface ReportedRecall {
  /** Undefined if no recent recall returned any of them. */
  readonly recall: ReportableRecall | undefined
  readonly blockIds: readonly string[]
}

/** A taken lesson has the mark under which it was written. */
export type Taken = { readonly lesson: Lesson; readonly mark: string }

/**
 * Stores reports about living blocks under the question of each recall, the oldest first. Returns the last lesson, which the cache takes in
 * once it is committed.
 */
async function learnByRecall(
  engine: Engine,
  { tx, moment }: Mutation,
  reports: ReadonlyMap<string, BlockReport>,
  asked: readonly ReportedRecall[],
): Promise<Taken | undefined> {
  const { experience, index, ids } = engine
  let taken: Taken | undefined
  for (const { recall, blockIds } of asked.toReversed()) {
    // The next lesson is learned on top of this one; if nothing is committed, the mark differs and the cache is read anew.
    if (taken !== undefined) experience.took(taken.lesson, taken.mark)
    const own = asked.length === 1 ? reports : new Map([...reports].filter(([id]) => blockIds.includes(id)))
    if (own.size === 0) continue
    await experience.refresh(tx, index.generation)
    // Random ids are expensive on some systems; one serves as the mark and as the question's id.
    const mark = ids.random()
    const lesson = experience.learn(own, recall, { hours: moment.hours, newId: mark })
    const { proof, ...change } = lesson
    const state = { [experience.proofKey]: JSON.stringify(roundedProof(proof)), [REPORTS_MARK]: mark }
    await saveEvidence(tx, { ...change, state })
    taken = { lesson, mark }
  }
  return taken
}

/** Makes every reader of reports, in this and other processes, read them anew. */
export async function markReports(tx: Transaction, mark: string): Promise<void> {
  await saveMeta(tx, REPORTS_MARK, mark)
}

/**
 * Embeds the newest questions that have no vector, because they were asked elsewhere or the model has changed. If the embedder fails, they
 * wait for another dream, and this one does not fail.
 */
export async function newQuestionVectors(engine: Engine, context: CallContext): Promise<StoredQuestion[]> {
  const { store, experience, index, embedder } = engine
  await store.read((tx) => experience.refresh(tx, index.generation))
  const lacking = experience.lacking(128)
  if (lacking.length === 0) return []
  const texts = lacking.map(({ text }) => engine.index.read(text ?? '').toEmbed)
  const vectors = await embedder.embed(texts, embedOptionsOf(context)).catch((error: unknown) => {
    if (ElfmemError.is(error) && error.code === 'EMBEDDER_FAILED') return []
    throw error
  })
  return lacking
    .slice(0, vectors.length)
    .map((question, i) => ({ ...question, vector: packUnit(vectors[i] ?? new Float32Array()) }))
}

/** Keeps vectors of questions, except of questions that are gone meanwhile. */
export async function saveQuestionVectors(
  { experience, index, ids }: Engine,
  tx: Transaction,
  questions: readonly StoredQuestion[],
): Promise<void> {
  if (questions.length === 0) return
  await experience.refresh(tx, index.generation)
  const wanted = new Map(experience.lacking(questions.length).map((each) => [each.id, each]))
  const kept = questions.flatMap(({ id, vector }) => {
    const question = wanted.get(id)
    return question === undefined || vector === undefined ? [] : [{ ...question, vector }]
  })
  const gone = { goneQuestions: [], goneEvidence: [] }
  await saveEvidence(tx, { questions: kept, evidence: [], ...gone, state: { [REPORTS_MARK]: ids.random() } })
}
