import type { Edge } from '../../domain/edge.ts'
import { ElfmemError } from '../../errors.ts'
import { type CurateResult, curateIfDue } from '../curate.ts'
import { recordDream } from '../dream-policy.ts'
import { embedderMismatch, matchesLock, readEmbeddingLock } from '../embedding-lock.ts'
import type { CallContext, Engine } from '../engine.ts'
import { keepIndex } from '../keep-index.ts'
import { mutate } from '../mutate.ts'
import { ownKey } from '../own-key.ts'
import { Batches } from './batches.ts'
import type { Embedded } from './embed.ts'
import type { HostAnalysis } from './host-analysis.ts'
import { neighboursOf } from './neighbours.ts'
import { type Promotion, promote } from './promote.ts'

export interface DreamRequest {
  /** At most so many blocks; absent = all that wait. */
  readonly maxCount?: number
  /** Stops taking up new blocks after so many seconds. */
  readonly maxSeconds: number
  readonly hostAnalyses: Readonly<Record<string, HostAnalysis>>
}

export interface DreamResult {
  readonly processed: number
  readonly promoted: number
  readonly deduplicated: number
  readonly edgesCreated: number
  /** Edges that gave way to better ones at a full block. */
  readonly displaced: readonly Edge[]
  readonly nearDuplicatesFlagged: number
  readonly inboxRemaining: number
  /** The time budget ended it before the inbox was empty. */
  readonly outOfTime: boolean
  /** Host analyses whose block was not in this run. */
  readonly analysesUnused: readonly string[]
  /** Tags of host analyses that no analysis may grant. */
  readonly tagsRefused: readonly string[]
  /** Ids of the blocks that are active now. */
  readonly promotedIds: readonly string[]
  readonly seconds: number
  /** What the curation that was due did. */
  readonly curated?: CurateResult
}

const LAST_DREAM_KEY = 'last_consolidated_at'

interface Tally {
  processed: number
  deduplicated: number
  edges: number
  pairs: number
  readonly displaced: Edge[]
  readonly promoted: string[]
  readonly used: Set<string>
  readonly tagsRefused: Set<string>
}

/**
 * Inbox → active: embed what is new, recognise what is known, link what belongs together. Nothing is embedded twice,
 * and blocks are promoted whole, those embedded together in one transaction: whenever a dream ends, by time, by a
 * signal or by a kill, the next one goes on with what still waits.
 *
 * Throws `EMBEDDER_MISMATCH` before any work, `EMBEDDER_FAILED` and `CANCELLED` with what was done in `details`.
 * Cost per block: one embedding, one vector scan, one durable commit.
 */
export async function dream(
  engine: Engine,
  request: DreamRequest,
  context: CallContext,
): Promise<DreamResult> {
  const started = engine.clock.now()
  const waiting = await prepare(engine)
  const total = Math.min(waiting, request.maxCount ?? waiting)
  const tally: Tally = {
    processed: 0,
    deduplicated: 0,
    edges: 0,
    pairs: 0,
    displaced: [],
    promoted: [],
    used: new Set(),
    tagsRefused: new Set(),
  }
  const deadline = started + request.maxSeconds * 1000
  let outOfTime = false
  const batches = new Batches(engine, context, total)
  try {
    for (let batch = await batches.next(); batch.length > 0; batch = outOfTime ? [] : await batches.next()) {
      await take(engine, batch, { request, context, tally, total })
      outOfTime = engine.clock.now() >= deadline
    }
  } catch (error) {
    throw withProgress(error, tally)
  }
  return finish(engine, context, { tally, request, started, outOfTime })
}

async function prepare(engine: Engine): Promise<number> {
  return engine.store.read(async (tx) => {
    const lock = await readEmbeddingLock(tx)
    engine.vectorModel.current = lock
    if (lock && !matchesLock(lock, engine.embedder)) throw embedderMismatch(lock, engine.embedder)
    await engine.index.refresh(tx)
    return tx.waiting()
  })
}

interface Run {
  readonly request: DreamRequest
  readonly context: CallContext
  readonly tally: Tally
  readonly total: number
}

async function take(engine: Engine, embedded: readonly Embedded[], run: Run): Promise<void> {
  const { request, context, tally, total } = run
  if (context.signal?.aborted) throw cancelled()
  const near = neighboursOf(engine, embedded)
  const promotions = embedded.map(({ block, vector }, i): Promotion => {
    const analysis = request.hostAnalyses[block.id]
    const entry = engine.analysis.entry(block, vector)
    return { block, vector, entry, near: near[i] ?? [], ...(analysis ? { analysis } : {}) }
  })
  const { promoted, sequence } = await promote(engine, { ...context, actor: 'dream' }, promotions)
  const active = promoted.filter((each) => each.fate === 'promoted')
  engine.index.applyOwn(active, sequence)
  // What a duplicate changed in the block that stays is not among them.
  if (active.length < promoted.length) await engine.store.read((tx) => engine.index.refresh(tx))
  const [first] = active
  if (first?.index.vector)
    engine.vectorModel.current ??= { model: engine.embedder.model, dimensions: first.index.vector.length }
  for (const { block, analysis } of promotions) if (analysis) tally.used.add(block.id)
  tally.processed += promoted.length
  tally.deduplicated += promoted.filter(({ fate }) => fate === 'duplicate').length
  for (const { block, edges, displaced, nearPairs, refusedTags } of active) {
    tally.promoted.push(block.id)
    tally.edges += edges
    tally.displaced.push(...displaced)
    tally.pairs += nearPairs
    for (const tag of refusedTags) tally.tagsRefused.add(tag)
  }
  context.progress?.({ stage: 'dreaming', done: tally.processed, total })
}

async function finish(
  engine: Engine,
  context: CallContext,
  {
    tally,
    request,
    started,
    outOfTime,
  }: { tally: Tally; request: DreamRequest; started: number; outOfTime: boolean },
): Promise<DreamResult> {
  const promoted = tally.promoted.length
  let curated: CurateResult | undefined
  if (tally.processed > 0) {
    const hours = await mutate(engine, context, async ({ tx, moment, log }) => {
      await tx.saveMeta(ownKey(engine, LAST_DREAM_KEY), moment.at)
      await recordDream(tx, engine, { processed: tally.processed, promoted })
      await log({
        operation: 'dream',
        blockIds: tally.promoted.slice(0, LOGGED_IDS),
        summary: `${promoted} promoted, ${tally.deduplicated} duplicates, ${tally.edges} edges`,
      })
      return moment.hours
    })
    curated = await curateIfDue(engine, context, hours)
    await keepIndex(engine)
  }
  const inboxRemaining = await engine.store.read((tx) => tx.waiting())
  return {
    ...result(tally, request, engine.clock.now() - started),
    inboxRemaining,
    outOfTime: outOfTime && inboxRemaining > 0,
    ...(curated ? { curated } : {}),
  }
}

/** A long dream's promotions are logged one by one; its own entry names the first. */
const LOGGED_IDS = 100

function result(
  tally: Tally,
  request: DreamRequest,
  milliseconds: number,
): Omit<DreamResult, 'inboxRemaining' | 'outOfTime' | 'curated'> {
  return {
    processed: tally.processed,
    promoted: tally.promoted.length,
    deduplicated: tally.deduplicated,
    edgesCreated: tally.edges,
    displaced: tally.displaced,
    nearDuplicatesFlagged: tally.pairs,
    analysesUnused: Object.keys(request.hostAnalyses)
      .filter((id) => !tally.used.has(id))
      .sort(),
    tagsRefused: [...tally.tagsRefused].sort(),
    promotedIds: tally.promoted,
    seconds: milliseconds / 1000,
  }
}

function cancelled(): ElfmemError {
  return new ElfmemError('CANCELLED', 'The dream was cancelled.', {
    recovery: 'What was promoted stays; dream again to go on with the rest.',
  })
}

function withProgress(error: unknown, tally: Tally): unknown {
  if (!ElfmemError.is(error)) return error
  return new ElfmemError(error.code, error.message, {
    recovery: error.recovery,
    details: { ...error.details, processed: tally.processed, promoted: tally.promoted.length },
    cause: error,
  })
}
