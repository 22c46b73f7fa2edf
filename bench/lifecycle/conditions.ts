/** Strategies for recurring tasks mostly help, or mostly mislead. */
export type StrategyWorld = 'pay' | 'mislead'

/** Under which conditions a world is asked and reported on. What facts there are does not depend on them. */
export interface Conditions {
  /** Share of questions that speak of one fact of another topic, too, if they need any. */
  readonly full: number
  /** Weight of what has nothing to do with the question in its vector; half of it when a fact is asked for by name. */
  readonly noise: number
  /** Chances that a question says an identifier or another word of what it speaks of. */
  readonly heard: { readonly identifier: number; readonly word: number }
  /** True: nobody reports, and hooks see what is done. Otherwise agents report on blocks, on answers and after a follow-up. */
  readonly traces?: true
  /** There is a strategy for each recurring task. */
  readonly strategies?: StrategyWorld
}

const DEFAULT: Conditions = { full: 0.3, noise: 2.6, heard: { identifier: 0.08, word: 0.2 } }
/** Questions that say what they are about. */
const CLEAR: Conditions = { full: 0.6, noise: 1.6, heard: { identifier: 0.2, word: 0.35 } }

/** By the name that `--world` takes. */
export const CONDITIONS: Readonly<Record<string, Conditions>> = {
  default: DEFAULT,
  traced: { ...DEFAULT, traces: true },
  'strategies-pay': { ...CLEAR, strategies: 'pay' },
  'strategies-mislead': { ...CLEAR, strategies: 'mislead' },
}
