import { type Interval, mean, tInterval } from '../lib/statistics.ts'
import { type GraphState, usageShare } from './graph-state.ts'
import { type Played, type Served, tenthOf } from './play.ts'

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
  /** Share of useful facts archived when they were asked for. */
  readonly archived: number
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
  'archived',
  'usage',
] as const satisfies readonly (keyof Summary)[]

export function summarise({ served, graph }: Played, sessions: number): Summary {
  const early = served.filter(({ session }) => session < sessions / 2)
  const late = served.filter(({ session }) => session >= sessions / 2)
  const last = graph.at(-1)
  return {
    hit: meanOf(served, 'hit'),
    recall: meanOf(served, 'recall'),
    reciprocalRank: meanOf(served, 'reciprocalRank'),
    earlyRecall: meanOf(early, 'recall'),
    lateRecall: meanOf(late, 'recall'),
    lateHarmful: meanOf(late, 'harmful'),
    lateHidden: share(late, 'hiddenFound', 'hidden'),
    lateExpanded: share(late, 'expanded', 'found'),
    archived: meanOf(served, 'archived'),
    usage: last ? usageShare(last) : 0,
  }
}

export function averageOf(summaries: readonly Summary[]): Summary {
  return byKey((key) => mean(summaries.map((each) => each[key])))
}

export function differencesOf(ours: readonly Summary[], others: readonly Summary[]): Differences {
  return byKey((key) => tInterval(ours.map((each, i) => each[key] - (others[i] as Summary)[key])))
}

/** How much more the second half of the sessions gains than the first, paired by seed. */
export function growthOf(ours: readonly Summary[], others: readonly Summary[]): Interval {
  return tInterval(
    ours.map((each, i) => {
      const other = others[i] as Summary
      return each.lateRecall - other.lateRecall - (each.earlyRecall - other.earlyRecall)
    }),
  )
}

/** One tenth of the sessions, elfmem beside no learning. */
export interface CurvePoint {
  /** Sessions played at its end. */
  readonly sessions: number
  /** Recall@5, elfmem minus no learning, paired by seed. */
  readonly gap: Interval
  readonly recall: number
  readonly harmful: number
  readonly harmfulWithoutLearning: number
  /** Means for one curation. */
  readonly promoted: number
  readonly pruned: number
}

/** How the difference that learning makes grows with use. Without sessions for ten tenths, as many points as there are. */
export function curveOf(
  ours: readonly Played[],
  others: readonly Played[],
  sessions: number,
): readonly CurvePoint[] {
  return (ours[0]?.graph ?? []).map(({ sessions: end }) => {
    const tenth = tenthOf(end - 1, sessions)
    const within = (session: number) => tenthOf(session, sessions) === tenth
    const of = (played: Played, key: 'recall' | 'harmful') =>
      meanOf(
        played.served.filter(({ session }) => within(session)),
        key,
      )
    const curations = ours.flatMap(({ curated }) => curated.filter((_, session) => within(session)))
    return {
      sessions: end,
      gap: tInterval(ours.map((each, i) => of(each, 'recall') - of(others[i] as Played, 'recall'))),
      recall: mean(ours.map((each) => of(each, 'recall'))),
      harmful: mean(ours.map((each) => of(each, 'harmful'))),
      harmfulWithoutLearning: mean(others.map((each) => of(each, 'harmful'))),
      promoted: mean(curations.map(({ promoted }) => promoted)),
      pruned: mean(curations.map(({ pruned }) => pruned)),
    }
  })
}

/** The graphs of several plays as their mean one, tenth by tenth. A mean weight counts each edge once. */
export function meanGraph(played: readonly Played[]): readonly GraphState[] {
  return (played[0]?.graph ?? []).map(({ sessions }, tenth) => {
    const all = played.flatMap(({ graph }) => graph[tenth]?.kinds ?? [])
    const names = [...new Set(all.map(({ relation, origin }) => `${relation} ${origin}`))].sort()
    const kinds = names.map((name) => {
      const same = all.filter(({ relation, origin }) => `${relation} ${origin}` === name)
      const edges = same.reduce((sum, kind) => sum + kind.edges, 0)
      const weight = same.reduce((sum, kind) => sum + kind.edges * kind.meanWeight, 0)
      const [relation = '', origin = ''] = name.split(' ')
      return { relation, origin, edges: edges / played.length, meanWeight: weight / edges }
    })
    return { sessions, kinds }
  })
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
