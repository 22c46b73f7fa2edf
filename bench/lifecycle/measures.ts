import { type Interval, mean, tInterval } from '../lib/statistics.ts'
import { intervalText, percent, type Table } from '../lib/table.ts'
import type { Played, Served } from './play.ts'

/** What the answers of one play were worth together. Late is the second half of the sessions. */
export interface Summary {
  readonly hit: number
  readonly recall: number
  readonly reciprocalRank: number
  readonly earlyRecall: number
  readonly lateRecall: number
  readonly lateHarmful: number
  /** Found share of what was needed and neither spoken of nor alike. */
  readonly lateHidden: number
  /** Share of the useful facts found that an edge brought and no match. */
  readonly lateExpanded: number
  /** Share of the edges at the end that use made. */
  readonly usage: number
}

/** Each measure of elfmem minus that of another policy, paired by seed. */
export type Differences = Readonly<Record<keyof Summary, Interval>>

const KEYS = [
  'hit',
  'recall',
  'reciprocalRank',
  'earlyRecall',
  'lateRecall',
  'lateHarmful',
  'lateHidden',
  'lateExpanded',
  'usage',
] as const satisfies readonly (keyof Summary)[]

export function summarise({ served, usage }: Played, sessions: number): Summary {
  const early = served.filter(({ session }) => session < sessions / 2)
  const late = served.filter(({ session }) => session >= sessions / 2)
  return {
    hit: meanOf(served, 'hit'),
    recall: meanOf(served, 'recall'),
    reciprocalRank: meanOf(served, 'reciprocalRank'),
    earlyRecall: meanOf(early, 'recall'),
    lateRecall: meanOf(late, 'recall'),
    lateHarmful: meanOf(late, 'harmful'),
    lateHidden: share(late, 'hiddenFound', 'hidden'),
    lateExpanded: share(late, 'expanded', 'found'),
    usage,
  }
}

export function averageOf(summaries: readonly Summary[]): Summary {
  return byKey((key) => mean(summaries.map((each) => each[key])))
}

export function differencesOf(ours: readonly Summary[], others: readonly Summary[]): Differences {
  return byKey((key) => tInterval(ours.map((each, i) => each[key] - (others[i] as Summary)[key])))
}

type Measure = Exclude<keyof Served, 'session' | 'onPoint'>

function meanOf(served: readonly Served[], key: Measure): number {
  return mean(served.map((each) => each[key]))
}

function share(served: readonly Served[], part: Measure, whole: Measure): number {
  const total = (key: Measure) => served.reduce((sum, each) => sum + each[key], 0)
  return total(part) / Math.max(1, total(whole))
}

function byKey<T>(of: (key: keyof Summary) => T): Readonly<Record<keyof Summary, T>> {
  return Object.fromEntries(KEYS.map((key) => [key, of(key)])) as Record<keyof Summary, T>
}

/** A policy's means over the seeds and how far elfmem is ahead of it. */
export interface Row {
  readonly name: string
  readonly means: Summary
  /** Absent for elfmem itself. */
  readonly ahead?: Differences
}

/** A policy with signals of traces, and how far it is ahead of the same without any. */
export type SignalRow = Required<Row>

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
      ...compared.map((key) => (ahead ? intervalText(ahead[key]) : '')),
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
      intervalText(ahead.recall),
      percent(means.lateHarmful),
      intervalText(ahead.lateHarmful),
      tenths(ahead.recall.mean) >= 0 && tenths(ahead.lateHarmful.mean) <= 0 ? 'yes' : 'no',
    ]),
  }
}

/** A share in tenths of a point, which is how it is printed. */
function tenths(share: number): number {
  return Math.round(share * 1_000)
}
