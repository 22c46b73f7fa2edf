import type { Interval } from '../lib/statistics.ts'
import { percent, points, type Table } from '../lib/table.ts'
import { edgesOf, type GraphState, meanOutcomeWeight, usageShare } from './graph-state.ts'
import type { CurvePoint, Differences, Summary } from './measures.ts'

/** A policy's means over the seeds and how far elfmem is ahead of it. */
export interface Row {
  readonly name: string
  readonly means: Summary
  /** Absent for elfmem itself. */
  readonly ahead?: Differences
}

/** A policy with signals of traces, and how far it is ahead of the same without any. */
export type SignalRow = Required<Row>

/** Shares of the sessions after which the graph is shown. */
const GRAPH_SHOWN = [0.1, 0.5, 1]

export function policyTable(rows: readonly Row[]): Table {
  const head = [
    'policy',
    'hit@5',
    'recall@5',
    'MRR',
    'harmful*',
    'recall@5*',
    'hidden found*',
    'by edges*',
    'usage edges',
    'elfmem ahead, recall@5',
    'recall@5*',
    'MRR',
  ]
  const shown = [
    'hit',
    'recall',
    'reciprocalRank',
    'lateHarmful',
    'lateRecall',
    'lateHidden',
    'lateExpanded',
    'usage',
  ] as const
  const compared = ['recall', 'lateRecall', 'reciprocalRank'] as const
  return {
    head,
    rows: rows.map(({ name, means, ahead }) => [
      name,
      ...shown.map((key) => percent(means[key])),
      ...compared.map((key) => (ahead ? interval(ahead[key]) : '')),
    ]),
  }
}

/** What signals do to what is found and to what is harmful; a signal is cleared if neither gets worse as it is printed. */
export function signalTable(rows: readonly SignalRow[]): Table {
  return {
    head: ['signals', 'recall@5', 'with, less without', 'harmful*', 'with, less without', 'cleared'],
    rows: rows.map(({ name, means, ahead }) => [
      name,
      percent(means.recall),
      interval(ahead.recall),
      percent(means.lateHarmful),
      interval(ahead.lateHarmful),
      tenths(ahead.recall.mean) >= 0 && tenths(ahead.lateHarmful.mean) <= 0 ? 'yes' : 'no',
    ]),
  }
}

/** A share in tenths of a point, which is how it is printed. */
function tenths(share: number): number {
  return Math.round(share * 1_000)
}

/** How learning and the graph go on with use, by tenth of the sessions. */
export function curveTable(curve: readonly CurvePoint[], graph: readonly GraphState[]): Table {
  return {
    head: [
      'to session',
      'recall@5',
      'ahead of no learning',
      'harmful',
      'no learning',
      'edges',
      'usage edges',
      'outcome weight',
      'promoted',
      'pruned',
    ],
    rows: curve.map((point, tenth) => {
      const state = graph[tenth] as GraphState
      return [
        String(point.sessions),
        percent(point.recall),
        interval(point.gap),
        percent(point.harmful),
        percent(point.harmfulWithoutLearning),
        edgesOf(state).toFixed(0),
        percent(usageShare(state)),
        meanOutcomeWeight(state).toFixed(3),
        point.promoted.toFixed(1),
        point.pruned.toFixed(1),
      ]
    }),
  }
}

/** Edges by what they are and what made them, early, half-way and at the end. */
export function graphTable(graph: readonly GraphState[]): Table {
  const shown = [...new Set(GRAPH_SHOWN.map((share) => graph[Math.ceil(share * graph.length) - 1]))].filter(
    (state) => state !== undefined,
  )
  const names = new Set(
    shown.flatMap(({ kinds }) => kinds.map(({ relation, origin }) => `${relation}/${origin}`)),
  )
  return {
    head: ['edges by relation/origin', ...shown.map(({ sessions }) => `session ${sessions}`)],
    rows: [...names]
      .sort()
      .map((name) => [
        name,
        ...shown.map(({ kinds }) =>
          (kinds.find(({ relation, origin }) => `${relation}/${origin}` === name)?.edges ?? 0).toFixed(0),
        ),
      ]),
  }
}

export function interval({ mean, low, high }: Interval): string {
  return `${points(mean)} [${points(low)}, ${points(high)}]`
}
