import type { StrategyWorld } from './strategies.ts'

/** Under which conditions a world is asked and reported on. What facts there are does not depend on them. */
export interface Conditions {
  /** Share of questions about one fact that belongs to no recurring task. */
  readonly adHoc: number
  /** Share of questions that speak of one fact of another topic, too, if they need any. */
  readonly full: number
  /** Weight of what has nothing to do with the question in its vector; half of it when a fact is asked for by name. */
  readonly noise: number
  /** Chances that a question says an identifier or another word of what it speaks of. */
  readonly heard: { readonly identifier: number; readonly word: number }
  readonly reports: Reporting
  /** There is a strategy for each recurring task, which helps or misleads. */
  readonly strategies?: StrategyWorld
}

/** `mixed`: single blocks, whole answers and what helped in a follow-up; `traces`: nobody reports, and hooks see what is done. */
export type Reporting = 'mixed' | 'traces'

/** Chances that an answer cites a shown fact that is useful, neither, or harmful. */
export const CITING = { useful: 0.95, neutral: 0.02, harmful: 0.05 } as const

/** Those of the measured simulation's main table. */
export const DEFAULT_CONDITIONS: Conditions = {
  adHoc: 0.4,
  full: 0.3,
  noise: 2.6,
  heard: { identifier: 0.08, word: 0.2 },
  reports: 'mixed',
}

/** Questions that say what they are about. */
const CLEAR: Conditions = {
  ...DEFAULT_CONDITIONS,
  full: 0.6,
  noise: 1.6,
  heard: { identifier: 0.2, word: 0.35 },
}

/** By the name that `--world` takes. */
export const CONDITIONS: Readonly<Record<string, Conditions>> = {
  default: DEFAULT_CONDITIONS,
  traced: { ...DEFAULT_CONDITIONS, reports: 'traces' },
  'strategies-pay': { ...CLEAR, strategies: 'pay' },
  'strategies-mislead': { ...CLEAR, strategies: 'mislead' },
}

/** The conditions of that name. */
export function conditionsNamed(name: string): Conditions {
  const found = Object.hasOwn(CONDITIONS, name) ? CONDITIONS[name] : undefined
  if (!found) throw new Error(`--world knows ${Object.keys(CONDITIONS).join(', ')}; not ${name}`)
  return found
}
