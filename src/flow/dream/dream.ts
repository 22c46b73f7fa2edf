import { nextBatchSize } from '../../domain/advice/rest.ts'
import { count } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoredQuestion } from '../../store/rules/evidence.ts'
import { letGoOfModel } from '../blocks/embed-waiting.ts'
import { curateIfDue } from '../curate/curate.ts'
import { recordDream } from '../engine/dream-policy.ts'
import { embedderMismatch, keepBackground, matchesLock, readEmbeddingLock } from '../engine/embedding.ts'
import { type CallContext, type Engine, nextTurn, ownKey } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { keepIndex, trimChanges } from '../engine/upkeep.ts'
import { llmTokens, noteTrouble, UsageMeter } from '../engine/usage.ts'
import { JUDGING } from '../judge/judge.ts'
import type { OpenedJudge } from '../judge/open-judge.ts'
import { newQuestionVectors, saveQuestionVectors } from '../outcome/learn.ts'
import type { PromotionTools } from './activate.ts'
import { Batches, candidatesOf, type Prepared, TagsByWords } from './batches.ts'
import { type DreamRequest, DreamResult, recordOf } from './dream-result.ts'
import { analyse, groundsByHost, hostedBy, labelByHost, labelByModel, rescore } from './judging.ts'
import { promote } from './promote.ts'

const LAST_DREAM_KEY = 'last_consolidated_at'

/** So many batches are judged at once while one is promoted; without a model one is embedded. */
const BATCHES_JUDGED = 3

/**
 * Inbox → active: embed what is new, judge it when a model or the host does, recognise what is known, link what belongs
 * together, and label what was linked. Nothing is embedded twice, and blocks are promoted whole, those embedded together
 * in one transaction: whenever a dream ends, by time, by a signal or by a kill, the next one goes on with what still
 * waits. A model that fails costs judgements, never blocks: they are promoted by rule, and their judgement stays pending.
 *
 * Throws `EMBEDDER_MISMATCH` before any work, `EMBEDDER_FAILED` and `CANCELLED` with what was done in `details`.
 * Cost per block: one embedding, one vector scan, one commit; with a model a fifth of a call, and one call for 20 edges.
 */
export async function dream(engine: Engine, request: DreamRequest, given: CallContext): Promise<DreamResult> {
  const { embedding } = engine
  embedding.dreams += 1
  try {
    await embedding.queue
    return await dreamAlone(engine, request, given)
  } finally {
    embedding.dreams -= 1
  }
}

async function dreamAlone(engine: Engine, request: DreamRequest, given: CallContext): Promise<DreamResult> {
  const meter = given.meter ?? new UsageMeter()
  const context = { ...given, meter, run: given.run ?? engine.ids.random() }
  const started = engine.clock.now()
  const waiting = await prepare(engine)
  const total = Math.min(waiting, request.maxCount ?? waiting)
  const opened = await openedJudge(engine, request, context)
  // What nobody asked for costs nothing; a dream that somebody asks for has it judged.
  const judgesLater = request.pace !== undefined && opened === undefined && engine.languageModel !== undefined
  const result = new DreamResult(meter)
  const run: Run = {
    engine,
    request,
    context,
    result,
    total,
    opened,
    tagsByWords: new TagsByWords(engine),
    judgesLater,
    tools: {
      keepsPairs: opened !== undefined || judgesLater,
    },
    started,
    deadline: started + request.maxSeconds * 1000,
  }
  try {
    const ended = await promoteWaiting(run).catch((error): Ended => {
      // Closing a memory calls a dream at rest off, wherever it is; what it did stays and is logged.
      if (request.pace && context.signal?.aborted) return 'called off'
      throw error
    })
    await judgeMore(run, ended !== 'whole')
    await groundsByHost(engine, context, request.hostAnalyses, result)
    await finish(run, ended !== 'called off')
    result.modelTrouble = opened?.judge.trouble
    result.outOfTime = ended === 'out of time' && result.inboxRemaining > 0
    result.seconds = (engine.clock.now() - started) / 1000
    return result
  } catch (error) {
    throw withProgress(error, result, total)
  }
}

/** One dream while it lasts. */
interface Run {
  readonly engine: Engine
  readonly request: DreamRequest
  readonly context: CallContext
  readonly result: DreamResult
  readonly total: number
  readonly opened: OpenedJudge | undefined
  readonly tagsByWords: TagsByWords
  /** The model that is there is not asked now. */
  readonly judgesLater: boolean
  readonly tools: PromotionTools
  /** Both in milliseconds since 1970. */
  readonly started: number
  readonly deadline: number
}

/** Without a model nothing of judging is loaded. */
async function openedJudge(
  engine: Engine,
  { noLlm, maxSeconds }: DreamRequest,
  context: CallContext,
): Promise<OpenedJudge | undefined> {
  if (noLlm || engine.languageModel === undefined) return undefined
  const { openJudge } = await import('../judge/open-judge.ts')
  return openJudge(engine, engine.languageModel, { context, seconds: maxSeconds })
}

async function prepare(engine: Engine): Promise<number> {
  const { store, embedder, vectorModel, index } = engine
  const held = await store.read(readEmbeddingLock)
  if (held && !matchesLock(held, embedder) && !(await letGoOfModel(engine)))
    throw embedderMismatch(held, embedder)
  return store.read(async (tx) => {
    vectorModel.current = await readEmbeddingLock(tx)
    await index.refresh(tx)
    return tx.waiting()
  })
}

/** How the taking in ended: the inbox was empty, its seconds were over, or its pace says that somebody else comes first. */
type Ended = 'whole' | 'out of time' | 'called off'

async function promoteWaiting(run: Run): Promise<Ended> {
  const { engine, context, request, opened, judgesLater, total } = run
  const { clock } = engine
  const size = batchSizeOf(run)
  const hosted = hostedBy(engine, context, request.hostAnalyses)
  const batches = new Batches(engine, context, {
    total,
    batchSize: () => size.next,
    ahead: aheadOf(run),
    analyse: (blocks) => analyse(blocks, hosted, opened ?? (judgesLater ? 'later' : undefined)),
  })
  for (;;) {
    const begun = clock.now()
    const batch = await batches.next()
    if (batch.length === 0) return 'whole'
    await take(run, batch)
    size.took(batch.length, clock.now() - begun)
    if (clock.now() >= run.deadline) return 'out of time'
    // An embedder in this very thread never leaves the others a turn.
    await nextTurn()
    if (request.pace && !(await request.pace.goesOn())) return 'called off'
  }
}

/** So many batches are prepared while one is promoted. At rest none: what is begun must soon be over. */
function aheadOf({ request, opened }: Run): number {
  if (request.pace) return 0
  return opened === undefined ? 1 : BATCHES_JUDGED
}

/** Blocks of the first batch at rest. */
const FIRST_AT_REST = 4

/** With a model whole calls: no call is made for the rest of a batch. At rest as many blocks as fit the time. */
function batchSizeOf({ engine, opened, request: { pace } }: Run) {
  const { memory } = engine.settings
  const whole = memory.embedBatch - (memory.embedBatch % JUDGING.blocksPerCall)
  const most = opened === undefined ? memory.embedBatch : whole || memory.embedBatch
  const paced = pace && opened === undefined ? pace : undefined
  const size = {
    next: paced ? Math.min(FIRST_AT_REST, most) : most,
    took(blocks: number, milliseconds: number): void {
      if (paced) size.next = nextBatchSize({ size: blocks, took: milliseconds }, { aim: paced.batchMs, most })
    },
  }
  return size
}

async function take(run: Run, prepared: readonly Prepared[]): Promise<void> {
  const { engine, context, result, total, tools } = run
  context.signal?.throwIfAborted()
  const candidates = await candidatesOf(engine, prepared, run.tagsByWords)
  const batch = await promote(engine, context, candidates, tools)
  const active = batch.done.filter((each) => each.fate === 'promoted')
  engine.index.applyOwn(active, batch.sequence)
  // What a duplicate changed in the block that stays is not among them.
  if (active.length < batch.done.length) await engine.store.read((tx) => engine.index.refresh(tx))
  const [first] = active
  const dimensions = first?.index.vectors?.vector.length
  if (dimensions !== undefined) engine.vectorModel.current ??= { model: engine.embedder.model, dimensions }
  result.take(candidates, batch, tools.keepsPairs ? 0 : JUDGING.pairsWaiting)
  context.progress?.({ stage: 'dreaming', done: result.processed, total, isKept: true })
}

/** Judges blocks besides the new ones, those pending and those stale, and how pairs relate. */
async function judgeMore({ engine, request, opened, result, context }: Run, isEarly: boolean): Promise<void> {
  await labelByHost(engine, context, request.edgeLabels, result)
  const host = Object.fromEntries(
    Object.entries(request.hostAnalyses).filter(([id]) => !result.analysesUsed.has(id)),
  )
  const limit = request.rescore ? request.rescoreMax : JUDGING.pendingPerDream
  const asks = opened !== undefined && !isEarly && (request.rescore || opened.judge.trouble === undefined)
  if (asks || Object.keys(host).length > 0) {
    const asked = { pendingOnly: !request.rescore, limit, host }
    await rescore(engine, context, { request: asked, opened: asks ? opened : undefined }, result)
  }
  if (opened && !isEarly) await labelByModel(engine, context, opened, result)
}

/** @param tidies also trims, curates and packs, where that is due */
async function finish(run: Run, tidies: boolean): Promise<void> {
  const { engine, context, opened, result } = run
  if (result.processed > 0 || result.meter.total.llmCalls > 0) {
    // A short dream leaves that to the next curation.
    if (tidies && result.processed > engine.settings.memory.embedBatch) await trimChanges(engine)
    const hours = await logDream(run, await newQuestionVectors(engine, context))
    if (tidies && result.processed > 0) result.curated = await curateIfDue(engine, context, hours)
    if (tidies) await keepIndex(engine)
  }
  await engine.store.read(async (tx) => {
    result.inboxRemaining = await tx.waiting()
    if (opened) result.pairsUnlabelled = (await tx.unlabelledPairs(PAIRS_COUNTED)).length
  })
}

/** More pairs than these are not counted. */
const PAIRS_COUNTED = 1_000

async function logDream(
  { engine, context, result, opened, started }: Run,
  questions: readonly StoredQuestion[],
): Promise<number> {
  const work = async ({ tx, moment, log, used }: Mutation) => {
    if (result.processed > 0) {
      await tx.saveMeta(ownKey(engine, LAST_DREAM_KEY), moment.at)
      await keepBackground(engine, tx)
      await saveQuestionVectors(engine, tx, questions)
      // Without a model a host may label them; those of the end of a long dream are enough.
      await tx.queueUnlabelled(result.unlabelled, JUDGING.pairsWaiting)
      await recordDream(tx, engine, { processed: result.processed, promoted: result.promotedIds.length })
    }
    if (opened) {
      const { trouble } = opened.judge
      if (trouble?.kind !== 'limits')
        await noteTrouble(
          tx,
          trouble && { at: moment.at, message: trouble.message, recovery: trouble.recovery },
        )
    }
    const tokens = result.meter.total
    await log({
      operation: 'dream',
      blockIds: result.promotedIds.slice(0, LOGGED_IDS),
      summary: `${result.promotedIds.length} promoted, ${count(result.deduplicated, 'duplicate')}, ${count(result.edgesCreated, 'edge')}${tokens.llmCalls > 0 ? `, model calls: ${tokens.llmCalls}, ${llmTokens(tokens)} tokens` : ''}`,
      ...used,
      result: recordOf(result, (engine.clock.now() - started) / 1000),
    })
    return moment.hours
  }
  return mutate(engine, context, work)
}

/** A long dream's promotions are logged one by one; its own entry names the first. */
const LOGGED_IDS = 100

/** An error of a dream with what was done until then in `details`. */
function withProgress(error: unknown, { processed, promotedIds }: DreamResult, total: number): unknown {
  const done = { processed, promoted: promotedIds.length }
  if (isCancelled(error)) {
    const message = `The dream was cancelled: ${processed} of ${count(total, 'waiting block')} taken in stay so, the rest waits.`
    return new ElfmemError('CANCELLED', message, {
      recovery: 'Dream again to go on with the rest.',
      details: done,
      cause: error,
    })
  }
  if (!ElfmemError.is(error)) return error
  return new ElfmemError(error.code, error.message, {
    recovery: error.recovery,
    details: { ...error.details, ...done },
    cause: error,
  })
}

/** True for the refusal of whatever the dream was at when its signal came, and for the signal's own. */
function isCancelled(error: unknown): boolean {
  return ElfmemError.is(error) ? error.code === 'CANCELLED' : Object(error).name === 'AbortError'
}
