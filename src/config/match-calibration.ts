import type { ProbabilityConstants } from '../domain/score/match.ts'
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
