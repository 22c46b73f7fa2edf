import type { AnswerSize } from '../domain/score/answer-size.ts'
import type { MeantOptions, ProbabilityConstants } from '../domain/score/probability.ts'

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

/** When a description means its strongest match; of missing descriptions 4 of 100 are joined in large memories, 1 or 2 in small ones. */
export const MEANT: MeantOptions = { fewestBlocks: 180, fullMargin: 0.3 }

/** Shares of ranks and numbers of blocks; chosen on conversations, and as good as five blocks on notes. */
export const ANSWER_SIZE: AnswerSize = {
  nearBest: 0.71,
  fewestOfMatch: 4,
  fewestOfWeak: 5,
  most: 10,
  unsure: 3,
  queryless: 5,
}
