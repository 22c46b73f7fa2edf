import type { Interval } from '../lib/statistics.ts'
import { percent, points } from '../lib/table.ts'

/** What the requirements are about. Shares, differences as elfmem minus no learning. */
export interface Evidence {
  readonly recall: Interval
  readonly earlyRecall: Interval
  readonly lateRecall: Interval
  readonly lateHarmful: number
  readonly lateHarmfulWithoutLearning: number
  readonly usage: number
}

export interface Requirement {
  readonly says: string
  readonly met: boolean
  /** The numbers it was judged by. */
  readonly because: string
}

const LEAST_GAIN = 0.05
const MOST_HARM = 0.5
const LEAST_USAGE = 0.3

/** Whether learning earns its keep. */
export function judge(evidence: Evidence): readonly Requirement[] {
  const { recall, earlyRecall, lateRecall, lateHarmful, lateHarmfulWithoutLearning, usage } = evidence
  return [
    {
      says: 'recall@5 at least 5 points above no learning, interval above 0',
      met: recall.mean >= LEAST_GAIN && recall.low > 0,
      because: `${points(recall.mean)} [${points(recall.low)}, ${points(recall.high)}]`,
    },
    {
      says: 'a larger gap late than early',
      met: lateRecall.mean > earlyRecall.mean,
      because: `${points(earlyRecall.mean)} early, ${points(lateRecall.mean)} late`,
    },
    {
      says: 'late harmful share at most half of no learning',
      met: lateHarmful <= MOST_HARM * lateHarmfulWithoutLearning,
      because: `${percent(lateHarmful)} % against ${percent(lateHarmfulWithoutLearning)} %`,
    },
    {
      says: 'more than 30 % of the edges made by use',
      met: usage > LEAST_USAGE,
      because: `${percent(usage)} %`,
    },
  ]
}

export function verdictLine(requirements: readonly Requirement[]): string {
  const parts = requirements.map(
    ({ says, met, because }) => `${met ? 'met' : 'MISSED'}: ${says} (${because})`,
  )
  return ['verdict', ...parts].join('\n  ')
}
