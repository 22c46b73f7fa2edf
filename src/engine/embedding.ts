import type { Block, ContentVectors } from '../block/block.ts'
import { defined, normaliseContent, passagesOf } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import { packUnit } from '../index/columns.ts'
import type { ProbabilityConstants } from '../index/rank.ts'
import type { CosineScale } from '../index/resident-index.ts'
import { mayWrite } from '../intake/check-input.ts'
import type { Analysis } from '../language/question.ts'
import { readBlocks, readPage, readVectors, saveIndex, saveWaitingVectors } from '../store/blocks.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import {
  type CallContext,
  type EmbeddingLock,
  type Engine,
  nextTurn,
  type StoredBackground,
} from './engine.ts'
import type { Embedder, EmbedOptions } from './ports.ts'
import type { Settings, SimilarityThresholds } from './settings.ts'

/** The built-in model: every constant below was fitted on its background, to which cosines of other models are mapped. */
const REFERENCE = { model: 'all-MiniLM-L6-v2-int8', background: { mean: 0.067, deviation: 0.096 } } as const

/** Returns true if the model's cosines need no mapping. */
export function isCalibrated(model: string): boolean {
  return model === REFERENCE.model
}

/** A cosine from the index's integers may be this far below the true one. */
export const COSINE_ERROR = 0.005

/** Sizes of the sample by which a store measures the background of a model that is not calibrated. */
const BACKGROUND_SAMPLE = {
  /** Fewest blocks with vectors; fewer show no background. */
  fewestBlocks: 180,
  ones: 300,
  others: 500,
  growth: 2,
} as const

/**
 * These constants give the log-odds that the first five blocks hold the answer. They were fitted on notes asked in other words in stores of
 * 5 to 4,600 blocks and on conversations, a quarter of the questions without an answer; `npm run bench -- confidence --data FILE --notes FILE` fits them again.
 */
export const ANSWERED: ProbabilityConstants = {
  intercept: -1,
  cosine: 7.5,
  lexical: 1,
  standsOut: 6,
  runnerUpShare: 0.75,
  size: 0.38,
}

/** These constants give the log-odds from the strength alone, if no cosine is comparable: words only, or a model without background. */
export const ANSWERED_BY_STRENGTH: ProbabilityConstants = {
  intercept: 0.2,
  cosine: 0,
  lexical: 0,
  standsOut: 8.1,
  runnerUpShare: 0,
  size: 0.4,
}

/** A match with this lead is the one that a description means; see `meantProbability`. It was set on 2,360 descriptions of 720 blocks. */
export const MEANT_MARGIN = 0.3

/**
 * Below this line nothing bears on a question: the greatest own cosine of a block plus `words` times the greatest lexical share is less
 * than floor + growth · ln(passages), as the best of more is nearer by chance. A higher line would refuse more than 2 of 100 questions that
 * notes answer (`npm run bench -- unknown`).
 */
export const NOTHING_NEAR = {
  floor: 0.075,
  growth: 0.035,
  growsTo: 150,
  words: 0.2,
} as const

/** The answer size bounds the number of entries. */
export const ANSWER_SIZE = {
  /** Least share of the best rank, 0..1, at which an entry belongs to the answer. */
  nearBest: 0.66,
  most: 10,
  /** Height above the line of `NOTHING_NEAR` below which an answer has at most `faintMost` entries. */
  faint: 0.05,
  faintMost: 3,
  queryless: 5,
} as const

/** Thresholds of an embedder that nobody measured. */
const COMMON: SimilarityThresholds = {
  // Below this cosine, similarity says nothing about relation, and no tag and no session makes up for it (the seeds).
  edgeCosineFloor: 0.3,
  // Below this cosine, a dream looks only at blocks that share a tag or a session.
  edgeUnsharedCosine: 0.5,
  // From this composite score a similarity edge is made (the seeds).
  edgeScoreThreshold: 0.4,
  // From this cosine two blocks without an edge are worth a suggestion.
  veryAlikeCosine: 0.8,
  // Below this cosine two blocks are far apart in meaning, so that coming together tells something.
  apartCosine: 0.4,
}

/** Thresholds of the shipped embedders where they differ, measured by `npm run bench -- edges` (docs/benchmarks.md). */
const SHIPPED: Readonly<Record<string, Partial<SimilarityThresholds>>> = {
  'all-MiniLM-L6-v2-int8': { veryAlikeCosine: 0.65, apartCosine: 0.2 },
  'hashing-384': { veryAlikeCosine: 0.8, apartCosine: 0.1 },
}

/** Returns an embedder's cosine thresholds: its own settings first, then measured ones, then common ones. */
export function similarityThresholdsOf(
  { graph }: Pick<Settings, 'graph'>,
  model: string,
): SimilarityThresholds {
  const lines = [SHIPPED, graph.similarityThresholds].map((of) => (Object.hasOwn(of, model) ? of[model] : {}))
  return { ...COMMON, ...defined({ ...lines[0], ...lines[1] }) }
}

/** A model whose dimensions may not be known yet. */
interface OfferedModel {
  readonly model: string
  readonly dimensions?: number | undefined
}

const KEYS = {
  model: 'embedding_model',
  dimensions: 'embedding_dimensions',
  background: 'cosine_background',
} as const

/** Returns the model of the stored vectors; undefined while there are none. */
export async function readEmbeddingLock(tx: ReadTransaction): Promise<EmbeddingLock | undefined> {
  const model = await readMeta(tx, KEYS.model)
  return model ? { model, dimensions: Number(await readMeta(tx, KEYS.dimensions)) } : undefined
}

/** Returns true if vectors of the two models may be compared. Dimensions that are not known yet do not count. */
export function matchesLock(lock: EmbeddingLock | undefined, embedder: OfferedModel): boolean {
  if (lock === undefined) return true
  return lock.model === embedder.model && (embedder.dimensions ?? lock.dimensions) === lock.dimensions
}

/** Returns the measured background of a model; undefined if there is none, or only of another model. */
export async function readBackground(
  tx: ReadTransaction,
  model: string,
): Promise<StoredBackground | undefined> {
  const background = JSON.parse((await readMeta(tx, KEYS.background)) ?? '{}') as StoredBackground
  return background.model === model ? background : undefined
}

/** Throws `EMBEDDER_MISMATCH` for an embedder whose vectors cannot lie beside the stored ones. */
export async function refuseOtherModel(tx: ReadTransaction, embedder: OfferedModel): Promise<void> {
  const lock = await readEmbeddingLock(tx)
  if (lock !== undefined && !matchesLock(lock, embedder)) throw embedderMismatch(lock, embedder)
}

export async function saveEmbeddingLock(
  tx: Transaction,
  { model, dimensions }: EmbeddingLock,
): Promise<void> {
  await saveMeta(tx, KEYS.model, model)
  await saveMeta(tx, KEYS.dimensions, String(dimensions))
}

/** Ties the store to the model of its first vectors; throws `EMBEDDER_MISMATCH` for any other. */
export async function ensureEmbeddingLock(tx: Transaction, embedder: EmbeddingLock): Promise<void> {
  await refuseOtherModel(tx, embedder)
  if ((await readEmbeddingLock(tx)) === undefined) await saveEmbeddingLock(tx, embedder)
}

export async function forgetEmbeddingLock(tx: Transaction): Promise<void> {
  await saveMeta(tx, KEYS.model, '')
}

export function embedderMismatch(
  lock: EmbeddingLock,
  embedder: OfferedModel,
): ElfmemError<'EMBEDDER_MISMATCH'> {
  const [held, offered] = [nameOf(lock), nameOf(embedder)]
  return new ElfmemError(
    'EMBEDDER_MISMATCH',
    `This memory holds vectors of ${held}; the embedder is ${offered}.`,
    {
      recovery: `Call reembed() to change all vectors to ${offered}, or configure ${held} again; until then recall finds by words.`,
      details: { held: lock, offered: { model: embedder.model, dimensions: embedder.dimensions } },
    },
  )
}

/** Returns the name of a model with its dimensions, for people. */
export function nameOf({ model, dimensions }: OfferedModel): string {
  return `${model} (${dimensions ?? 'unknown'} dimensions)`
}

type EmbeddingCall = Pick<CallContext, 'signal' | 'meter'>

/** Returns the options of embedding within a call: it ends with the call, and its usage is counted for the call. */
export function embedOptionsOf({ signal, meter }: EmbeddingCall): EmbedOptions {
  const counted: EmbedOptions =
    meter === undefined
      ? {}
      : {
          usage: ({ tokens, calls }) => meter.add({ embeddingTokens: tokens, embeddingCalls: calls }),
          redacted: (kind, count) => meter.noteRedacted(kind, count),
        }
  return { ...defined({ signal }), ...counted }
}

export interface Embedded {
  readonly block: Block
  readonly vectors: ContentVectors
}

/** Returns the vectors of some waiting blocks, embedded in one batch; known ones are reused. */
export async function embedBlocks(
  { embedder }: Pick<Engine, 'embedder'>,
  blocks: readonly Block[],
  context: EmbeddingCall,
  known: ReadonlyMap<string, ContentVectors> = new Map(),
): Promise<Embedded[]> {
  const lacking = blocks.filter(({ id }) => !known.has(id))
  const made = await embedContents(
    embedder,
    lacking.map(({ content }) => content),
    embedOptionsOf(context),
  )
  const vectors = new Map([...known, ...lacking.map(({ id }, i) => [id, made[i] as ContentVectors] as const)])
  return blocks.map((block) => ({ block, vectors: vectors.get(block.id) as ContentVectors }))
}

/** Embeds contents in one batch, long ones by their passages. Throws `EMBEDDER_FAILED` if a vector is missing or odd. */
export async function embedContents(
  embedder: Embedder,
  contents: readonly string[],
  options: EmbedOptions,
): Promise<ContentVectors[]> {
  const passages = contents.map((content) =>
    passagesOf(content).map(({ from, to }) => normaliseContent(content.slice(from, to))),
  )
  const made = await embedder.embed(passages.flat(), options)
  const length = made[0]?.length ?? 0
  let at = 0
  return passages.map((own) => {
    const vectors = own.map(() => made[at++] ?? new Float32Array())
    const odd = vectors.find((vector) => vector.length === 0 || vector.length !== length)
    if (odd !== undefined) throw unusableVector(embedder, odd.length)
    return contentVectors(vectors)
  })
}

/** Returns the vectors of a content from those of its passages. */
function contentVectors(passages: readonly Float32Array[]): ContentVectors {
  const [first] = passages as readonly [Float32Array]
  if (passages.length === 1) return { vector: first }
  const packed = new Uint8Array(first.length * passages.length)
  for (const [i, vector] of passages.entries()) packed.set(packUnit(vector), i * first.length)
  return { vector: meanOf(passages), passages: packed }
}

export function unusableVector(embedder: OfferedModel, length: number): ElfmemError<'EMBEDDER_FAILED'> {
  return new ElfmemError('EMBEDDER_FAILED', `${nameOf(embedder)} gave a vector of ${length} components.`, {
    recovery: 'Check the model and the dimensions of the embedder, then call again.',
  })
}

/** Returns the normalised mean of unit vectors. */
function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors)
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (vector[at] as number)
  const length = Math.hypot(...sum)
  return length === 0 ? sum : sum.map((component) => component / length)
}

/** Returns true if a measurement on this number of blocks would tell more than the known one. */
export function isBackgroundDue(background: StoredBackground | undefined, blocks: number): boolean {
  if (background === undefined) return blocks >= BACKGROUND_SAMPLE.fewestBlocks
  return blocks >= BACKGROUND_SAMPLE.growth * background.blocks
}

/** Measures and keeps the background of a model that is not calibrated, if it is new or the store has doubled since. */
export async function keepBackground(
  { embedder: { model }, index, vectorModel }: Pick<Engine, 'embedder' | 'index' | 'vectorModel'>,
  tx: Transaction,
): Promise<void> {
  if (isCalibrated(model) || !isBackgroundDue(await readBackground(tx, model), index.size)) return
  const measured = index.background(
    BACKGROUND_SAMPLE.fewestBlocks,
    BACKGROUND_SAMPLE.ones,
    BACKGROUND_SAMPLE.others,
  )
  if (measured === undefined) return
  vectorModel.background = { model, ...measured }
  await saveMeta(tx, KEYS.background, JSON.stringify(vectorModel.background))
}

/** Returns the line that brings a model's cosines to the scale of the constants. */
export function scaleOf({ mean, deviation }: StoredBackground): CosineScale {
  const factor = REFERENCE.background.deviation / deviation
  return { factor, offset: REFERENCE.background.mean - factor * mean }
}

/**
 * Renews the index entries of the active blocks among these, from their present words and their vectors. It serves changes that leave the
 * content alone; a new content needs a new vector.
 */
export async function reindex(tx: Transaction, blocks: readonly Block[], analysis: Analysis): Promise<void> {
  const active = blocks.filter(({ status }) => status === 'active')
  if (active.length === 0) return
  const vectors = await readVectors(
    tx,
    active.map(({ id }) => id),
  )
  await saveIndex(
    tx,
    active.map((block) => analysis.entry(block, vectors.get(block.id))),
  )
}

const TERMS = 'terms_made_by'

/** Makes the stored words of all active blocks anew if another analysis made them. After a kill it begins again. */
export async function refreshTerms({ store, analysis }: Pick<Engine, 'store' | 'analysis'>): Promise<void> {
  const madeBy = await store.read(async (tx) => {
    const known = await readMeta(tx, TERMS)
    if (known !== undefined) return known
    const { blocks } = await readPage(tx, { status: 'active', order: 'arrival', limit: 1 })
    return blocks.length === 0 ? analysis.id : 'unknown'
  })
  if (madeBy === analysis.id) return
  let cursor: string | undefined
  do {
    const from = cursor
    cursor = await store.write(async (tx) => {
      const place = from === undefined ? {} : { cursor: from }
      // Each page takes a few milliseconds, so that nobody waits for the whole.
      const page = await readPage(tx, { status: 'active', order: 'arrival', limit: 500, ...place })
      await reindex(tx, page.blocks, analysis)
      if (page.cursor === undefined) await rememberAnalysis(tx, analysis)
      return page.cursor
    })
  } while (cursor !== undefined)
}

export async function rememberAnalysis(tx: Transaction, analysis: Analysis): Promise<void> {
  await saveMeta(tx, TERMS, analysis.id)
}

/** Makes the packed copy of the index anew if it has fallen behind: about 1 ms for 1,000 blocks and one small write. */
export async function keepIndex(engine: Engine): Promise<void> {
  const { index, keptIndex, store, ids } = engine
  const { unkept, size } = index
  if (keptIndex === undefined || size < 1_000 || unkept < Math.max(500, size / 20)) return
  try {
    await store.read((tx) => index.refresh(tx))
    const mark = ids.random()
    const { header, sections } = index.pack(mark)
    if (!(await keptIndex.cache.keep(header, sections))) return
    const isOld = await store.write(
      async (tx) => {
        await saveMeta(tx, keptIndex.mark, mark)
        return (await tx.queries.changes(Number.MAX_SAFE_INTEGER)).generation !== index.generation
      },
      { durable: false },
    )
    // Another process removed blocks between the reading and the writing: their words must not stay in a file.
    if (isOld) await keptIndex.cache.drop()
  } catch (error) {
    // Without a packed copy the next open memory reads the rows, which is slower and right.
    if (!ElfmemError.is(error)) throw error
  }
}

/** Number of waiting texts that are embedded before other calls have their turn: some 15 ms. */
export const WAITING_BATCH = 4

/** These writes can be done at any other time: they wait for nobody, and the log has no entry of them. */
const AT_ANY_TIME = { durable: false, waits: false } as const

/**
 * Embeds the newest waiting blocks without a vector, in small batches, each kept at once; the dream takes the vectors over. Returns the
 * number of blocks that still lack one. One call works at a time, and none during a dream, so that no text is embedded twice. It ends
 * quietly if the signal is aborted, the embedder fails, or another process holds the lock: words find the rest, and the next call goes on.
 *
 * @param portion.most blocks of one call
 * @param portion.milliseconds time after which no batch begins; the current one is ended
 */
export async function embedWaiting(
  engine: Engine,
  context: CallContext,
  { most, milliseconds }: { readonly most: number; readonly milliseconds: number },
): Promise<number> {
  const { embedding, index, clock } = engine
  const deadline = clock.now() + milliseconds
  const mayGoOn = () => embedding.dreams === 0 && !context.signal?.aborted && clock.now() < deadline
  const work = embedding.queue.then(() =>
    embedNewest(engine, context, { most, mayGoOn }).catch((error: unknown) => {
      if (!ElfmemError.is(error)) throw error
    }),
  )
  embedding.queue = work.catch(() => undefined)
  await work
  return index.lacking.size
}

/**
 * Embeds waiting blocks before a question, which goes on when the time is over; the current batch is still kept when it is ready. Does
 * nothing if no block lacks a vector, and asks no remote embedder.
 */
export async function embedBefore(engine: Engine, context: CallContext): Promise<void> {
  const { embedder, index, settings, vectorModel } = engine
  const { waitingMilliseconds: milliseconds } = settings.recall
  const isDone = index.lacking.size === 0 && matchesLock(vectorModel.current, embedder)
  // A caller who only reads writes no vectors either.
  if (embedder.remote || isDone || milliseconds === 0 || !mayWrite(engine, context)) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeIsOver = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  const work = embedWaiting(engine, context, { most: settings.memory.embedBatch, milliseconds })
  work.catch(() => undefined)
  await Promise.race([work, timeIsOver])
  clearTimeout(timer)
}

async function embedNewest(
  engine: Engine,
  context: CallContext,
  { most, mayGoOn }: { readonly most: number; readonly mayGoOn: () => boolean },
): Promise<void> {
  const { index, store } = engine
  const lock = await store.read(async (tx) => {
    await index.refresh(tx)
    return readEmbeddingLock(tx)
  })
  // A dream lets go of a model if only waiting blocks have its vectors.
  if (!matchesLock(lock, engine.embedder)) return
  const ids = [...index.lacking].slice(-Math.max(1, most)).reverse()
  for (let at = 0; at < ids.length && mayGoOn(); at += WAITING_BATCH) {
    const found = await store.read((tx) => readBlocks(tx, ids.slice(at, at + WAITING_BATCH)))
    const waiting = found.filter(({ status }) => status === 'inbox')
    const metered = { ...context, meter: context.meter ?? engine.unbilled }
    await keepWaiting(engine, await embedBlocks(engine, waiting, metered))
    // An embedder in this thread never gives other calls a turn.
    await nextTurn()
  }
}

async function keepWaiting(engine: Engine, embedded: readonly Embedded[]): Promise<void> {
  const { store, index, embedder, analysis, vectorModel } = engine
  const [first] = embedded
  if (first === undefined) return
  const lock: EmbeddingLock = { model: embedder.model, dimensions: first.vectors.vector.length }
  await store.write(async (tx) => {
    if ((await readEmbeddingLock(tx)) === undefined) await rememberAnalysis(tx, analysis)
    await ensureEmbeddingLock(tx, lock)
    const made = embedded.map(({ block: { id, content }, vectors }) => ({ id, content, ...vectors }))
    await saveWaitingVectors(tx, made)
  }, AT_ANY_TIME)
  await store.read((tx) => index.refresh(tx))
  vectorModel.current ??= lock
}
