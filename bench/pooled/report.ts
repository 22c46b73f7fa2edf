import { type Part, textOf } from '../lib/part.ts'
import { bootstrap, type Interval, mean, median, quantile } from '../lib/statistics.ts'
import { milliseconds, percent, points } from '../lib/table.ts'
import type { Asked } from './ask.ts'

/** The answers to all questions in their order, of each way to ask. */
export interface Answers {
  /** One store, each question in the scope of its conversation. */
  readonly scoped: readonly Asked[]
  /** One store without scopes. */
  readonly bare: readonly Asked[]
  /** A store for each conversation. */
  readonly separate: readonly Asked[]
}

export interface PooledFacts {
  readonly conversations: number
  readonly blocks: Readonly<Record<keyof Answers, number>>
  readonly topK: number
}

const NAMES = {
  separate: 'a store each',
  scoped: 'one store, with scopes',
  bare: 'one store, without scopes',
} as const satisfies Record<keyof Answers, string>
const METRICS = ['recall5', 'recall10', 'recall20', 'reciprocalRank'] as const

/** The table for people and the figures for machines. */
export function reportOf(answers: Answers, facts: PooledFacts) {
  const ways = (['separate', 'scoped', 'bare'] as const).map((way) => summaryOf(way, answers, facts))
  const identical = answers.scoped.filter((answer, i) => sameRanking(answer, answers.separate[i])).length
  const data: PooledData = { ...facts, questions: answers.separate.length, identical, ways }
  return { report: textOf(partsOf(data)), data }
}

interface PooledData extends PooledFacts {
  readonly questions: number
  /** Questions whose ranking with scopes is that of a store each, block for block. */
  readonly identical: number
  readonly ways: readonly ReturnType<typeof summaryOf>[]
}

const HEAD = [
  'stores',
  'R@5',
  'R@10',
  'R@20',
  'MRR',
  'R@10 against a store each',
  'MRR against',
  'ms p50',
  'ms p95',
  'strange, %',
]

/** What the page may show. */
export function partsOf({
  conversations,
  blocks,
  questions,
  topK,
  identical,
  ways,
}: PooledData): readonly Part[] {
  const rows = ways.map(({ name, means, ahead, ms, strange }) => [
    name,
    ...METRICS.map((metric) => percent(means[metric])),
    ...(name === NAMES.separate ? ['', ''] : [interval(ahead.recall10), interval(ahead.reciprocalRank)]),
    milliseconds(ms.p50),
    milliseconds(ms.p95),
    percent(strange),
  ])
  return [
    {
      name: 'summary',
      body: `${conversations} conversations, ${blocks.separate} blocks, ${questions} questions, top ${topK}`,
    },
    { name: 'stores', body: { head: HEAD, rows } },
    {
      name: 'identical',
      body: `With scopes ${identical} of ${questions} rankings are the same, block for block, as in a store each.`,
    },
  ]
}

function summaryOf(way: keyof Answers, answers: Answers, { blocks }: PooledFacts) {
  const all = answers[way]
  const means = eachMetric((metric) => mean(all.map((each) => each[metric])))
  const ahead = eachMetric((metric) =>
    bootstrap(all.map((each, i) => each[metric] - (answers.separate[i] as Asked)[metric])),
  )
  const times = all.map(({ ms }) => ms)
  const shown = all.reduce((sum, { ranked }) => sum + Math.min(10, ranked.length), 0)
  return {
    name: NAMES[way],
    blocks: blocks[way],
    means,
    ahead,
    ms: { p50: median(times), p95: quantile(times, 0.95) },
    strange: all.reduce((sum, { strange }) => sum + strange, 0) / Math.max(1, shown),
  }
}

function eachMetric<T>(value: (metric: (typeof METRICS)[number]) => T) {
  return {
    recall5: value('recall5'),
    recall10: value('recall10'),
    recall20: value('recall20'),
    reciprocalRank: value('reciprocalRank'),
  }
}

function sameRanking({ ranked }: Asked, other: Asked | undefined): boolean {
  return JSON.stringify(ranked) === JSON.stringify(other?.ranked)
}

function interval({ mean: centre, low, high }: Interval): string {
  return `${points(centre)} [${points(low)}, ${points(high)}]`
}
