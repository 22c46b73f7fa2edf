import type { Block, ContentVectors } from '../block/block.ts'
import { passagesOf } from '../block/passages.ts'
import { normaliseContent } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import type { CosineScale } from '../index/chains.ts'
import type { ResidentIndex } from '../index/resident-index.ts'
import type { ProbabilityConstants } from '../index/strength.ts'
import { packUnit } from '../index/vectors.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import type { UsageMeter } from './mutate.ts'
import type { Embedder, EmbedOptions } from './ports.ts'
import type { Settings, SimilarityThresholds } from './settings.ts'

/** How the cosines of unrelated texts lie: mean and standard deviation. */
export interface CosineBackground {
  readonly mean: number
  readonly deviation: number
}

/** The background on which every constant below was fitted: that of the built-in model. */
export const REFERENCE_BACKGROUND: CosineBackground = { mean: 0.067, deviation: 0.096 }

/** Models whose cosines lie so; those of others are mapped by what their own store shows. */
const CALIBRATED: ReadonlySet<string> = new Set(['all-MiniLM-L6-v2-int8'])

/** True if the model's cosines need no mapping. */
export function isCalibrated(model: string): boolean {
  return CALIBRATED.has(model)
}

/** How far a cosine read from the index's integers may be below the true one; who is at a line is not left out for it. */
export const COSINE_ERROR = 0.005

/** How a store measures the background of a model that is not calibrated. */
export const BACKGROUND_SAMPLE = {
  /** Blocks with vectors; fewer show no background. */
  fewestBlocks: 180,
  /** Vectors compared with `others`: 150,000 pairs, some 10 ms. */
  ones: 300,
  others: 500,
  /** Measured anew when the store has grown by this factor. */
  growth: 2,
} as const

/**
 * Log-odds that the first five blocks hold the answer. Fitted on notes asked in other words in stores of 5 to 4,600
 * blocks and on conversations, a quarter of the questions without an answer; `npm run bench -- confidence` fits again.
 */
export const ANSWERED: ProbabilityConstants = {
  intercept: -1,
  cosine: 7.5,
  lexical: 1,
  standsOut: 6,
  runnerUpShare: 0.75,
  size: 0.38,
}

/** The same from the strength alone, where no comparable cosine is at hand: words only, or a model without background. */
export const ANSWERED_BY_STRENGTH: ProbabilityConstants = {
  intercept: 0.2,
  cosine: 0,
  lexical: 0,
  standsOut: 8.1,
  runnerUpShare: 0,
  size: 0.4,
}

/** The lead that makes a match the one that a description means; see `meantProbability` and `npm run bench -- confidence`. */
export const MEANT_MARGIN = 0.3

/**
 * The line below which nothing bears on a question: the greatest cosine of a block itself plus `words` times the greatest lexical share
 * is less than floor + growth · ln(passages), as the best of more is nearer by chance. A higher line calls more than 2 of 100 questions
 * nothing that notes answer (`npm run bench -- notes --data FILE`).
 */
export const NOTHING_NEAR = {
  floor: 0.075,
  growth: 0.035,
  /** More blocks than this raise the line no further. */
  growsTo: 150,
  words: 0.2,
} as const

/** Number of entries of an answer. */
export const ANSWER_SIZE = {
  /** An entry belongs to the answer when its rank is at least this share of the best, 0..1. */
  nearBest: 0.66,
  most: 10,
  /** An answer that lies less than this above the line of `NOTHING_NEAR` has at most `faintMost` entries. */
  faint: 0.05,
  faintMost: 3,
  /** Entries without a question. */
  queryless: 5,
} as const

/** Lines that hold for an embedder of which nothing else is known. */
const COMMON: SimilarityThresholds = {
  // Below it similarity says nothing about relation, and no tag and no session makes up for it (the seeds).
  edgeCosineFloor: 0.3,
  // Below it a dream looks only at blocks that share a tag or a session.
  edgeUnsharedCosine: 0.5,
  // The composite score from which a similarity edge is made (the seeds).
  edgeScoreThreshold: 0.4,
  // From it two blocks without an edge are worth a suggestion.
  veryAlikeCosine: 0.8,
  // Below it two blocks are far apart in meaning, so that coming together says something.
  apartCosine: 0.4,
}

/**
 * Lines of the shipped embedders where they differ from the common settings. How their cosines lie is measured by
 * `npm run bench -- edges` (docs/benchmarks.md).
 */
const SHIPPED: Readonly<Record<string, Partial<SimilarityThresholds>>> = {
  // From .65 every pair of the 600 measured texts belongs together; .80 would miss half of all restatements.
  // Below .20 lie 19 of 20 pairs of unrelated notes and a quarter of the pairs of one topic.
  'all-MiniLM-L6-v2-int8': { veryAlikeCosine: 0.65, apartCosine: 0.2 },
  // Shared stop words make hashed texts alike: no line of theirs tells relation from chance.
  'hashing-384': { veryAlikeCosine: 0.8, apartCosine: 0.1 },
}

/** Returns an embedder's cosine thresholds: its own settings first, then measured ones, then common ones. */
export function similarityThresholdsOf(
  { graph }: Pick<Settings, 'graph'>,
  model: string,
): SimilarityThresholds {
  const shipped = Object.hasOwn(SHIPPED, model) ? SHIPPED[model] : {}
  const own = Object.hasOwn(graph.similarityThresholds, model) ? graph.similarityThresholds[model] : {}
  const given = Object.entries({ ...shipped, ...own }).filter(([, line]) => line !== undefined)
  return { ...COMMON, ...Object.fromEntries(given) }
}

/** The model whose vectors a store holds. */
export interface EmbeddingLock {
  readonly model: string
  readonly dimensions: number
}

const MODEL = 'embedding_model'
const DIMENSIONS = 'embedding_dimensions'
const NONE = ''

/** The model the stored vectors came from; undefined while there are none. */
export async function readEmbeddingLock(tx: ReadTransaction): Promise<EmbeddingLock | undefined> {
  const model = await readMeta(tx, MODEL)
  if (model === undefined || model === NONE) return undefined
  return { model, dimensions: Number(await readMeta(tx, DIMENSIONS)) }
}

/** True if vectors of the two may be compared. Dimensions that are not known yet do not count. */
export function matchesLock(
  lock: EmbeddingLock | undefined,
  embedder: { readonly model: string; readonly dimensions: number | undefined },
): boolean {
  if (lock === undefined) return true
  return lock.model === embedder.model && (embedder.dimensions ?? lock.dimensions) === lock.dimensions
}

/** How the cosines of a model lie in this store, and how many blocks showed it. */
export interface StoredBackground extends CosineBackground {
  readonly model: string
  readonly blocks: number
}

const BACKGROUND = 'cosine_background'

/** The measured background of the model here; undefined for none, or of another model. */
export async function readBackground(
  tx: ReadTransaction,
  model: string,
): Promise<StoredBackground | undefined> {
  const kept = await readMeta(tx, BACKGROUND)
  const background = kept === undefined ? undefined : (JSON.parse(kept) as StoredBackground)
  return background?.model === model ? background : undefined
}

/** Keeps what was measured, in place of what was before. */
async function saveBackground(tx: Transaction, background: StoredBackground): Promise<void> {
  await saveMeta(tx, BACKGROUND, JSON.stringify(background))
}

/** Refuses an embedder whose vectors cannot lie beside the stored ones. */
export async function refuseOtherModel(
  tx: ReadTransaction,
  embedder: { readonly model: string; readonly dimensions: number | undefined },
): Promise<void> {
  const lock = await readEmbeddingLock(tx)
  if (lock !== undefined && !matchesLock(lock, embedder)) throw embedderMismatch(lock, embedder)
}

/** Notes whose vectors are in use now. */
export async function saveEmbeddingLock(
  tx: Transaction,
  { model, dimensions }: EmbeddingLock,
): Promise<void> {
  await saveMeta(tx, MODEL, model)
  await saveMeta(tx, DIMENSIONS, String(dimensions))
}

/** Ties the store to the model of its first vectors; later refuses any other, and nothing is written. */
export async function ensureEmbeddingLock(tx: Transaction, embedder: EmbeddingLock): Promise<void> {
  await refuseOtherModel(tx, embedder)
  if ((await readEmbeddingLock(tx)) === undefined) await saveEmbeddingLock(tx, embedder)
}

/** Notes that no vectors are there. */
export async function forgetEmbeddingLock(tx: Transaction): Promise<void> {
  await saveMeta(tx, MODEL, NONE)
}

/** The refusal to mix vectors of two models. */
export function embedderMismatch(
  lock: EmbeddingLock,
  embedder: { readonly model: string; readonly dimensions: number | undefined },
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

/** A model and its dimensions, for people. */
export function nameOf({
  model,
  dimensions,
}: {
  readonly model: string
  readonly dimensions?: number | undefined
}): string {
  return `${model} (${dimensions ?? 'unknown'} dimensions)`
}

/** The call within which something is embedded. */
interface EmbeddingCall {
  readonly signal?: AbortSignal
  readonly meter?: UsageMeter
}

/** How embedding is asked for within a call: it ends with the call, and what it uses is counted for it. */
export function embedOptionsOf({ signal, meter }: EmbeddingCall): EmbedOptions {
  return {
    ...(signal ? { signal } : {}),
    ...(meter
      ? {
          usage: ({ tokens, calls }) => meter.add({ embeddingTokens: tokens, embeddingCalls: calls }),
          redacted: (kind, count) => meter.noteRedacted(kind, count),
        }
      : {}),
  }
}

/** A waiting block and its vectors. */
export interface Embedded {
  readonly block: Block
  readonly vectors: ContentVectors
}

/** The vectors of some waiting blocks, in one batch; those known already are taken over. */
export async function embedBlocks(
  { embedder }: { readonly embedder: Embedder },
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

/**
 * Embeds contents in one batch, long ones by their passages. Throws `EMBEDDER_FAILED` if a vector is missing, empty or of another
 * length than the others.
 */
export async function embedContents(
  embedder: Embedder,
  contents: readonly string[],
  options: EmbedOptions,
): Promise<ContentVectors[]> {
  const texts: string[] = []
  const counts: number[] = []
  for (const content of contents) {
    const passages = passagesOf(content)
    for (const { from, to } of passages) texts.push(normaliseContent(content.slice(from, to)))
    counts.push(passages.length)
  }
  const made = await embedder.embed(texts, options)
  const dimensions = made[0]?.length ?? 0
  const vectors: ContentVectors[] = []
  let end = 0
  for (const count of counts) {
    const own = Array.from({ length: count }, (_, i) => made[end + i] ?? new Float32Array())
    for (const { length } of own)
      if (length === 0 || length !== dimensions) throw unusableVector(embedder, length)
    vectors.push(contentVectors(own))
    end += count
  }
  return vectors
}

/** The vectors of a content by those of its passages. */
function contentVectors(passages: readonly Float32Array[]): ContentVectors {
  const [first] = passages as readonly [Float32Array]
  if (passages.length === 1) return { vector: first }
  const packed = new Uint8Array(first.length * passages.length)
  for (const [i, vector] of passages.entries()) packed.set(packUnit(vector), i * first.length)
  return { vector: meanOf(passages), passages: packed }
}

/** The error for a vector of a length that cannot be compared. */
export function unusableVector(
  embedder: Pick<Embedder, 'model' | 'dimensions'>,
  length: number,
): ElfmemError<'EMBEDDER_FAILED'> {
  return new ElfmemError('EMBEDDER_FAILED', `${nameOf(embedder)} gave a vector of ${length} components.`, {
    recovery: 'Check the model and the dimensions of the embedder, then call again.',
  })
}

/** The normalised mean of unit vectors. */
function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors)
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (vector[at] as number)
  const length = Math.hypot(...sum)
  return length === 0 ? sum : sum.map((component) => component / length)
}

/** True if a measurement on so many blocks would say more than the one at hand. */
export function isBackgroundDue(background: StoredBackground | undefined, blocks: number): boolean {
  if (background === undefined) return blocks >= BACKGROUND_SAMPLE.fewestBlocks
  return blocks >= BACKGROUND_SAMPLE.growth * background.blocks
}

/** The parts that measure a background, and keep it in memory. */
interface BackgroundOf {
  readonly embedder: { readonly model: string }
  readonly index: Pick<ResidentIndex, 'size' | 'background'>
  readonly vectorModel: { background?: StoredBackground | undefined }
}

/**
 * Measures the background of a model that is not calibrated, when it is new or the store has doubled since, and keeps it
 * with the model's name. One statement, or two; the index must be up to date.
 */
export async function keepBackground(
  { embedder, index, vectorModel }: BackgroundOf,
  tx: Transaction,
): Promise<void> {
  if (isCalibrated(embedder.model)) return
  const known = await readBackground(tx, embedder.model)
  if (!isBackgroundDue(known, index.size)) return
  const measured = index.background(BACKGROUND_SAMPLE)
  if (measured === undefined) return
  vectorModel.background = { model: embedder.model, ...measured }
  await saveBackground(tx, vectorModel.background)
}

/** The line that brings a model's cosines to the scale of the constants; undefined where they are on it. */
export function scaleOf(background: CosineBackground): CosineScale {
  const factor = REFERENCE_BACKGROUND.deviation / background.deviation
  return { factor, offset: REFERENCE_BACKGROUND.mean - factor * background.mean }
}
