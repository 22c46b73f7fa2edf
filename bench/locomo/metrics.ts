import { mean } from '../lib/statistics.ts'

/** What one ranked answer found of a question's evidence. */
export interface Found {
  /** Share of the evidence among the first 5, 10, 20. */
  readonly recall5: number
  readonly recall10: number
  readonly recall20: number
  /** 1 when any of it is among the first 5. */
  readonly hit5: number
  /** 1 / the place of the first; 0 when none is there. */
  readonly reciprocalRank: number
}

export const METRICS = ['recall5', 'recall10', 'recall20', 'hit5', 'reciprocalRank'] as const
export const METRIC_HEADS = ['R@5', 'R@10', 'R@20', 'hit@5', 'MRR']

/** Means over several questions. */
export type Means = Readonly<Record<(typeof METRICS)[number], number>>

export function meansOf(found: readonly Found[]): Means {
  return Object.fromEntries(
    METRICS.map((metric) => [metric, mean(found.map((each) => each[metric]))]),
  ) as Means
}

/**
 * Judges an answer.
 *
 * @param ranked for each place the evidence ids that the block there stands for
 */
export function judge(ranked: readonly (readonly string[])[], evidence: ReadonlySet<string>): Found {
  const within = (count: number) => {
    const shown = new Set(ranked.slice(0, count).flat())
    return [...evidence].filter((id) => shown.has(id)).length / evidence.size
  }
  const first = ranked.findIndex((ids) => ids.some((id) => evidence.has(id)))
  return {
    recall5: within(5),
    recall10: within(10),
    recall20: within(20),
    hit5: first >= 0 && first < 5 ? 1 : 0,
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
  }
}
