import type { Block } from '../block/block.ts'
import { count, defined } from '../block/text.ts'
import type { DreamRecord } from '../engine/counts.ts'
import {
  type Embedded,
  embedBlocks,
  embedderMismatch,
  keepBackground,
  keepIndex,
  matchesLock,
  readEmbeddingLock,
} from '../engine/embedding.ts'
import {
  type CallContext,
  type Engine,
  llmTokens,
  type Mutation,
  mutate,
  nextTurn,
  ownKey,
  UsageMeter,
} from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { type BlockPair, type Edge, endsOf, keyOf } from '../graph/edge.ts'
import { highestFor } from '../intake/check-input.ts'
import type { Replaceable } from '../intake/supersede.ts'
import { newQuestionVectors, saveQuestionVectors } from '../outcome/outcome.ts'
import { readBlocks, readPage, readVectors, readWaiting } from '../store/blocks.ts'
import type { UnlabelledPair } from '../store/database.ts'
import { queueUnlabelled } from '../store/graph.ts'
import { type StoredQuestion, saveMeta, trimChanges } from '../store/log.ts'
import { type CurateResult, curateIfDue } from './curate.ts'
import {
  blocksToJudge,
  type HostLabel,
  JUDGING,
  type Judged,
  type Judgement,
  judgeBlocks,
  type LabelCounts,
  type Labelled,
  labelByHost,
  labelByModel,
  NO_LABELS,
  noteTrouble,
  PAIRS_COUNTED,
} from './judgement.ts'
import type { ModelJudge, ModelTrouble } from './model-judge.ts'
import { candidatesOf, type PromotedBatch, promote } from './promote.ts'
import { letGoOfModel } from './reembed.ts'

/** The result of a dream is filled in while the dream runs. */
export class DreamResult {
  processed = 0
  deduplicated = 0
  edgesCreated = 0
  nearDuplicatesFlagged = 0
  analysed = 0
  readonly displaced: Edge[] = []
  readonly promotedIds: string[] = []
  /** Ids of new blocks that the model did not judge; the next dream has them judged. */
  readonly pendingJudgement = new Set<string>()
  rescored: readonly string[] = []
  rescoreFailed = 0
  readonly labels = { ...NO_LABELS }
  labelsUnused: readonly HostLabel[] = []
  /** Number of pairs that still wait for the model's label, up to 1,000. */
  pairsUnlabelled = 0
  /** Open questions that this dream found, for `resolve`. */
  readonly conflicts: BlockPair[] = []
  /** New blocks and the older ones that they may replace. */
  readonly mayReplace: (Replaceable & { readonly newer: Block })[] = []
  /** Usage of models, and secrets left out of their input; a text that is embedded and judged counts twice. */
  readonly meter: UsageMeter
  modelTrouble: ModelTrouble | undefined
  inboxRemaining = 0
  outOfTime = false
  readonly analysesUsed = new Set<string>()
  readonly tagsRefused = new Set<string>()
  seconds = 0
  curated: CurateResult | undefined
  /** The last pairs without a label, which the host may judge; the entry of the dream keeps them. */
  unlabelled: UnlabelledPair[] = []

  constructor(meter: UsageMeter) {
    this.meter = meter
  }

  /** Adds a promoted batch of `taken` blocks to the result. */
  promoted({ active, duplicates, displaced: others }: PromotedBatch, taken: number): void {
    this.processed += taken
    this.deduplicated += duplicates
    this.displaced.push(...others)
    for (const { block, edges, displaced, nearPairs, conflicts, mayReplace, unlabelled } of active) {
      this.promotedIds.push(block.id)
      this.displaced.push(...displaced)
      if (block.judgementPending) this.pendingJudgement.add(block.id)
      this.edgesCreated += edges.length
      this.nearDuplicatesFlagged += nearPairs.length
      this.conflicts.push(...conflicts)
      this.mayReplace.push(...mayReplace.map((found) => ({ newer: block, ...found })))
      this.unlabelled = [...this.unlabelled, ...unlabelled].slice(-JUDGING.pairsWaiting)
    }
  }

  /** Adds judgements to the result; `isNew` if the blocks became active in this dream. */
  judged({ judged, byHost, failed, refusedTags }: Judged, isNew: boolean): void {
    if (isNew) this.analysed += judged.length
    else [this.rescored, this.rescoreFailed] = [judged, failed]
    for (const id of judged) this.pendingJudgement.delete(id)
    for (const id of byHost) this.analysesUsed.add(id)
    for (const tag of refusedTags) this.tagsRefused.add(tag)
  }

  /** Adds labels to the result; their pairs no longer wait for one. */
  labelled({ counts, conflicts, pairs }: Labelled): void {
    const keys = new Set(pairs.map(keyOf))
    this.unlabelled = this.unlabelled.filter((pair) => !keys.has(keyOf(endsOf(pair))))
    for (const [label, number] of Object.entries(counts)) this.labels[label as keyof LabelCounts] += number
    this.conflicts.push(...conflicts)
  }

  record(seconds: number): DreamRecord {
    return {
      seconds,
      promoted: this.promotedIds.length,
      joined: this.deduplicated,
      linked: this.edgesCreated,
      flagged: this.nearDuplicatesFlagged + this.conflicts.length,
      judged: this.analysed,
      refused: this.labels.unrelated,
      pending: this.pendingJudgement.size,
    }
  }
}

/** Yields the inbox in embedded batches, oldest first. Blocks that come in meanwhile are left to the next dream. */
async function* batchesOf(
  engine: Engine,
  context: CallContext,
  { total, size }: { readonly total: number; readonly size: number },
): AsyncGenerator<readonly Embedded[]> {
  for (let left = total, cursor: string | undefined; left > 0; ) {
    const filter = { status: 'inbox', order: 'arrival', limit: Math.min(size, left) } as const
    const [page, vectors] = await engine.store.read(async (tx) => {
      const page = await readPage(tx, { ...filter, ...defined({ cursor }) })
      const ids = page.blocks.map(({ id }) => id)
      return [page, await readVectors(tx, ids)] as const
    })
    if (page.blocks.length === 0) return
    yield await embedBlocks(engine, page.blocks, context, vectors)
    cursor = page.cursor
    left = cursor === undefined ? 0 : left - page.blocks.length
  }
}

/** A dream request has the limits of one dream, and the judgements that its caller brings along. */
export interface DreamRequest {
  /** Largest number of blocks that are taken in; all by default. */
  readonly maxCount?: number
  /** After these seconds no new block is taken in and no model is asked. */
  readonly maxSeconds: number
  readonly hostAnalyses: Readonly<Record<string, Omit<Judgement, 'hostRank'>>>
  readonly edgeLabels: readonly HostLabel[]
  readonly noLlm: boolean
  readonly rescore: boolean
  readonly rescoreMax: number
  /** Given by a dream at rest: lets other calls have their turn, then says whether to take another batch. */
  readonly goesOn?: () => Promise<boolean>
}

const LAST_DREAM_KEY = 'last_consolidated_at'

/**
 * Takes in waiting blocks: embeds them, recognises known texts and links related blocks; then has a model or the host judge the blocks and
 * label the pairs. Blocks are promoted whole, a batch in one transaction: if time, a signal or a kill ends a dream, the next one goes on
 * with the waiting blocks. A model that fails costs judgements, never blocks: all blocks are promoted before it is asked, and their
 * judgement stays pending.
 *
 * Throws `EMBEDDER_MISMATCH` before any work, `EMBEDDER_FAILED` and `CANCELLED` with the work done in `details`. Cost per block: one
 * embedding, one vector scan, one commit; with a model a fifth of a call, and one call for 20 pairs.
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

/** One dream while it runs. */
interface Run {
  readonly engine: Engine
  readonly request: DreamRequest
  readonly context: CallContext
  readonly result: DreamResult
  readonly total: number
  readonly host: ReadonlyMap<string, Judgement>
  readonly model: ModelJudge | undefined
  /** A model judges now, or in a later dream that somebody asks for. */
  readonly isPending: boolean
  readonly started: number
}

async function dreamAlone(engine: Engine, request: DreamRequest, given: CallContext): Promise<DreamResult> {
  const meter = given.meter ?? new UsageMeter()
  const context = { ...given, meter, run: given.run ?? engine.ids.random() }
  const started = engine.clock.now()
  const waiting = await prepare(engine)
  const total = Math.min(waiting, request.maxCount ?? waiting)
  const { languageModel } = engine
  const isAsked = languageModel !== undefined && !request.noLlm
  // Without a model none of its code is loaded.
  const { openModelJudge } = isAsked ? await import('./model-judge.ts') : {}
  const judging = { context, seconds: request.maxSeconds }
  const model = isAsked ? await openModelJudge?.(engine, languageModel, judging) : undefined
  const isPending = isAsked || (languageModel !== undefined && request.goesOn !== undefined)
  const hostRank = highestFor(engine, context)
  const host = Object.entries(request.hostAnalyses).map(([id, said]) => [id, { ...said, hostRank }] as const)
  const result = new DreamResult(meter)
  const run = { engine, request, context, result, total, model, isPending, started, host: new Map(host) }
  try {
    const ended = await promoteWaiting(run).catch((error): Ended => {
      // Closing a memory calls a dream at rest off at any step; its work so far stays and is logged.
      if (request.goesOn && context.signal?.aborted) return 'called off'
      throw error
    })
    // Blocks of a dream that was called off are judged by a later dream.
    await judgeNew(run, ended === 'called off' ? undefined : model)
    await judgeMore(run, ended === 'whole' ? model : undefined)
    await finish(run, ended !== 'called off')
    result.modelTrouble = model?.trouble
    result.outOfTime = ended === 'out of time' && result.inboxRemaining > 0
    result.seconds = (engine.clock.now() - started) / 1000
    return result
  } catch (error) {
    throw withProgress(error, result, total)
  }
}

async function prepare(engine: Engine): Promise<number> {
  const { store, embedder, vectorModel, index } = engine
  const held = await store.read(readEmbeddingLock)
  if (held && !matchesLock(held, embedder) && !(await letGoOfModel(engine)))
    throw embedderMismatch(held, embedder)
  return store.read(async (tx) => {
    vectorModel.current = await readEmbeddingLock(tx)
    await index.refresh(tx)
    return readWaiting(tx)
  })
}

/** The way in which taking in ended: the inbox was empty, the seconds were over, or a call came in during a dream at rest. */
type Ended = 'whole' | 'out of time' | 'called off'

async function promoteWaiting(run: Run): Promise<Ended> {
  const { engine, context, request, total, started } = run
  const { embedBatch } = engine.settings.memory
  // A call that comes in during a dream at rest waits for one batch.
  const size = request.goesOn ? Math.min(8, embedBatch) : embedBatch
  for await (const batch of batchesOf(engine, context, { total, size })) {
    await take(run, batch)
    if (engine.clock.now() >= started + request.maxSeconds * 1000) return 'out of time'
    // An embedder in this thread never gives other calls a turn.
    await nextTurn()
    if (request.goesOn && !(await request.goesOn())) return 'called off'
  }
  return 'whole'
}

async function take(run: Run, embedded: readonly Embedded[]): Promise<void> {
  const { engine, context, result, total } = run
  context.signal?.throwIfAborted()
  const batch = await promote(engine, context, await candidatesOf(engine, embedded), run.isPending)
  const { active } = batch
  engine.index.applyOwn(active, batch.sequence)
  // The active blocks do not contain those that a duplicate changed.
  if (active.length < embedded.length) await engine.store.read((tx) => engine.index.refresh(tx))
  const dimensions = active[0]?.index.vectors?.vector.length
  if (dimensions !== undefined) engine.vectorModel.current ??= { model: engine.embedder.model, dimensions }
  result.promoted(batch, embedded.length)
  context.progress?.({ stage: 'dreaming', done: result.processed, total, isKept: true })
}

/** Has new blocks judged, without a model only those that the host judged. Reads their words a batch at a time. */
async function judgeNew({ engine, request, context, host, result }: Run, model: ModelJudge | undefined) {
  const ids = result.promotedIds.filter((id) => model !== undefined || host.has(id))
  for (let at = 0; at < ids.length; at += JUDGING.blocksPerWrite) {
    const batch = ids.slice(at, at + JUDGING.blocksPerWrite)
    const blocks = await engine.store.read((tx) => readBlocks(tx, batch))
    result.judged(await judgeBlocks(engine, context, { host, model }, blocks), true)
    if (request.goesOn && !(await request.goesOn())) return
  }
}

/** Has blocks and pairs judged that are not new: pairs, blocks of the host, pending blocks and, if asked for, stale ones. */
async function judgeMore(
  { engine, request, result, context, ...run }: Run,
  model: ModelJudge | undefined,
): Promise<void> {
  const { edgeLabels: labels, rescore } = request
  if (labels.length > 0) {
    const byHost = await labelByHost(engine, context, { labels, rank: highestFor(engine, context) })
    result.labelsUnused = byHost.unused
    result.labelled(byHost)
  }
  const host = new Map([...run.host].filter(([id]) => !result.analysesUsed.has(id)))
  const asks = model !== undefined && (rescore || model.trouble === undefined)
  if (asks || host.size > 0) {
    const judges = { host, model: asks ? model : undefined }
    const limit = rescore ? request.rescoreMax : JUDGING.pendingPerDream
    const due = await blocksToJudge(engine, judges, { rescore, limit: limit + result.pendingJudgement.size })
    const blocks = due.filter(({ id }) => !result.pendingJudgement.has(id)).slice(0, limit + host.size)
    if (blocks.length > 0) result.judged(await judgeBlocks(engine, context, judges, blocks), false)
  }
  if (model !== undefined) result.labelled(await labelByModel(engine, context, model))
}

/** Writes the entry of a dream; with `tidies` it also curates, trims and packs what is due. */
async function finish(run: Run, tidies: boolean): Promise<void> {
  const { engine, context, model, result } = run
  if (result.processed > 0 || result.meter.total.llmCalls > 0) {
    if (tidies && result.processed > engine.settings.memory.embedBatch)
      await engine.store.write((tx) => trimChanges(tx, engine.settings.memory.keepUndoBytes), {
        durable: false,
      })
    const hours = await logDream(run, await newQuestionVectors(engine, context))
    if (tidies && result.processed > 0) result.curated = await curateIfDue(engine, context, hours)
    if (tidies) await keepIndex(engine)
  }
  await engine.store.read(async (tx) => {
    result.inboxRemaining = await readWaiting(tx)
    if (model) result.pairsUnlabelled = (await tx.queries.unlabelledPairs(PAIRS_COUNTED)).length
  })
}

/** Writes the entry of the dream; returns the memory's hours. */
async function logDream(run: Run, questions: readonly StoredQuestion[]): Promise<number> {
  const { engine, context, result, started, model } = run
  const work = async ({ tx, moment, log, used }: Mutation) => {
    if (result.processed > 0) {
      await saveMeta(tx, ownKey(engine, LAST_DREAM_KEY), moment.at)
      await keepBackground(engine, tx)
      await saveQuestionVectors(engine, tx, questions)
      // If a model judges, the pairs were kept with their blocks.
      if (!run.isPending) await queueUnlabelled(tx, result.unlabelled, JUDGING.pairsWaiting)
    }
    const trouble = model?.trouble
    if (model && trouble?.kind !== 'limits') {
      const { message = '', recovery = '' } = trouble ?? {}
      await noteTrouble(tx, trouble && { at: moment.at, message, recovery })
    }
    const { promotedIds, deduplicated, edgesCreated, meter } = result
    const calls = meter.total.llmCalls
    await log({
      operation: 'dream',
      // Each block has a log entry of its own.
      blockIds: promotedIds.slice(0, 100),
      summary: `${promotedIds.length} promoted, ${count(deduplicated, 'duplicate')}, ${count(edgesCreated, 'edge')}${calls > 0 ? `, model calls: ${calls}, ${llmTokens(meter.total)} tokens` : ''}`,
      ...used,
      result: result.record((engine.clock.now() - started) / 1000),
    })
    return moment.hours
  }
  return mutate(engine, context, work)
}

/** Returns an error of a dream with the work done so far in `details`. */
function withProgress(error: unknown, { processed, promotedIds }: DreamResult, total: number): unknown {
  const done = { processed, promoted: promotedIds.length }
  // The error is the signal's own, or the refusal of the current step.
  const isCancelled = ElfmemError.is(error) ? error.code === 'CANCELLED' : Object(error).name === 'AbortError'
  if (isCancelled) {
    const message = `The dream was cancelled: ${processed} of ${count(total, 'waiting block')} taken in stay so, the rest waits.`
    const recovery = 'Dream again to go on with the rest.'
    return new ElfmemError('CANCELLED', message, { recovery, details: done, cause: error })
  }
  if (!ElfmemError.is(error)) return error
  const { code, message, recovery, details } = error
  return new ElfmemError(code, message, { recovery, details: { ...details, ...done }, cause: error })
}
