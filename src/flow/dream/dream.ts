import { nextBatchSize } from '../../domain/advice/rest.ts'
import { ConflictReader } from '../../domain/conflict/reader.ts'
import { count } from '../../domain/text/count.ts'
import { stemOf } from '../../search/language/choose.ts'
import { type CurateResult, curateIfDue } from '../curate/curate.ts'
import { recordDream } from '../engine/dream-policy.ts'
import { embedderMismatch, keepBackground, matchesLock, readEmbeddingLock } from '../engine/embedding.ts'
import { type CallContext, type Engine, ownKey } from '../engine/engine.ts'
import { keepIndex } from '../engine/keep-index.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { nextTurn, Pauses } from '../engine/pauses.ts'
import { trimChanges } from '../engine/trim-log.ts'
import { llmTokens, noteTrouble, UsageMeter } from '../engine/usage.ts'
import type { OpenedJudge } from '../judge/open-judge.ts'
import { letGoOfModel } from '../waiting/embed-waiting.ts'
import type { PromotionTools } from './activate.ts'
import { Batches, type Prepared } from './batches.ts'
import { cancelled, withProgress } from './dream-errors.ts'
import { type DreamRequest, type DreamResult, resultOf } from './dream-result.ts'
import {
  analyse,
  hostedBy,
  labelByHost,
  labelByModel,
  NOTHING_LABELLED,
  NOTHING_RESCORED,
  rescore,
} from './judging.ts'
import { neighboursOf } from './neighbours.ts'
import { type Promotion, promote } from './promote.ts'
import { TagsByWords } from './tags-by-words.ts'
import { Tally } from './tally.ts'

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
  const context = { ...given, meter, run: engine.ids.random() }
  const started = engine.clock.now()
  const waiting = await prepare(engine)
  const total = Math.min(waiting, request.maxCount ?? waiting)
  const opened = await openedJudge(engine, request, context)
  // What nobody asked for costs nothing; a dream that somebody asks for has it judged.
  const judgesLater = request.pace !== undefined && opened === undefined && engine.languageModel !== undefined
  const tally = new Tally()
  const run: Run = {
    engine,
    request,
    context,
    tally,
    total,
    ...(opened ? { opened } : {}),
    meter,
    tagsByWords: new TagsByWords(engine),
    judgesLater,
    tools: { reader: new ConflictReader(stemOf), keepsPairs: opened !== undefined || judgesLater },
    deadline: started + request.maxSeconds * 1000,
  }
  try {
    const ended = await promoteWaiting(run).catch((error): Ended => {
      // Closing a memory calls a dream at rest off, wherever it is; what it did stays and is logged.
      if (request.pace && context.signal?.aborted) return 'called off'
      throw error
    })
    const judged = await judgeMore(run, ended !== 'whole')
    const left = await finish(run, ended !== 'called off')
    const outOfTime = ended === 'out of time'
    return resultOf({ ...run, ...judged, ...left, outOfTime, milliseconds: engine.clock.now() - started })
  } catch (error) {
    throw withProgress(error, tally)
  }
}

/** One dream while it lasts. */
interface Run {
  readonly engine: Engine
  readonly request: DreamRequest
  readonly context: CallContext
  readonly tally: Tally
  readonly total: number
  readonly opened?: OpenedJudge
  readonly meter: UsageMeter
  readonly tagsByWords: TagsByWords
  /** The model that is there is not asked now. */
  readonly judgesLater: boolean
  readonly tools: PromotionTools
  /** Milliseconds since 1970. */
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
  const { memory, llm } = engine.settings
  const whole = memory.embedBatch - (memory.embedBatch % llm.blocksPerCall)
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
  const { engine, context, tally, total } = run
  if (context.signal?.aborted) throw cancelled()
  // Between its steps others have their turn: together they take some 50 ms.
  const near = neighboursOf(engine, prepared)
  await nextTurn()
  const wordTags = await run.tagsByWords.of(prepared.map(({ block }) => block))
  const promotions: Promotion[] = []
  const pauses = new Pauses()
  for (const [i, each] of prepared.entries()) {
    const entry = engine.analysis.entry(each.block, each.vector)
    promotions.push({ ...each, entry, near: near[i] ?? [], wordTags: wordTags[i] ?? [] })
    await pauses.after(each.block.content.length)
  }
  await nextTurn()
  const { promoted, sequence } = await promote(engine, context, promotions, run.tools)
  const active = promoted.filter((each) => each.fate === 'promoted')
  engine.index.applyOwn(active, sequence)
  // What a duplicate changed in the block that stays is not among them.
  if (active.length < promoted.length) await engine.store.read((tx) => engine.index.refresh(tx))
  const [first] = active
  if (first?.index.vector)
    engine.vectorModel.current ??= { model: engine.embedder.model, dimensions: first.index.vector.length }
  tally.take(promotions, promoted, run.tools.keepsPairs ? 0 : engine.settings.llm.maxUnlabelledPairs)
  context.progress?.({ stage: 'dreaming', done: tally.processed, total })
}

/** Judges blocks besides the new ones, those pending and those stale, and how pairs relate. */
async function judgeMore(run: Run, isEarly: boolean) {
  const { engine, request, opened, tally } = run
  const context = run.context
  const hostLabelled = await labelByHost(engine, context, request.edgeLabels)
  tally.labelled(hostLabelled.pairs)
  const host = Object.fromEntries(Object.entries(request.hostAnalyses).filter(([id]) => !tally.used.has(id)))
  const { pendingPerDream } = engine.settings.llm
  const limit = request.rescore ? request.rescoreMax : pendingPerDream
  const asks = opened !== undefined && !isEarly && (request.rescore || opened.judge.trouble === undefined)
  const rescored =
    asks || Object.keys(host).length > 0
      ? await rescore(engine, context, {
          request: { pendingOnly: !request.rescore, limit, host },
          opened: asks ? opened : undefined,
        })
      : NOTHING_RESCORED
  for (const id of rescored.hosted) tally.used.add(id)
  const labelled = opened && !isEarly ? await labelByModel(engine, context, opened) : NOTHING_LABELLED
  return { rescored, labelled, hostLabelled }
}

/** @param tidies also trims, curates and packs, where that is due */
async function finish(
  run: Run,
  tidies: boolean,
): Promise<{
  readonly inboxRemaining: number
  readonly pairsUnlabelled: number
  readonly curated?: CurateResult
}> {
  const { engine, context, tally } = run
  let curated: CurateResult | undefined
  if (tally.processed > 0 || run.meter.total.llmCalls > 0) {
    // A short dream leaves that to the next curation.
    if (tidies && tally.processed > engine.settings.memory.embedBatch) await trimChanges(engine)
    const hours = await logDream(run)
    if (tidies && tally.processed > 0) curated = await curateIfDue(engine, context, hours)
    if (tidies) await keepIndex(engine)
  }
  const left = await engine.store.read(async (tx) => ({
    inboxRemaining: await tx.waiting(),
    pairsUnlabelled: run.opened === undefined ? 0 : (await tx.unlabelledPairs(PAIRS_COUNTED)).length,
  }))
  return { ...left, ...(curated ? { curated } : {}) }
}

/** More pairs than these are not counted. */
const PAIRS_COUNTED = 1_000

async function logDream({ engine, context, tally, meter, opened }: Run): Promise<number> {
  const work = async ({ tx, moment, log, used }: Mutation) => {
    if (tally.processed > 0) {
      await tx.saveMeta(ownKey(engine, LAST_DREAM_KEY), moment.at)
      await keepBackground(engine, tx)
      // Without a model a host may label them; those of the end of a long dream are enough.
      await tx.queueUnlabelled(tally.unlabelled, engine.settings.llm.maxUnlabelledPairs)
      await recordDream(tx, engine, { processed: tally.processed, promoted: tally.promoted.length })
    }
    if (opened) {
      const { trouble } = opened.judge
      if (trouble?.kind !== 'limits')
        await noteTrouble(
          tx,
          trouble && { at: moment.at, message: trouble.message, recovery: trouble.recovery },
        )
    }
    const tokens = meter.total
    await log({
      operation: 'dream',
      blockIds: tally.promoted.slice(0, LOGGED_IDS),
      summary: `${tally.promoted.length} promoted, ${count(tally.deduplicated, 'duplicate')}, ${count(tally.edges, 'edge')}${tokens.llmCalls > 0 ? `, model calls: ${tokens.llmCalls}, ${llmTokens(tokens)} tokens` : ''}`,
      ...used,
    })
    return moment.hours
  }
  return mutate(engine, context, work)
}

/** A long dream's promotions are logged one by one; its own entry names the first. */
const LOGGED_IDS = 100
